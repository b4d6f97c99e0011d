"""Going to a unit or a device by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.tui.depths.places import NoSuchPlace, read_place
from toposmith.tui.designer.designer import Designer
from toposmith.tui.widgets.question_panel import Question

if TYPE_CHECKING:
    from toposmith.tui.views.depth_view import DepthView


async def go_to_number(designer: Designer, depths: DepthView) -> None:
    """Ask for a unit or device at this depth, and go there."""
    plan, place = depths.plan, depths.place
    if plan is None or place is None:
        return

    def check(text: str) -> str:
        try:
            read_place(plan, place, text)
        except NoSuchPlace as refused:
            return str(refused)
        return ""

    axes = plan.groups[place.group].axes if place.device else tuple(a for a, _ in place.fixed)
    sizes = ", ".join(f"{axis} 0 to {plan.size(axis) - 1}" for axis in axes) or "only this one"
    answer = await designer.questions.ask(
        Question("go to", hint=f"{sizes}; as in 3, or 0,3", check=check)
    )
    if answer is not None:
        depths.go_to(read_place(plan, place, answer))
