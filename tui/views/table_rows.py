"""The lines of a table view: Home and End go to the first and the last line."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import DataTable


class TableRows(DataTable[Text]):
    """A cursor that is a whole line has no first and last column to go to.

    A right click only goes to a line: what can be done with it is offered then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "scroll_top", "First", show=False),
        Binding("end", "scroll_bottom", "Last", show=False),
    ]

    async def _on_click(self, event: events.Click) -> None:
        row = event.style.meta.get("row", -1)
        if event.button == 1:
            return
        event.prevent_default()
        if row >= 0:
            self.move_cursor(row=row)
