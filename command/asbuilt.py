"""`asbuilt`: what is really cabled, against the plan."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposmith.command.edge import FINDINGS, FINE, Refused, read_design, write_data, write_talk
from toposmith.command.loading import catalog_option, load_parts

if TYPE_CHECKING:
    from toposmith.topology.as_built.cabling import Cabling
    from toposmith.topology.as_built.name_maps import NameMap
    from toposmith.topology.evaluation.evaluated import EvaluatedDesign


@click.command()
@click.argument("plan", metavar="PLAN")
@click.argument("dumps", metavar="DUMP", nargs=-1)
@click.option(
    "--also",
    "more",
    metavar="FILE",
    multiple=True,
    help="A further sheet of the plan, such as the NDT of the switches; may be repeated.",
)
@click.option(
    "--map", "names", metavar="FILE", help="What the dump calls each device: found, planned."
)
@click.option("--no-cost", is_flag=True, help="Leave out what differences cost.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def asbuilt(
    plan: str,
    dumps: tuple[str, ...],
    more: tuple[str, ...],
    names: str | None,
    no_cost: bool,
    as_json: bool,
) -> int:
    """Compare what is really cabled with a plan: a design, or a sheet of cables.

    DUMP is what a fabric manager or switches say: ibnetdiscover, iblinkinfo, UFM, LLDP, NetBox.
    Without one, PLAN is taken for a dump, and what it shows by itself is said. Exits 0 where both
    are the same, 1 where they differ, 2 where one cannot be read.
    """
    from toposmith.topology.as_built.comparing import compare
    from toposmith.topology.as_built.matching import match

    if [plan, *dumps, *more].count("-") > 1:
        raise Refused("stdin can be read once only: give one - at most")
    if not dumps:
        return _alone(plan, as_json)
    given = _map(names) if names else None
    planned, design = _plan(plan, more)
    found = _dump(dumps)
    matched, wires = match(planned, found, given)
    compared = compare(matched, wires)
    costs, why_not = None, ""
    if no_cost:
        why_not = "not asked for"
    elif design is None:
        from toposmith.topology.as_built.costs import NO_DESIGN

        why_not = NO_DESIGN
    else:
        from toposmith.topology.as_built.costs import work_out
        from toposmith.topology.evaluation.evaluated import COLLECTIVES

        costs = work_out(design, compared, COLLECTIVES)
    if as_json:
        import json

        from toposmith.topology.as_built.as_data import comparison_data

        write_data(json.dumps(comparison_data(compared, costs, why_not), indent=2) + "\n")
    else:
        from toposmith.command.reports.as_built import as_built_report

        write_talk(as_built_report(compared, costs, why_not))
    return FINE if compared.same else FINDINGS


def _alone(file: str, as_json: bool) -> int:
    """What a dump shows by itself."""
    from toposmith.topology.as_built.irregularities import irregularities

    dump = _dump((file,))
    found = irregularities(dump)
    if as_json:
        import json

        data = {
            "dump": dump.source,
            "form": dump.form,
            "devices": len(dump.devices),
            "cables": {"found": len(dump.cables)},
            "irregularities": found,
            "ignored": dict(dump.ignored),
            "notes": dump.notes,
        }
        write_data(json.dumps(data, indent=2) + "\n")
    else:
        from toposmith.command.reports.as_built import alone_report

        write_talk(alone_report(dump, found))
    return FINDINGS if found else FINE


def _plan(plan: str, more: tuple[str, ...]) -> tuple[Cabling, EvaluatedDesign | None]:
    """The plan's cables, and the design where it is one."""
    from toposmith.command.edge import path_of
    from toposmith.topology.as_built.reading.recognising import read_files

    if plan == "-" or path_of(plan).suffix not in (".yaml", ".yml"):
        return read_files([_bytes(one) for name in (plan, *more) for one in _named(name)]), None
    if more:
        raise Refused("--also goes with a plan that is a sheet of cables")
    from toposmith.topology.as_built.planned import planned_cabling
    from toposmith.topology.evaluation import EvaluatedDesign

    design = EvaluatedDesign(read_design(plan), load_parts())
    planned = planned_cabling(design, plan)
    if not planned.cables:
        raise Refused(f"{plan}: the design has no cables to compare; see toposmith check {plan}")
    return planned, design


def _dump(dumps: tuple[str, ...]) -> Cabling:
    from toposmith.topology.as_built.reading.recognising import read_files

    return read_files([_bytes(one) for name in dumps for one in _named(name)])


def _named(name: str) -> list[str]:
    """The file of this name, or all files that a pattern in quotes means."""
    if name == "-" or Path(name).exists() or not any(sign in name for sign in "*?["):
        return [name]
    from glob import glob

    found = sorted(glob(name, recursive=True))  # noqa: PTH207 (patterns may be absolute)
    if not found:
        raise Refused(f"{name}: no file is called like that")
    return found


def _bytes(file: str) -> tuple[str, bytes]:
    from toposmith.topology.as_built.reading.recognising import MAX_BYTES, read_path

    if file == "-":
        return "<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_path(Path(file))


def _map(file: str) -> NameMap:
    from toposmith.topology.as_built.name_maps import read_map
    from toposmith.topology.as_built.reading.recognising import decoded

    source, raw = _bytes(file)
    return read_map(source, decoded(source, raw))
