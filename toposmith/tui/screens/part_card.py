"""The whole card of a part over the screen, or the cards of two parts side by side."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from toposmith.catalog import Catalog, Part
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.pages.card_page import compared_cards, wide_card


class PartCardScreen(ModalScreen[None]):
    """One card as a table, or two with their rows aligned and their differences marked.

    Parameters
    ----------
    part : Part
        The part to show.
    catalog : Catalog
        Where the parts in it get their names from.
    glyphs : Glyphs
        The signs to draw with.
    beside : Part, optional
        The part to compare it with.
    head : Content, optional
        What to say above the card.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,left,enter,i,q,equals_sign", "dismiss", "close", show=False)
    ]

    def __init__(
        self,
        part: Part,
        catalog: Catalog,
        glyphs: Glyphs,
        *,
        beside: Part | None = None,
        head: Content | None = None,
    ) -> None:
        super().__init__()
        self._part, self._beside = part, beside
        self._catalog = catalog
        self._glyphs = glyphs
        self._head = head

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        with VerticalScroll(id="whole-card") as page:
            page.border_title = Content(self._title())
            page.border_subtitle = "arrows scroll, Esc closes"
            yield Static("", id="whole-card-text")

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one("#whole-card").focus()
        self.call_after_refresh(self._write)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange the columns for the new width."""
        self.call_after_refresh(self._write)

    def on_click(self, event: events.Click) -> None:
        """Close on a click beside the card."""
        if event.widget is self:
            self.dismiss()

    def _title(self) -> str:
        names = [part.name for part in (self._part, self._beside) if part is not None]
        return self._glyphs.shown(" and ".join(names))

    def _write(self) -> None:
        if not self.is_mounted:
            return
        # a column less, so that nothing hides behind the scroll bar when it comes
        width = self.query_one("#whole-card").scrollable_content_region.width - 1
        if self._beside is not None:
            card = compared_cards(self._part, self._beside, self._catalog, self._glyphs, width)
        else:
            card = wide_card(self._part, self._catalog, self._glyphs, width)
        lines = [card] if self._head is None else [self._head, Content(""), card]
        self.query_one("#whole-card-text", Static).update(Content("\n").join(lines))
