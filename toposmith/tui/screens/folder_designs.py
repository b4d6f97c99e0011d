"""All designs of a folder over the screen; one is opened, or two are put side by side."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.screen import ModalScreen

from toposmith.parts_at_hand import PartsAtHand
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.views.designs_view import DesignsView
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View
from toposmith.tui.widgets.key_bar import KeyBar

Picked = tuple[Path, Path | None]
"""The design to open, and the one to compare it with."""


class DesignsScreen(ModalScreen[Picked | None]):
    """Returns what was picked; None where the question was cancelled."""

    def __init__(self, folder: Path, glyphs: Glyphs, parts: PartsAtHand | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._view = DesignsView(glyphs, parts)

    def compose(self) -> ComposeResult:
        """The table, and its keys."""
        yield self._view
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Begin to look."""
        self._view.add_class("-shown")
        self.query_one(KeyBar).show_mode(self._view.KEYS)
        self._view.take_focus()
        self._view.gather(self._folder)

    @on(View.Left)
    def _left(self) -> None:
        self.dismiss(None)

    @on(TableView.Chosen)
    def _chosen(self, event: TableView.Chosen) -> None:
        self.dismiss((self._view.folder / event.row.key, None))

    @on(DesignsView.BesideWanted)
    def _beside(self, event: DesignsView.BesideWanted) -> None:
        self.dismiss((event.other, event.one))

    @on(KeyBar.KeyClicked)
    def _key_clicked(self, event: KeyBar.KeyClicked) -> None:
        self.app.call_later(self.app.simulate_key, event.key)
