"""`catalog`: lists of parts, their cards, imports of other files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from toposmith.catalog import CatalogError
from toposmith.catalog.kinds import KINDS
from toposmith.catalog.nccl_xml import import_file
from toposmith.catalog.prices import read_prices
from toposmith.catalog.search import find_parts
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    load_parts,
    require_free,
    say,
    write_json,
    write_out,
    write_talk,
)
from toposmith.command.reports.part_lists import catalog_report, part_report, parts_report

if TYPE_CHECKING:
    from toposmith.catalog import Catalog, Part
    from toposmith.catalog.prices import PriceList


class PartKindName(click.ParamType[str]):
    """A kind of part; the list of kinds is loaded only when it is needed."""

    name = "kind"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The kind; fails with the list of known ones."""
        if value not in KINDS:
            self.fail(f"{value!r} is no kind of part (known: {', '.join(KINDS)})", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Kinds with this prefix."""
        return [CompletionItem(kind) for kind in KINDS if kind.startswith(incomplete)]


_PRICES = click.option(
    "--prices",
    "price_files",
    metavar="FILE",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A price list, CSV, XLSX or YAML; may be repeated, later ones win.",
)


@click.group()
def catalog() -> None:
    """Look at the parts that designs are made of."""


@catalog.command("list", short_help="List all parts, or those of one KIND.")
@click.argument("kind", metavar="[KIND]", type=PartKindName(), required=False)
@click.option(
    "--search",
    metavar="WORDS",
    help="Only parts that match these words, the likeliest first, as in 'nv 400 sw'.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@_PRICES
def catalog_list(
    kind: str | None, search: str | None, as_json: bool, price_files: tuple[Path, ...]
) -> int:
    """List all parts, or those of one KIND; exit 1 where a part file has faults."""
    known = load_parts()
    parts = known.of_kind(kind) if kind else [*known, *known.facility]
    if search is not None:
        parts = find_parts(parts, search)
    prices = _prices(price_files, known)
    if not parts:
        say("no part matches")
        return FINDINGS
    if as_json:
        rows = [{"id": one.id, "kind": one.kind, "name": one.name} for one in parts]
        write_json(rows)
    else:
        write_talk(catalog_report(parts, known, prices))
    return FINDINGS if known.faults or (prices and prices.faults) else FINE


@catalog.command("show", short_help="Show every figure of a PART, and where it is from.")
@click.argument("part")
@click.argument("part2", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@_PRICES
def catalog_show(part: str, part2: str | None, as_json: bool, price_files: tuple[Path, ...]) -> int:
    """Show every figure of a PART, and where it is from; with PART2 both side by side."""
    known = load_parts()
    found = _part(part, known)
    other = _part(part2, known) if part2 is not None else None
    prices = _prices(price_files, known)
    if as_json:
        shown = [each.model_dump(mode="json") for each in (found, other) if each is not None]
        write_json(shown if other else shown[0])
    elif other is not None:
        write_talk(parts_report(found, other, known, prices))
    else:
        write_talk(part_report(found, known, prices))
    return FINDINGS if prices and prices.faults else FINE


@catalog.command("import")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--id", "part_id", metavar="ID", help="Id of the part; made of the file without it.")
@click.option("--gpu", metavar="PART", help="The machine's GPU, for files that do not say it.")
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
def catalog_import(file: Path, part_id: str | None, gpu: str | None, out: str, force: bool) -> int:
    """Make a part file of an NCCL topology file or a NetBox device type."""
    require_free(out, force, str(file))
    known = load_parts()
    try:
        imported = import_file(file, known, part_id=part_id, gpu=gpu)
    except CatalogError as refused:
        raise Refused(str(refused)) from None
    for note in imported.notes:
        say(note)
    write_out(imported.text, out)
    return FINE


def _part(part_id: str, known: Catalog) -> Part:
    found = known.get(part_id)
    if found is None:
        near = known.nearest(part_id)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; see toposmith catalog list"
        raise Refused(f"the catalog has no part {part_id!r}{hint}")
    return found


def _prices(files: tuple[Path, ...], known: Catalog) -> PriceList | None:
    """The prices of some lists; their faults go to stderr."""
    if not files:
        return None
    prices = read_prices(*files, catalog=known)
    for line in (*prices.faults, *prices.notes):
        say(line)
    return prices
