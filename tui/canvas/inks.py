"""The styles of a widget's inks and marks, looked up once for each theme."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style

from toposmith.tui.canvas import colours
from toposmith.tui.canvas.colours import Look, Mark
from toposmith.tui.canvas.glyphs import Ink


class Inks:
    """Styles by ink and mark.

    Parameters
    ----------
    style_of : callable
        The style of a component class, as the theme has it: a widget's
        ``get_component_rich_style``.
    """

    def __init__(self, style_of: Callable[[str], Style]) -> None:
        self._style_of = style_of
        self._known: dict[tuple[Ink, Mark, bool], Style] = {}
        self._cursor: Style | None = None

    def forget(self) -> None:
        """Look all of them up again: the theme changed."""
        self._known.clear()
        self._cursor = None

    def style(self, ink: Ink, mark: Mark = Mark.NONE, *, boxed: bool = False) -> Style:
        """The style of an ink on something that is marked; ``boxed`` is a part of a box."""
        style = self._known.get((ink, mark, boxed))
        if style is None:
            style = self._look(colours.LOOK_OF_INK[ink])
            if mark is not Mark.NONE and boxed and ink is Ink.BOX:
                style = self._look(colours.LOOK_OF_MARK[mark])
            elif mark is not Mark.NONE:
                style += Style(bgcolor=self._look(colours.LOOK_OF_MARK[mark]).bgcolor)
            self._known[ink, mark, boxed] = style
        return style

    @property
    def cursor(self) -> Style:
        """What one stands on, in reverse."""
        if self._cursor is None:
            ground = self._look(Look.TARGET)
            self._cursor = Style(color=ground.color, bold=True, reverse=True)
        return self._cursor

    def _look(self, look: Look) -> Style:
        return self._style_of(look.component)
