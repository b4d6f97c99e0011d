"""A change order: what has to hold, and where it begins; what a design is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposmith.design.stored_files import load_file
from toposmith.errors import DesignFileError, ToposmithError
from toposmith.review.revisions import RevisionError, design_of_revision
from toposmith.saved_designs import saved_path
from toposmith.synthesis.needs import floor_asked, read_floor
from toposmith.tui.asking import (
    Act,
    Asking,
    Asks,
    FlowEnded,
    FlowOutcome,
    Here,
    Say,
    Show,
    TextQuestion,
    Wait,
    ask,
    pick,
)
from toposmith.tui.flows.path_questions import short_path
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.design.document import Design

Other = tuple[str, "Design"] | None
"""Another design and its name; None for the saved version of this one."""


@dataclass(frozen=True)
class Start:
    """Where the steps begin (None: at the lock, else the saved version), and what has to hold."""

    at: Other = None
    floor: Mapping[Collective, float] = field(default_factory=dict)
    least_gpus: int = 0


@dataclass(frozen=True)
class Against:
    """What a design is compared with."""

    other: Other = None


def ask_floor(start: Start) -> Asking:
    """Ask which figures have to hold after every step and meanwhile."""
    floor, least = yield from ask(
        TextQuestion(
            "GB/s of each GPU that have to hold, and GPUs that have to run",
            floor_asked(dict(start.floor), start.least_gpus),
            lambda text: read_floor(text.split()),
            "such as all_to_all=40 gpus=480; nothing to keep three quarters of all cables",
        )
    )
    return Show("change", replace(start, floor=floor, least_gpus=least))


def begin_elsewhere(here: Here, start: Start) -> Asking:
    """Choose the design at which the steps begin."""
    other = yield from another_design(here, "begin at")
    return Show("change", replace(start, at=other))


def compare_with(here: Here) -> Asking:
    """Choose what the design is compared with: its saved version, a file, a revision of git."""
    other = yield from another_design(here, "compare this design with")
    return Show("differences", Against(other))


def turn_to_change(_: Here) -> FlowOutcome:
    """Show the steps from the design that it is compared with; from there, the fabric again."""

    def do(designer: Any) -> None:
        against = designer.panels.asked_of("differences")
        begin = None if against is None or against.other is None else Start(against.other)
        designer.panels.toggle_view("change", begin)

    return Act(do)


def another_design(here: Here, title: str) -> Asks[Other]:
    """A design next to this one; None for the saved version."""
    ways = [
        Choice("saved", "its saved version", "s"),
        Choice("file", "another file", "f"),
        Choice("revision", "a revision of git", "r"),
    ]
    choice = yield from pick(title, ways, leads=True)
    if choice == "saved":
        return None
    if choice == "file":
        session = yield Wait(lambda designer: designer.files.pick())
        return session.path.name, session.design
    path = here.session.path
    proposed = f"HEAD:{short_path(path)}" if path else "HEAD:"
    hint = "REV:PATH, such as HEAD~1:designs/pod.yaml"
    name = yield from ask(TextQuestion("revision and file", proposed, _revision, hint, file=True))
    return name, _read_revision(name)


def _revision(text: str) -> str:
    if ":" not in text:
        raise ToposmithError("write it as REV:PATH")
    return text.strip()


def _read_revision(name: str) -> Design:
    """The design of a revision."""
    try:
        design = design_of_revision(name)
        if design is None:
            path = Path(name)
            design = load_file(path if path.exists() else saved_path(name) or path).design
    except RevisionError as failed:
        raise FlowEnded(Say(str(failed), "failed")) from failed
    except DesignFileError as failed:
        raise FlowEnded(Say(failed.lines()[0], "failed")) from failed
    return design
