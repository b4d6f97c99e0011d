"""`asbuilt`: what is really cabled, against the plan."""

from __future__ import annotations

import sys
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.analysis.jobs.job_list import read_jobs
from toposmith.as_built.acceptance import accept
from toposmith.as_built.brown_field import design_from
from toposmith.as_built.check_list import FORMS, check_list, written
from toposmith.as_built.comparison_json import comparison_data
from toposmith.as_built.costs import NO_DESIGN, as_built_design, costs_of, names_of
from toposmith.as_built.machines import compared_machine
from toposmith.as_built.name_maps import read_map
from toposmith.as_built.planned import planned_cabling
from toposmith.as_built.reading.file_formats import (
    MAX_BYTES,
    decoded,
    machines_of,
    read_files,
    read_path,
)
from toposmith.as_built.regularity import irregularities
from toposmith.as_built.survey import compare_with_design, progress
from toposmith.command.design_input import design_name, read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    path_of,
    refuse,
    require_free,
    say,
    write_either,
    write_json,
    write_out,
    write_talk,
)
from toposmith.command.lock import place_of_lock, require_usable
from toposmith.command.patience import doing
from toposmith.command.reports.as_built import alone_report, as_built_report, machines_report
from toposmith.design.stored_files import save_bytes
from toposmith.design.writer import design_text
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.evaluated import COLLECTIVES
from toposmith.lock.binding import write_lock
from toposmith.lock.lock_file import lock_text
from toposmith.racks.placement import require_few

if TYPE_CHECKING:
    from toposmith.as_built.cable_list import Cabling
    from toposmith.as_built.cabling_comparison import CablingComparison
    from toposmith.as_built.check_list import CheckItem
    from toposmith.as_built.costs import Costs, Jobs
    from toposmith.as_built.name_maps import NameMap


MOST_LEFT_OUT = 12
"""Cables that cannot be in a lock, said one by one."""

_FROM_DUMP_TO_DONE = """
\b
ibnetdiscover > monday.out                      what is cabled
asbuilt pod.yaml monday.out                     what differs, what each costs
asbuilt pod.yaml monday.out --list todo.html    what to do, rack by rack
asbuilt pod.yaml monday.out -o built.yaml       the fabric as found, a design
asbuilt pod.yaml friday.out --since monday.out  what was put right
asbuilt pod.yaml friday.out --accept            what lies there is the lock
"""


@click.command(
    cls=GroupedCommand,
    epilog=_FROM_DUMP_TO_DONE,
)
@click.argument("plan", metavar="[PLAN]", required=False)
@click.argument("dumps", metavar="[DUMP]...", nargs=-1)
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
@click.option(
    "--since",
    "earlier",
    metavar="DUMP",
    multiple=True,
    help="An earlier dump: say what was put right since; may be repeated for its files.",
)
@click.option(
    "--job",
    "texts",
    metavar="JOB",
    multiple=True,
    help="Who runs where, in place of the design's jobs: which a slow cable gates; may repeat.",
)
@click.option(
    "--list",
    "lists",
    metavar="FILE",
    multiple=True,
    help="Write the check list: .txt, .csv, .xlsx or .html; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    callback=design_name,
    help="Write the fabric as built, a design, to OUT.",
)
@click.option("--force", is_flag=True, help="Replace OUT and FILE if they are there.")
@click.option(
    "--design-from",
    "sources",
    metavar="DUMP",
    multiple=True,
    help="Without a PLAN: write a design of what DUMP shows to OUT; may be repeated.",
)
@click.option(
    "--part",
    "parts",
    metavar="GROUP=PART",
    multiple=True,
    help="With --design-from: the part of node, leaf, spine or core; nic for open slots.",
)
@click.option(
    "--write-map",
    "map_out",
    metavar="FILE",
    help="With --design-from: write which device is which, for --map.",
)
@click.option(
    "--accept", "accepts", is_flag=True, help="Make what DUMP shows the lock of PLAN, a design."
)
@click.option(
    "--shows-all", is_flag=True, help="With --accept: what is bound and not in DUMP is gone."
)
@click.option("--no-cost", is_flag=True, help="Leave out what differences cost.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def asbuilt(
    plan: str | None,
    dumps: tuple[str, ...],
    more: tuple[str, ...],
    names: str | None,
    earlier: tuple[str, ...],
    texts: tuple[str, ...],
    lists: tuple[str, ...],
    out: str | None,
    force: bool,
    sources: tuple[str, ...],
    parts: tuple[str, ...],
    map_out: str | None,
    accepts: bool,
    shows_all: bool,
    no_cost: bool,
    as_json: bool,
) -> int:
    """Compare what is really cabled with a plan: a design, or a sheet of cables.

    DUMP is what a fabric manager or switches say: ibnetdiscover, iblinkinfo, UFM, LLDP, NetBox; or
    what a node says of its inside, nvidia-smi topo -m and nvlink -s, compared with its part.
    Without one, PLAN is taken for a dump, and what it shows by itself is said. Exits 0 where the
    fabric works as planned, 1 where a difference does harm, 2 where one cannot be read.
    """
    besides = more or earlier or texts or lists
    refuse(
        (
            sources and (plan or dumps or names or besides or as_json),
            Refused("--design-from goes with --part, -o, --write-map and --force only"),
        ),
        (
            not sources and (parts or map_out),
            Refused("--part and --write-map go with --design-from"),
        ),
        (
            not sources and plan is None,
            click.UsageError("Missing argument 'PLAN'; or --design-from DUMP for a design of it."),
        ),
        (
            [plan, *dumps, *more, *earlier].count("-") > 1,
            Refused("stdin can be read once only: give one - at most"),
        ),
        (
            (accepts or shows_all) and (not dumps or besides or out or as_json or not accepts),
            Refused("--accept goes with a PLAN, a DUMP, --map and --shows-all only"),
        ),
        (
            not sources and not dumps and (out or lists or earlier or texts),
            Refused("-o, --list, --since and --job go with a PLAN and a DUMP"),
        ),
    )
    if plan is None:
        return _design_from(sources, parts, out or "-", map_out, force)
    if accepts:
        return _accept(plan, dumps, names, shows_all)
    if not dumps:
        return _alone(plan, as_json)
    for file in (*lists, *([out] if out else [])):
        require_free(file, force, plan, *dumps, *more, *earlier)
    forms = [_form(file) for file in lists]
    if out == "-" and as_json:
        raise Refused("--json and -o - both write to stdout: give -o a file")
    given = _map(names) if names else None
    planned, design = _plan(plan, more)
    files, machines = _machines(dumps, planned, design)
    if not files:
        if out or lists or earlier or texts:
            raise Refused("-o, --list, --since and --job go with a DUMP of cables")
        same = not any(one["differences"] for one in machines)
        write_either(
            as_json,
            lambda: {"plan": plan, "same": same, "machines": machines},
            lambda: machines_report(machines),
        )
        return FINE if same else FINDINGS
    if out and design is None:
        raise Refused(
            f"{plan} is a list of cables: what is built can be a design where PLAN is one"
        )
    jobs = _jobs(texts, design, plan)
    compared = compare_with_design(design, planned, read_files(files), given)
    since = None
    if earlier:
        before = compare_with_design(design, planned, _dump(earlier), given)
        since = progress(before, compared)
    costs, why_not = None, ""
    if no_cost:
        why_not = "not requested"
    elif design is None:
        why_not = NO_DESIGN
    else:
        with doing("working out what differences cost"):
            costs = costs_of(design, compared, COLLECTIVES)
    items = check_list(compared, costs, None if since is None else since.new, jobs)
    for file, form in zip(lists, forms, strict=True):
        _write_list(file, form, items, costs, f"{plan}: check list, {compared.dump.source}")
    if design is not None and out:
        _write_design(design, compared, costs, out)
    if as_json:
        data = comparison_data(compared, costs, why_not, since, jobs)
        write_json(data | {"machines": machines})
    elif out != "-":
        report = as_built_report(compared, costs, items, why_not, since)
        write_talk("\n".join(filter(None, (report, machines_report(machines)))))
    differ = any(one["differences"] for one in machines)
    return FINE if compared.same and not differ else FINDINGS


def _design_from(
    sources: tuple[str, ...], parts: tuple[str, ...], out: str, map_out: str | None, force: bool
) -> int:
    """A design of what a dump shows; exits 1 where that is not all of it."""
    for file in (out, *([map_out] if map_out else [])):
        require_free(file, force, *sources)
    chosen: dict[str, str] = {}
    for one in parts:
        group, equals, part = one.partition("=")
        if not equals or not part.strip() or group.strip() in chosen:
            raise Refused(f"--part {one}: write each group once, as in leaf=qm9700")
        chosen[group.strip()] = part.strip()
    made = design_from(_dump(sources), chosen, load_parts())
    write_out(design_text(made.design), out)
    if map_out:
        lines = ["# what the dump calls it = what the design calls it"]
        lines += [f"{found} = {own}" for found, own in made.names.items()]
        write_out("\n".join(lines) + "\n", map_out)
    for note in made.notes:
        say(note)
    return FINDINGS if made.unexplained else FINE


def _accept(plan: str, dumps: tuple[str, ...], names: str | None, shows_all: bool) -> int:
    """Make a dump the lock of a design; exits 1 where a cable of it cannot be in a lock."""
    path = place_of_lock(plan)
    design, parts = read_design(plan), load_parts()
    before = design.binding
    if before is not None:
        require_usable(before, force=False)
    evaluated = EvaluatedDesign(design, parts)
    require_few(evaluated.plan)
    found = accept(evaluated, _dump(dumps), _map(names) if names else None, shows_all=shows_all)
    write_lock(path, lock_text(found.lock), {before.text} if before is not None else ())
    write_talk(f"{path}: {found.words}\n")
    for note in found.notes:
        say(note)
    for left_out in found.left_out[:MOST_LEFT_OUT]:
        say(f"not bound: {left_out}")
    if len(found.left_out) > MOST_LEFT_OUT:
        say(f"not bound: and {len(found.left_out) - MOST_LEFT_OUT:,} more")
    return FINDINGS if found.left_out else FINE


def _jobs(texts: tuple[str, ...], design: EvaluatedDesign | None, plan: str) -> Jobs | None:
    """The nodes of each job, by job name: those given as options, else the design's own."""
    if not (texts or (design is not None and design.design.jobs)):
        return None
    if design is None:
        raise Refused(f"{plan} is a list of cables: --job goes with a PLAN that is a design")
    jobs = read_jobs(texts or design.design.jobs, design.design, design.network.world)
    return {one.name: names_of(design.plan, one.nodes) for one in jobs}


def _form(file: str) -> str:
    """The format of a check list, by the suffix of its file."""
    form = Path(file).suffix.lower().lstrip(".")
    if form not in FORMS:
        endings = ", ".join(f".{one}" for one in FORMS)
        raise Refused(f"{file}: a check list is written to a file that ends in {endings}")
    return form


def _write_list(
    file: str, form: str, items: list[CheckItem], costs: Costs | None, title: str
) -> None:
    save_bytes(file, written(form, items, costs, title))
    say(f"wrote {file}")


def _write_design(
    design: EvaluatedDesign, compared: CablingComparison, costs: Costs | None, out: str
) -> None:
    """Write the fabric as found as a design; stderr lists what a design cannot express."""
    built, correction = as_built_design(design, compared)
    write_out(design_text(built), out)
    for one, why in correction.left_out:
        say(f"not in {out}: {why}: {one.instruction}")


def _alone(file: str, as_json: bool) -> int:
    """What a dump shows by itself."""
    dump = _dump((file,))
    found = irregularities(dump)
    write_either(
        as_json,
        lambda: {
            "dump": dump.source,
            "form": dump.form,
            "devices": len(dump.devices),
            "cables": {"found": len(dump.cables)},
            "irregularities": found,
            "ignored": dict(dump.ignored),
            "notes": dump.notes,
        },
        lambda: alone_report(dump, found),
    )
    return FINDINGS if found else FINE


def _plan(plan: str, more: tuple[str, ...]) -> tuple[Cabling, EvaluatedDesign | None]:
    """The plan's cables, and the design where it is one."""
    if plan == "-" or path_of(plan).suffix not in (".yaml", ".yml"):
        return read_files([_bytes(one) for name in (plan, *more) for one in _named(name)]), None
    if more:
        raise Refused("--also goes with a plan that is a sheet of cables")
    design = EvaluatedDesign(read_design(plan), load_parts())
    planned = planned_cabling(design, plan)
    if not planned.cables:
        raise Refused(f"{plan}: the design has no cables to compare; see toposmith check {plan}")
    return planned, design


def _dump(dumps: tuple[str, ...]) -> Cabling:
    with doing("reading dumps"):
        return read_files(_files(dumps))


def _files(dumps: tuple[str, ...]) -> list[tuple[str, bytes]]:
    return [_bytes(one) for name in dumps for one in _named(name)]


def _machines(
    dumps: tuple[str, ...], planned: Cabling, design: EvaluatedDesign | None
) -> tuple[list[tuple[str, bytes]], list[dict[str, Any]]]:
    """The dumps of cables, and what dumps of machines have otherwise than the design."""
    cables, machines = [], []
    for file in _files(dumps):
        tables = machines_of(*file)
        if not tables:
            cables.append(file)
        elif design is None:
            raise Refused(
                f"{file[0]} is of one machine: PLAN has to be a design, not {planned.source}"
            )
        else:
            parts = planned, design.plan, design.catalog
            machines += [compared_machine(table, *parts) for table in tables]
    return cables, machines


def _named(name: str) -> list[str]:
    """The file of this name, or all files that a quoted pattern matches."""
    if name == "-" or Path(name).exists() or not any(sign in name for sign in "*?["):
        return [name]
    found = sorted(glob(name, recursive=True))  # noqa: PTH207 (patterns may be absolute)
    if not found:
        raise Refused(f"{name}: no file is called like that")
    return found


def _bytes(file: str) -> tuple[str, bytes]:
    if file == "-":
        return "<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_path(Path(file))


def _map(file: str) -> NameMap:
    source, raw = _bytes(file)
    return read_map(source, decoded(source, raw))
