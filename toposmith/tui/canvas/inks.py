"""The styles of a widget's inks and marks, looked up once for each theme."""

from __future__ import annotations

from collections.abc import Callable

from rich.color import Color
from rich.style import Style

from toposmith.tui.canvas import colours
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.colours import CanvasLook, ItemMark


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
        self._known: dict[tuple[Ink, ItemMark, bool], Style] = {}
        self._cursor: Style | None = None

    def forget(self) -> None:
        """Look all of them up again: the theme changed."""
        self._known.clear()
        self._cursor = None

    def style(self, ink: Ink, mark: ItemMark = ItemMark.NONE, *, boxed: bool = False) -> Style:
        """The style of an ink on something that is marked; ``boxed`` is a part of a box."""
        style = self._known.get((ink, mark, boxed))
        if style is None:
            style = self._look(colours.LOOK_OF_INK[ink])
            if mark is not ItemMark.NONE and boxed and ink is Ink.BOX:
                box = self._look(colours.LOOK_OF_MARK[mark])
                style = Style(color=box.color, bgcolor=_tint(box), bold=box.bold)
            elif mark is not ItemMark.NONE:
                style += Style(bgcolor=_tint(self._look(colours.LOOK_OF_MARK[mark])))
            self._known[ink, mark, boxed] = style
        return style

    @property
    def cursor(self) -> Style:
        """The cursor, in reverse."""
        if self._cursor is None:
            ground = self._look(CanvasLook.TARGET)
            self._cursor = Style(color=ground.color, bold=True, reverse=True)
        return self._cursor

    def _look(self, look: CanvasLook) -> Style:
        return self._style_of(look.component)


def _tint(style: Style) -> Color | None:
    """The ground of what is marked; none where the terminal's own colours allow no shade of it.

    Of these a share is the whole colour: a selected box would be magenta on magenta. It is bold.
    """
    ground = style.bgcolor
    return ground if ground is not None and ground.triplet is not None else None
