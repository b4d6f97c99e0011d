"""The collaborators of the main screen by name: flows and actions take from it what they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.tui.asking import Here

if TYPE_CHECKING:
    from toposmith.tui.designer.chosen_parts import Parts
    from toposmith.tui.designer.editing import Editing
    from toposmith.tui.designer.file_exports import FileExports
    from toposmith.tui.designer.files import DesignFiles
    from toposmith.tui.designer.keys import Keys
    from toposmith.tui.designer.measurement import Measurement
    from toposmith.tui.designer.messages import Messages
    from toposmith.tui.designer.panels import Panels
    from toposmith.tui.designer.review_beside import ReviewBeside
    from toposmith.tui.designer.selection import CanvasSelection
    from toposmith.tui.designer.workspace import Workspace
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.widgets.question_panel import QuestionPanel


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
    exports : FileExports
        Writes files beside the screen.
    files : DesignFiles
        Saves the design, opens others, leaves.
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
    exports: FileExports
    files: DesignFiles
    workspace: Workspace

    @property
    def here(self) -> Here:
        """What a flow may read now."""
        return Here(
            self.editing.workbench,
            self.editing.session,
            self.measurement.wanted_with_saved,
            self.measurement.figures,
            self.glyphs,
            self.measurement.routing_edit,
            self.selection.group,
            self.selection.link,
            self.selection.chosen_groups,
            self.workspace.copied,
        )
