"""The history as a list: any step can be gone to, back or forward."""

from __future__ import annotations

from tui.desk import Desk
from tui.questions import Choice


async def show_history(desk: Desk) -> None:
    """List all steps, the present one marked; Enter goes to any."""
    bench = desk.workbench
    if len(bench.steps) == 1:
        desk.say("no steps yet: everything that is changed is listed here", "hint")
        return
    saved = bench.saved_design
    choices = []
    for position, step in enumerate(bench.steps):
        mark = desk.glyphs.closed if position == bench.position else " "
        undone = ", undone" if position > bench.position else ""
        on_disk = desk.session.path is not None and not desk.session.unsaved
        kept = ", saved" if on_disk and step.design is saved else ""
        style = "$text-muted" if undone else ""
        label = step.label if position else "as it was opened"
        choices.append(
            Choice(
                str(position),
                f"{mark} {position:3d}  {label}{kept}{undone}",
                style=style,
            )
        )
    chosen = await desk.choose(
        f"history: step {bench.position} of {len(bench.steps) - 1}",
        choices,
        look=True,
        at=str(bench.position),
    )
    if chosen is not None and int(chosen) != bench.position:
        desk.go_to_step(int(chosen))
