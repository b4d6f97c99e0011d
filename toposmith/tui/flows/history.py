"""The history as a list: any step can be returned to, back or forward."""

from __future__ import annotations

from functools import partial

from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice

FIGURE_WIDTH = 9
"""Cells of a figure in the list."""


async def show_history(designer: Designer) -> None:
    """List all steps with their figures, the present one marked; Enter goes to any."""
    bench = designer.editing.workbench
    if len(bench.steps) == 1:
        designer.messages.say("no steps yet: everything that is changed is listed here", "hint")
        return
    title = f"history: step {bench.position} of {len(bench.steps) - 1}"
    chosen = await designer.measurement.choose_step(title, partial(_listed, designer))
    if chosen is not None and int(chosen) != bench.position:
        designer.editing.go_to_step(int(chosen))


def _listed(designer: Designer) -> list[Choice]:
    """All steps as they are now, with the figures that are known."""
    bench = designer.editing.workbench
    choices = []
    for position, step in enumerate(bench.steps):
        mark = designer.glyphs.closed if position == bench.position else " "
        undone = ", undone" if position > bench.position else ""
        on_disk = designer.editing.session.path is not None and not designer.editing.session.unsaved
        kept = ", saved" if on_disk and step.design is bench.saved_design else ""
        style = "$text-muted" if undone else ""
        figure = designer.measurement.step_words(step).rjust(FIGURE_WIDTH)
        label = step.label if position else "as it was opened"
        text = f"{mark} {position:3d}  {figure}  {label}{kept}{undone}"
        choices.append(Choice(str(position), text, style=style))
    return choices
