"""Taking what was found by search: it is previewed, and then one step of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.design.edits import Edit
from toposmith.synthesis.ranked_fixes import Fix
from toposmith.tui.asking import Act, Asking, FlowOutcome, Here, pick
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.synthesis.left_out import LeftOut


def take(edit: Edit) -> Asking:
    """Show what an edit gives; Enter makes it, Escape leaves all as it is."""
    ways = [Choice("make", edit.label), Choice("leave", "leave the design unchanged")]
    chosen = yield from pick("make this change?", ways)
    return edit if chosen == "make" else None


def take_found(here: Here, found: Fix | LeftOut) -> Asking | FlowOutcome:
    """Preview a fix, or what can be left out; one that changes no design is measured at once."""
    if isinstance(found, Fix) and found.design == here.bench.design:
        routing = here.routing_edit(found.request)
        if routing is not None:
            return take(routing)
        return Act(lambda designer: _measure_so(designer, found.request, found.label))
    return take(found.edit)


def _measure_so(designer: Any, request: Request, label: str) -> None:
    """Measure with another setting of the cluster; of these a design keeps its routing alone."""
    before = designer.editing.design
    designer.measurement.measure(request)
    if designer.editing.design == before:
        words = f"measured with {label}; the design is as it was, M shows the setting"
        designer.messages.say(words)
