"""Which flow does which action of the designer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from tui.flows import building, changing, filing, showing

if TYPE_CHECKING:
    from tui.screens.designer_parts import DesignerParts

Handler = Callable[["DesignerParts"], "Coroutine[Any, Any, object] | None"]

HANDLERS: dict[str, Handler] = {
    "add": lambda screen: screen.show_parts(True),
    "fit": building.fit,
    "wire": building.wire,
    "more": lambda screen: changing.step(screen, 1),
    "fewer": lambda screen: changing.step(screen, -1),
    "count": changing.count,
    "edit": changing.edit,
    "rename": changing.rename,
    "delete": changing.delete,
    "undo": lambda screen: screen.undo(),
    "redo": lambda screen: screen.redo(),
    "collective": showing.next_collective,
    "measure": lambda screen: screen.toggle_measure(),
    "curve": lambda screen: screen.toggle_view("curve"),
    "findings": showing.list_findings,
    "card": lambda screen: screen.show_card(),
    "compare": lambda screen: screen.compare_parts(),
    "parts": lambda screen: screen.toggle_parts(),
    "filter": lambda screen: screen.filter_parts(),
    "save": filing.save,
    "save_as": filing.save_as,
    "bill": filing.export_bill,
    "open": filing.open_file,
    "new": filing.new,
    "start": filing.go_to_start,
    "copy": lambda screen: screen.copy(),
    "tour": filing.tour,
    "redraw": lambda screen: screen.redraw(),
    "palette": lambda screen: screen.app.action_command_palette(),
    "help": lambda screen: screen.show_help(),
    "quit": filing.quit_app,
}
"""A coroutine is a flow that may ask questions; None means that it is done."""
