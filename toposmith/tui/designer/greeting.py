"""What is said when a design is opened: what is wrong first, then what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.text import counted, first_sentence
from toposmith.tui.actions.every_action import action
from toposmith.tui.keeping.recovery import rescued_designs
from toposmith.tui.keeping.session import Session, is_same_file

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.widgets.message_line import MessageTone

FOR_REVIEW = (
    "open for review: f lists the findings, i shows a part, m the next collective, v the curve"
)


def opening_words(
    designer: Designer, greeting: str, no_room: str, width: int
) -> tuple[str, MessageTone]:
    """The words and their tone; none where something was said when the design was shown.

    Parameters
    ----------
    designer : Designer
        With the design that was opened.
    greeting : str
        What is said of how it was chosen; may be empty.
    no_room : str
        What has no room on a small terminal; empty on others.
    width : int
        Cells that the words may take.
    """
    session, faults = designer.editing.session, designer.editing.workbench.catalog.faults
    design = session.design
    if faults:
        found = f"{counted(len(faults), 'fault')} in part files (f lists them): {faults[0]}"
        return found, "minded"
    if designer.review.file.first_fault:
        return "", "hint"
    if greeting or designer.editing.read_only:
        return greeting or FOR_REVIEW, "done"
    if not design.groups:
        return "an empty canvas: a adds the first part, ? says what else can be done", "hint"
    if _has_unsaved_twin(session):
        return "an earlier run left unsaved work of this file: W lists it", "minded"
    if no_room:
        return no_room, "hint"
    if designer.panels.canvas.whole:
        return f"names and counts; {action('whole').key_words} shows parts and figures", "hint"
    if design.note:
        return first_sentence(design.note, width), "hint"
    if not designer.panels.canvas.fits:
        return f"{action('whole').key_words} shows the whole design, arrows walk on it", "hint"
    return "", "hint"


def _has_unsaved_twin(session: Session) -> bool:
    path = session.path
    return path is not None and any(
        is_same_file(rescued.origin, path) for rescued in rescued_designs() if rescued.origin
    )
