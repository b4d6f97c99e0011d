"""Taking what was found by search: it is previewed, and then one step of the history."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from toposmith.design.edits import Edit
from toposmith.synthesis.ranked_fixes import Fix
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.synthesis.left_out import LeftOut


async def take(designer: Designer, edit: Edit) -> None:
    """Show what an edit gives; Enter makes it, Escape leaves all as it is."""
    chosen = await designer.questions.choose(
        "make this change?",
        [
            Choice("make", edit.label, edit=lambda: edit),
            Choice("leave", "leave the design as it is"),
        ],
    )
    if chosen == "make":
        designer.editing.make(edit)


def take_found(designer: Designer, found: Fix | LeftOut) -> Coroutine[Any, Any, None] | None:
    """Preview a fix, or what can be left out; one that changes no design is measured at once."""
    if isinstance(found, Fix) and found.design == designer.editing.design:
        routing = designer.measurement.routing_edit(found.request)
        if routing is not None:
            return take(designer, routing)
        measure_so(designer, found.request, found.label)
        return None
    return take(designer, found.edit)


def measure_so(designer: Designer, request: Request, label: str) -> None:
    """Measure with another setting of the cluster; of these a design keeps its routing alone."""
    before = designer.editing.design
    designer.measurement.measure(request)
    if designer.editing.design == before:
        words = f"measured with {label}; the design is as it was, M shows the setting"
        designer.messages.say(words)
