"""Which flow does which action of the designer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from toposmith.tui.flows import (
    beginning,
    building,
    changing,
    copying,
    exporting,
    failing,
    filing,
    finding,
    history,
    measuring,
    replacing,
    reshaping,
    reviewing,
    showing,
)

if TYPE_CHECKING:
    from toposmith.tui.screens.designer_parts import DesignerParts

Handler = Callable[["DesignerParts"], "Coroutine[Any, Any, object] | None"]

HANDLERS: dict[str, Handler] = {
    "add": lambda screen: screen.show_parts(True),
    "fit": building.fit,
    "wire": building.wire,
    "more": lambda screen: changing.step(screen, 1),
    "fewer": lambda screen: changing.step(screen, -1),
    "count": changing.count,
    "edit": changing.edit,
    "inside": lambda screen: screen.go_inside(),
    "layer": lambda screen: screen.next_layer(),
    "move": lambda screen: screen.move_group(),
    "reset_positions": lambda screen: screen.reset_positions(),
    "rename": changing.rename,
    "delete": changing.delete,
    "mark": lambda screen: screen.toggle_mark(),
    "reshape": reshaping.reshape,
    "replace": replacing.replace,
    "duplicate": copying.duplicate,
    "copy": copying.copy,
    "paste": copying.paste_copied,
    "find": finding.find,
    "undo": lambda screen: screen.undo(),
    "redo": lambda screen: screen.redo(),
    "history": history.show_history,
    "collective": showing.next_collective,
    "measure": lambda screen: screen.toggle_measure(),
    "keep_measured": measuring.keep_measured,
    "curve": lambda screen: screen.toggle_view("curve"),
    "findings": lambda screen: screen.toggle_view("findings"),
    "review": lambda screen: screen.toggle_view("review"),
    "comment": reviewing.comment,
    "decide": reviewing.decide,
    "differences": lambda screen: screen.toggle_view("differences"),
    "designs": reviewing.list_designs,
    "fail": failing.fail,
    "failures": lambda screen: screen.toggle_view("failures"),
    "workload": lambda screen: screen.toggle_view("workload"),
    "layouts": lambda screen: screen.toggle_view("layouts"),
    "card": lambda screen: screen.show_card(),
    "compare": lambda screen: screen.compare_parts(),
    "parts": lambda screen: screen.toggle_parts(),
    "filter": lambda screen: screen.filter_parts(),
    "save": filing.save,
    "save_as": filing.save_as,
    "racks": lambda screen: screen.toggle_view("racks"),
    "export": exporting.export,
    "bill": lambda screen: screen.toggle_view("bill"),
    "write_bill": exporting.export_bill,
    "open": filing.open_file,
    "new": filing.new,
    "template": beginning.from_template,
    "start": filing.go_to_start,
    "tour": filing.tour,
    "redraw": lambda screen: screen.redraw(),
    "palette": lambda screen: screen.app.action_command_palette(),
    "help": lambda screen: screen.show_help(),
    "quit": filing.quit_app,
}
"""A coroutine is a flow that may ask questions; None means that it is done."""
