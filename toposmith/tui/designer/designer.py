"""The collaborators of the main screen by name: flows and actions take from it what they need."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposmith.tui.designer.chosen_parts import Parts
    from toposmith.tui.designer.editing import Editing
    from toposmith.tui.designer.keys import Keys
    from toposmith.tui.designer.measurement import Measurement
    from toposmith.tui.designer.messages import Messages
    from toposmith.tui.designer.panels import Panels
    from toposmith.tui.designer.review import ReviewBeside
    from toposmith.tui.designer.selection import CanvasSelection
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.screens.workspace import Workspace
    from toposmith.tui.widgets.export_jobs import ExportJobs
    from toposmith.tui.widgets.question_panel import QuestionPanel

Flow = Coroutine[Any, Any, object]
"""A coroutine that may ask questions."""


@dataclass(frozen=True)
class Designer:
    """The parts of the main screen and their tasks.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to write with.
    editing : Editing
        The design with its history, file and journal.
    measurement : Measurement
        Its figures, findings and workload, live.
    selection : CanvasSelection
        What is selected, marked, moved, picked.
    review : ReviewBeside
        What reviewers say, and what the design is compared with.
    parts : Parts
        The parts: judged, viewed, compared.
    panels : Panels
        Which panels and views are seen.
    questions : QuestionPanel
        Asks questions and offers choices.
    messages : Messages
        Says what happened.
    keys : Keys
        Which keys count.
    exports : ExportJobs
        Writes files beside the screen.
    workspace : Workspace
        What lies around the design: other designs, dialogs, clipboard, the start, the end.
    """

    glyphs: Glyphs
    editing: Editing
    measurement: Measurement
    selection: CanvasSelection
    review: ReviewBeside
    parts: Parts
    panels: Panels
    questions: QuestionPanel
    messages: Messages
    keys: Keys
    exports: ExportJobs
    workspace: Workspace
