"""The lock of a design on the command line: where it is, whether it serves, what was renamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.edge import Refused
from toposmith.design.edits.bound_devices import told_binding
from toposmith.lock.binding import lock_path
from toposmith.review.findings.locks import misfits, renamed_by_hand

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.fabric.plan import Plan
    from toposmith.lock.binding import Binding

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


def require_names(file: str, plan: Plan, renamed: tuple[str, ...]) -> None:
    """Refuse to guess whether what was renamed by hand is the same, and where an odd port is.

    Raises
    ------
    Refused
        With each name of the lock that the design does not have, and each port that a part lacks.
    """
    told = {one.partition("=")[0] for one in renamed}
    asked = [one for one in renamed_by_hand(plan) if one.old not in told]
    binding = plan.design.binding
    if asked and binding is not None:
        raise Refused(
            "\n".join(
                f"{binding.source}: line {binding.line_of(one.device)}: {one.what} {one.old} is "
                f"not in {file}, and the lock says nothing of {' or '.join(one.new)}: say "
                f"--renamed {one.old}={one.new[0]} where that is the same, --renamed {one.old}= "
                "where it is gone"
                for one in asked
            )
        )
    odd = [one for one in misfits(plan) if one.code == "lock-odd-port"]
    if odd:
        raise Refused("\n".join(f"{one.text}; {one.fix}" for one in odd))


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
