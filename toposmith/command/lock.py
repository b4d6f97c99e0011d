"""`lock`: ports, labels and places bound in a file; what other commands ask of such a file."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.cancellation import Stopped
from toposmith.command.design_input import read_design, read_design_or_revision
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    INTERRUPTED,
    GroupedCommand,
    Refused,
    load_parts,
    say,
    write_data,
    write_json,
    write_talk,
)
from toposmith.command.options import (
    AskedFloor,
    Ordered,
    floor_option,
    measuring_options,
    price_options,
    request_of,
)
from toposmith.command.patience import KeepsWhatIsDone
from toposmith.design.document import Design
from toposmith.design.edits.bound_devices import told_binding
from toposmith.design.stored_files import load_file
from toposmith.documents.aligned_text import listed
from toposmith.errors import EditError, LockError
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.acts_in_words import change_as_data, change_csv, change_page, change_table
from toposmith.lock.binding import Binding, lock_path, read_binding, write_lock
from toposmith.lock.change_plan import begun_at, change_to, require_cabled
from toposmith.lock.clashes import MOST_SAID
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_file import LockedDevice, lock_text, read_lock
from toposmith.lock.settling import merged, settled, united_text
from toposmith.racks.placement import require_few
from toposmith.review.findings.locks import added_by_both, misfits, not_of_design, renamed_by_hand
from toposmith.review.report.pages import page_html
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.fabric.plan import Plan
    from toposmith.lock.keeping import KeptFabric
    from toposmith.lock.lock_file import FabricLock


Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def renamed_option(command: Decorated) -> Decorated:
    """Give a command the option by which it is told what was renamed by hand."""
    return click.option(
        "--renamed",
        metavar="OLD=NEW",
        multiple=True,
        help="A group or an axis of the lock that was renamed by hand; OLD= where it is gone.",
    )(command)


def told_names(design: Design, renamed: tuple[str, ...]) -> Design:
    """The design with the names in its lock that it has now, by the option.

    Raises
    ------
    click.BadParameter
        Where the option is not written as OLD=NEW.
    """
    for one in renamed:
        old, sign, new = one.partition("=")
        if not sign or not old:
            raise click.BadParameter(f"found {one!r}, expected OLD=NEW", param_hint="--renamed")
        if new:
            design = design.bound_to(told_binding(design, old, new))
    return design


def require_names(file: str, plan: Plan, parts: Catalog, renamed: tuple[str, ...]) -> None:
    """Refuse the lock of another design, and to guess what was renamed or what is odd in it.

    Raises
    ------
    Refused
        With each name of the lock that the design does not have, and each port or rate that no
        part has.
    """
    binding = plan.design.binding
    told = {one.partition("=")[0] for one in renamed}
    asked = [one for one in renamed_by_hand(plan) if one.old not in told]
    if binding is not None and not_of_design(plan) and (asked or not renamed):
        raise Refused(
            f"{binding.source}: is the lock of another design: none of its devices is in {file}; "
            "put the right one there, or say --renamed OLD=NEW for each group that was renamed by "
            "hand; `lock --force` writes it anew"
        )
    if asked and binding is not None:
        raise Refused(
            "\n".join(
                f"{binding.source}: line {binding.line_of('d', *one.device)}: {one.what} {one.old} "
                f"is not in {file}, and the lock says nothing of {' or '.join(one.new)}: say "
                f"--renamed {one.old}={one.new[0]} where that is the same, --renamed {one.old}= "
                "where it is gone"
                for one in asked
            )
        )
    odd = [one for one in misfits(plan, parts) if one.code.startswith("lock-odd-")]
    if odd:
        raise Refused("\n".join(f"{one.text}; {one.fix}" for one in odd))
    if binding is not None:
        _say_twice(binding)


def _say_twice(binding: Binding) -> None:
    """Say what both branches of the merge at hand added alike."""
    for one in added_by_both(binding):
        say(f"{one.text}; {one.fix}")


def place_of_lock(file: str) -> Path:
    """Where the lock of a design file is or would be.

    Raises
    ------
    Refused
        Where the design has no file of its own.
    """
    if not Path(file).is_file():
        raise Refused(
            f"{file}: found no file, expected a design of your own with a place for a lock"
        )
    path = lock_path(Path(file))
    if path == Path(file):
        raise Refused(f"{file}: is called like a lock; call the design {Path(file).stem}.yaml")
    return path


def require_usable(binding: Binding, force: bool) -> None:
    """Refuse to write over a lock that cannot be used: what is bound in it would be lost.

    Raises
    ------
    Refused
        With every fault of the lock.
    """
    if binding.faults and not force:
        faults = [f"{binding.source}: {fault}" for fault in binding.faults]
        raise Refused("\n".join([*faults, "nothing is written; say --force to write it anew"]))


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE", required=False)
@click.option(
    "--force", is_flag=True, help="Write anew a lock that cannot be used or is another's."
)
@click.option(
    "--settle",
    "base",
    metavar="BASE",
    help="Unite both sides of a merge that git left in the lock, against the lock BASE from which "
    "they began: the newer line gives way.",
)
@click.option(
    "--merge",
    "sides",
    metavar="BASE OURS THEIRS",
    nargs=3,
    help="Unite the locks of two branches in OURS, as git's merge driver; no FILE.",
)
@renamed_option
@price_options
def lock(
    file: str | None,
    force: bool,
    base: str | None,
    sides: tuple[str, str, str] | None,
    renamed: tuple[str, ...],
    ordered: Ordered,
) -> int:
    """Bind the ports, labels and places of FILE in a lock next to it.

    FILE.yaml gets FILE.lock. From then on schedule, labels, elevations and what is exported of
    them keep what is bound, and place only what is new; the lock is written anew with what is new
    then. Addresses of an address plan are not bound.
    Exit code 1 where a device has no port left for a cable.
    """
    if sides is not None:
        if file or base or force:
            raise Refused("--merge goes with BASE, OURS and THEIRS only")
        return _merge(*sides)
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    path = place_of_lock(file)
    design, parts = load_file(file).design, load_parts()
    before = design.binding
    if base is not None:
        return _settle(before, base, EvaluatedDesign(design.bound_to(None), parts))
    if before is not None:
        require_usable(before, force)
        design = design.bound_to(None) if before.lock is None else told_names(design, renamed)
    evaluated = EvaluatedDesign(design, parts, terms=ordered.terms(design, parts))
    require_few(evaluated.plan)
    if not force:
        require_names(file, evaluated.plan, parts, renamed)
    elif not_of_design(evaluated.plan):
        evaluated = EvaluatedDesign(design.bound_to(None), parts, terms=evaluated.terms)
    bound = lock_of(evaluated)
    write_lock(path, lock_text(bound), {before.text} if before is not None else ())
    write_talk(
        f"{path}: {counted(len(bound.devices), 'device')}, "
        f"{counted(len(bound.cables), 'connection')}"
        f"{_beside(evaluated.planned.kept(evaluated.terms))}\n"
    )
    short = [one for one in evaluated.schedule.findings if one.severity == "error"]
    for finding in short:
        say(f"{finding.where}: {finding.text}")
    return FINDINGS if short else FINE


def _settle(before: Binding | None, base: str, design: EvaluatedDesign) -> int:
    """Unite both sides of a merge, say what was twice, and write the lock."""
    if before is None or not before.text:
        raise Refused("--settle goes with a lock that is there")
    older = _lock_at(base)
    try:
        united = read_lock(united_text(before.text))
    except LockError as error:
        raise Refused(f"{before.source}: {error}") from None
    heights = {
        design.plan.groups[name].spec.part: device.units
        for name, device in design.placement.devices.items()
    }
    result, clashes = settled(united, older, heights)
    write_lock(Path(before.source), lock_text(result), {before.text})
    for clash in clashes:
        say(clash.said)
    _say_twice(before)
    write_talk(
        f"{before.source}: {counted(len(result.cables), 'connection')}, "
        f"{len(clashes):,} said twice and put right\n"
    )
    return FINE


def _lock_at(file: str) -> FabricLock:
    """The lock of a file, even where it says something twice; refused where it cannot be read."""
    binding = read_binding(Path(file))
    if binding.fault:
        raise Refused(f"{file}: {binding.fault}")
    try:
        return read_lock(binding.text)
    except LockError as error:
        raise Refused(f"{file}: {error}") from None


def _merge(base: str, ours: str, theirs: str) -> int:
    """Unite the locks of two branches, say what both did, and write the lock in place of ours."""
    locks = [_lock_at(file) for file in (base, ours, theirs)]
    heights = {part.id: ceil(part.rack_units) for part in load_parts() if part.rack_units}
    result, clashes, same = merged(locks[0], locks[1], locks[2], heights)
    write_lock(Path(ours), lock_text(result), {read_binding(Path(ours)).text})
    for clash in clashes[:MOST_SAID]:
        say(clash.said)
    if clashes:
        say(f"{len(clashes):,} said twice and put right; toposmith lock FILE places what went")
    devices = sum(isinstance(line, LockedDevice) for line in same)
    if devices:
        say(
            f"both branches added the same {counted(devices, 'device')} and "
            f"{counted(len(same) - devices, 'connection')}: they are in the lock once; if two sets "
            "are meant, add the second to the design"
        )
    return FINE


def _beside(kept: KeptFabric | None) -> str:
    """What became of the lock before."""
    if kept is None:
        return ""
    changed = f"{kept.kept:,} kept, {kept.moved:,} moved, {kept.laid:,} new, {kept.pulled:,} gone"
    return f": {changed}"


# `change`: what to do from what lies there to what is drawn.


@click.command(cls=GroupedCommand)
@click.argument("files", metavar="[OLD] FILE", nargs=-1, required=True)
@floor_option
@renamed_option
@measuring_options
@price_options
@click.option("--csv", "as_csv", is_flag=True, help="Write every act as a line of CSV.")
@click.option("--html", "as_html", is_flag=True, help="Write a page to print, a box at each act.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def change(
    files: tuple[str, ...],
    floor: AskedFloor,
    renamed: tuple[str, ...],
    ordered: Ordered,
    as_csv: bool,
    as_html: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Write the change order from the lock of FILE, or from OLD, to FILE as it is now.

    Cables to pull, connect and move by one end, devices to add, replace and take out, in steps
    that keep the cluster running, with the figures after each and meanwhile, and what to buy.
    Exit code 1 where a --floor does not hold, or a cable finds no port.
    """
    if len(files) > 2 or files == ("-", "-"):
        raise click.BadParameter("give FILE, or OLD and FILE", param_hint="FILE")
    if as_csv + as_html + as_json > 1:
        raise click.BadParameter("choose one of --csv, --html and --json", param_hint="--csv")
    design, parts = read_design(files[-1]), load_parts()

    def evaluated(name: str, drawn: Design) -> EvaluatedDesign:
        request = request_of(name, drawn, **asked)
        found = EvaluatedDesign(drawn, parts, request, terms=ordered.terms_as_read(drawn, parts))
        try:
            require_cabled(found)
        except EditError as fault:
            raise Refused(f"{name}: {fault}") from None
        return found

    new = evaluated(files[-1], design)
    if len(files) > 1:
        old = evaluated(files[0], read_design_or_revision(files[0]))
        new = begun_at(new, files[0], old)
    else:
        _require_lock(files[0], design.binding)
        new = evaluated(files[0], told_names(design, renamed))
        require_names(files[0], new.plan, parts, renamed)
    with KeepsWhatIsDone() as limit:
        try:
            plan = change_to(new, floor[0], least_gpus=floor[1], limit=limit)
        except Stopped:
            raise KeyboardInterrupt from None  # there is no result to keep yet
    if not plan.complete:
        say("interrupted: the figures worked out until then")
    if as_csv or as_html or as_json:
        for fault in plan.faults:
            say(fault)
    if as_csv:
        write_data(change_csv(plan))
    elif as_html:
        write_data(page_html(change_page(plan)))
    elif as_json:
        write_json(change_as_data(plan))
    else:
        write_talk(listed(design.name or files[-1], change_table(plan)))
    if not plan.complete:
        return INTERRUPTED
    return FINE if plan.holds and not plan.faults else FINDINGS


def _require_lock(file: str, binding: Binding | None) -> None:
    """Refuse where nothing says what lies there."""
    if binding is None:
        raise Refused(
            f"{file}: has no lock that says what lies there; `toposmith lock {file}` writes one, "
            f"or give the design of before: toposmith change OLD {file}"
        )
    if binding.lock is None:
        raise Refused("\n".join(f"{binding.source}: {fault}" for fault in binding.faults))
