"""`bom`: the bill of materials of a design in many forms, and whether an old one still holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.commands.edge import (
    FINDINGS,
    FINE,
    Refused,
    read_design,
    require_free,
    say,
    write_bytes_out,
    write_data,
    write_out,
    write_talk,
)
from tui.commands.loading import catalog_option, plan_of

if TYPE_CHECKING:
    from catalog import Catalog
    from catalog.prices import PriceList
    from topology.bill.bill import Bill
    from topology.bill.policy import CablingPolicy
    from topology.bill.reading import ReadBill
    from topology.bill.spares import SparePolicy
    from topology.design.document import Cabling, Design
    from topology.fabric.plan import Plan
    from topology.racks.lengths import Run

_FORMS = ("yaml", "csv", "md", "json", "xlsx", "cyclonedx")
# As in topology.design.document, which --help does not wait for.
_CABLING = ("cheapest", "all-optical", "copper-within-rack")
_ENDINGS = {".yml": "yaml", ".cdx.json": "cyclonedx"} | {f".{form}": form for form in _FORMS}


def _print_schema(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from topology.bill.bill_file import SCHEMA_FILE

        write_data(SCHEMA_FILE.read_text(encoding="utf-8"))
        ctx.exit()


def _currency(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch("[A-Z]{3}", value):
        raise click.BadParameter(f"{value!r} is none; three capitals of ISO 4217, as in USD")
    return value


@click.command()
@click.argument("file", metavar="DESIGN")
@click.argument("old", metavar="[BOM]", required=False)
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="Form of the bill; without it that of OUT's name, else yaml.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@click.option("--verify", is_flag=True, help="Name every difference between DESIGN and BOM.")
@click.option(
    "--cabling",
    type=click.Choice(_CABLING),
    help="What cables may be made of; without it as the design says, else cheapest.",
)
@click.option(
    "--racks",
    is_flag=True,
    help="Lengths along racks also where the design places none: racks filled by default.",
)
@click.option(
    "--spares",
    metavar="KIND=N",
    multiple=True,
    help="Spares of each line, such as cables=2% or nodes=1; may be repeated.",
)
@click.option(
    "--prices",
    "lists",
    metavar="FILE",
    multiple=True,
    help="A price list, CSV or YAML, or `indicative`; may be repeated, later ones win.",
)
@click.option(
    "--currency",
    metavar="CODE",
    callback=_currency,
    help="Only prices in this currency, such as USD.",
)
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Write the JSON Schema of bills in YAML and JSON, and exit.",
)
@catalog_option
def bom(
    file: str,
    old: str | None,
    out: str,
    form: str | None,
    force: bool,
    verify: bool,
    cabling: Cabling | None,
    racks: bool,
    spares: tuple[str, ...],
    lists: tuple[str, ...],
    currency: str | None,
) -> int:
    """Write the bill of materials of a DESIGN, or compare it with a BOM that was written.

    Exits 1 where the bill lacks something or the two differ.
    """
    from topology.bill.bill import make_bill
    from topology.bill.pricing import bill_prices

    if verify != (old is not None):
        raise click.UsageError("--verify takes two files: a DESIGN and a BOM")
    if not verify:
        require_free(out, force)
    elif file == old == "-":
        raise click.UsageError("only one of DESIGN and BOM can be - for stdin")
    read = _read_bill(old) if old is not None else None
    plan, known = plan_of(read_design(file))
    prices = bill_prices(plan.design, known, lists, currency=currency)
    bill = make_bill(
        plan,
        known,
        prices=prices,
        policy=_policy(cabling, plan.design, read),
        spares=_spares(spares, plan.design, read),
        runs=_runs(plan, known) if racks or _along_racks(plan.design, read) else (),
    )
    for note in prices.notes if prices else ():
        say(note)
    if read is not None:
        return _verify(read, bill)
    _write(bill, out, form or _form_of(out))
    return _judged(bill, prices)


def _policy(asked: Cabling | None, design: Design, read: ReadBill | None) -> CablingPolicy | None:
    """What was asked for, else as the design says, else as an old bill states about itself."""
    from topology.bill.policy import CablingPolicy

    if asked is None and read is not None and not (design.bill and design.bill.cabling):
        asked = read.data.get("policy", {}).get("cabling")
    return CablingPolicy(asked) if asked else None


def _spares(asked: tuple[str, ...], design: Design, read: ReadBill | None) -> SparePolicy | None:
    """As of :func:`_policy`."""
    from topology.bill.spares import SparePolicy, read_spares, spares_of

    if asked:
        return read_spares(asked)
    if read is not None and not spares_of(design).rates:
        return SparePolicy(read.data.get("policy", {}).get("spares", {}))
    return None


def _along_racks(design: Design, read: ReadBill | None) -> bool:
    """Whether the design places racks, or an old bill states that it was made with some."""
    stated = read.data.get("policy", {}).get("lengths") if read is not None else None
    return design.placement is not None or stated == "racks"


def _runs(plan: Plan, catalog: Catalog) -> tuple[Run, ...]:
    """Lengths along the racks that the design places, or that are filled by default."""
    from topology.racks.lengths import runs
    from topology.racks.placement import place

    return runs(plan, place(plan, catalog))


def _form_of(out: str) -> str:
    """The form that a file's name ends in; YAML where it says nothing."""
    name = Path(out).name.lower()
    return next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), "yaml")


def _write(bill: Bill, out: str, form: str) -> None:
    from topology.bill.cyclonedx_form import bill_cyclonedx
    from topology.bill.table_forms import bill_csv, bill_markdown
    from topology.bill.yaml_form import bill_json, bill_yaml

    if form == "xlsx":
        from topology.bill.sheet_form import bill_xlsx

        if out == "-" and sys.stdout.isatty():
            raise Refused("a workbook is no text for a terminal; name a file with -o")
        write_bytes_out(bill_xlsx(bill), out)
        return
    forms: dict[str, Callable[[Bill], str]] = {
        "yaml": bill_yaml,
        "csv": bill_csv,
        "md": bill_markdown,
        "json": bill_json,
        "cyclonedx": bill_cyclonedx,
    }
    write_out(forms[form](bill), out)


def _judged(bill: Bill, prices: PriceList | None) -> int:
    """Say what the bill lacks."""
    from tui.reports.analysis import findings_lines

    if bill.complete and not (prices and prices.faults):
        return FINE
    say("The bill is incomplete:" if not bill.complete else "Prices are incomplete:")
    for line in findings_lines(bill.findings):
        say(line)
    return FINDINGS


def _read_bill(name: str) -> ReadBill:
    from topology.bill.reading import read_bill
    from topology.design.loader import MAX_BYTES, decoded

    source = "<stdin>" if name == "-" else name
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(name).open("rb") as opened:
                raw = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(f"{name}: {error.strerror or error}") from None
    except ValueError as error:
        raise Refused(f"{name}: {error}") from None
    if raw.startswith(b"PK\x03\x04"):
        raise Refused(f"{name}: a workbook; bills are read back from YAML, JSON and CSV")
    return read_bill(decoded(raw, source), source)


def _verify(read: ReadBill, bill: Bill) -> int:
    from topology.bill.verifying import differences

    found = differences(read, bill)
    lines = []
    for each in found:
        place = read.source if each.line is None else f"{read.source}:{each.line}"
        note = "" if each.counts else "note: "
        lines.append(f"{place}: {note}{each.where}: {each.text}")
    if bill.prices_sha256 is None and _has_prices(read):
        say(f"{read.source}: prices are not compared; name the lists with --prices")
    differ = sum(each.counts for each in found)
    if not differ:
        lines.append(f"{read.source}: says what the design needs")
    from catalog.plain_text import visible

    write_talk("".join(f"{visible(line)}\n" for line in lines))
    return FINDINGS if differ else FINE


def _has_prices(read: ReadBill) -> bool:
    return any(line["unit_price"] not in (None, "") for line in read.data["lines"])
