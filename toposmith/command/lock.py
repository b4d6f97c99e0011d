"""`lock`: ports, labels and places of a design, bound in a file beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    catalog_option,
    load_parts,
    say,
    write_talk,
)
from toposmith.command.order_options import Ordered, ordering_options
from toposmith.design.stored_files import load_file
from toposmith.errors import LockError
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.binding import lock_path, read_binding
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_file import lock_text
from toposmith.lock.settling import read_united, settled
from toposmith.racks.placement import require_few
from toposmith.review.findings.ports import not_of_design
from toposmith.text import counted
from toposmith.whole_files import replace_whole

if TYPE_CHECKING:
    from toposmith.lock.binding import Binding
    from toposmith.lock.keeping import KeptFabric
    from toposmith.lock.lock_file import FabricLock


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE")
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
@ordering_options
@catalog_option
def lock(file: str, force: bool, base: str | None, ordered: Ordered) -> int:
    """Bind the ports, labels and places of FILE in a lock beside it.

    FILE.yaml gets FILE.lock. From then on schedule, labels, elevations and what is exported of
    them keep what is bound, and place only what is new; the lock is written anew with what is new
    then. Addresses of an address plan are not bound.
    Exit code 1 where a device has no port left for a cable.
    """
    if not Path(file).is_file():
        raise Refused(
            f"{file}: found no file, expected a design of your own with a place for a lock"
        )
    design, parts = load_file(file).design, load_parts()
    path, before = lock_path(Path(file)), design.binding
    if path == Path(file):
        raise Refused(f"{file}: is called like a lock; call the design {Path(file).stem}.yaml")
    if base is not None:
        return _settle(before, base, EvaluatedDesign(design.bound_to(None), parts))
    if before is not None:
        _require_usable(before, force)
        if before.lock is None:
            design = design.bound_to(None)
    evaluated = EvaluatedDesign(design, parts, terms=ordered.terms(design, parts))
    require_few(evaluated.plan)
    if before is not None and before.lock is not None and not_of_design(evaluated.plan):
        if not force:
            raise Refused(
                f"{path}: is the lock of another design: none of its devices is in {file}; "
                "rename its groups where the design renamed them, or say --force to write it anew"
            )
        evaluated = EvaluatedDesign(design.bound_to(None), parts, terms=evaluated.terms)
    bound = lock_of(evaluated)
    _write(path, bound, before)
    write_talk(
        f"{path}: {counted(len(bound.devices), 'device')}, "
        f"{counted(len(bound.cables), 'connection')}"
        f"{_beside(evaluated.planned.kept(evaluated.terms))}\n"
    )
    short = [one for one in evaluated.schedule.findings if one.severity == "error"]
    for finding in short:
        say(f"{finding.where}: {finding.text}")
    return FINDINGS if short else FINE


def _write(path: Path, bound: FabricLock, before: Binding | None) -> None:
    """Write a lock in one step, unless its file has changed since it was read."""
    if before is not None and read_binding(path).text != before.text:
        raise Refused(f"{path}: has changed meanwhile; try again")
    try:
        replace_whole(path, lock_text(bound).encode("utf-8"))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None


def _settle(before: Binding | None, base: str, design: EvaluatedDesign) -> int:
    """Unite both sides of a merge, say what was twice, and write the lock."""
    if before is None or not before.text:
        raise Refused("--settle goes with a lock that is there")
    older = read_binding(Path(base))
    if older.lock is None:
        raise Refused("\n".join(f"{base}: {fault}" for fault in older.faults))
    try:
        united = read_united(before.text)
    except LockError as error:
        raise Refused(f"{before.source}: {error}") from None
    heights = {
        design.plan.groups[name].spec.part: device.units
        for name, device in design.placement.devices.items()
    }
    result, clashes = settled(united, older.lock, heights)
    _write(Path(before.source), result, before)
    for clash in clashes:
        say(clash.said)
    write_talk(
        f"{before.source}: {counted(len(result.cables), 'connection')}, "
        f"{len(clashes):,} said twice and put right\n"
    )
    return FINE


def _require_usable(binding: Binding, force: bool) -> None:
    """Refuse to write over a lock that cannot be used: what is bound in it would be lost."""
    if binding.faults and not force:
        faults = [f"{binding.source}: {fault}" for fault in binding.faults]
        raise Refused("\n".join([*faults, "nothing is written; say --force to write it anew"]))


def _beside(kept: KeptFabric | None) -> str:
    """What became of the lock before."""
    if kept is None:
        return ""
    changed = f"{kept.kept:,} kept, {kept.moved:,} moved, {kept.laid:,} new, {kept.pulled:,} gone"
    return f": {changed}"
