"""Text written to a terminal in few bytes: only changes of its style are sent.

Rich and Textual write ``ESC[codes m``, text and ``ESC[0m`` for every run of one style. Most
neighbours differ in their colour alone, and blanks show nothing but their ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from rich.color import ColorSystem
from rich.style import Style

STYLES_KEPT = 10_000
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class TerminalStyle:
    """The codes of a style for a terminal (SGR, ECMA-48 8.3.117), part by part.

    Parameters
    ----------
    weight : str
        Bold, italic, underlined, reversed and the like.
    colour, ground : str
        Of the signs, and behind them; empty is the terminal's own.
    link : str
        Where a click goes (OSC 8).
    drawn : bool
        Whether blanks show more than their ground: reversed, underlined, struck out.
    """

    weight: str = ""
    colour: str = ""
    ground: str = ""
    link: str = ""
    drawn: bool = False

    @property
    def codes(self) -> str:
        """All of it as one list of codes."""
        return ";".join(filter(None, (self.weight, self.colour, self.ground)))


PLAIN = TerminalStyle()


@lru_cache(maxsize=STYLES_KEPT)
def look_of_blanks(look: TerminalStyle) -> TerminalStyle:
    """What blanks show of a look."""
    return look if look.drawn else TerminalStyle(ground=look.ground)


@lru_cache(maxsize=STYLES_KEPT)
def look_of(style: Style, colours: ColorSystem) -> TerminalStyle:
    """What a terminal of so many colours shows of a style: many shades are one in 16 or 256."""
    colour = ground = ""
    if style.color is not None:
        colour = ";".join(style.color.downgrade(colours).get_ansi_codes())
    if style.bgcolor is not None:
        ground = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False))
    weight = style.without_color._make_ansi_codes(colours)
    drawn = style.reverse or style.underline or style.underline2 or style.strike or style.overline
    link = f"id={style.link_id};{style.link}" if style.link else ""
    return TerminalStyle(weight, colour, ground, link, bool(drawn))


class Pen:
    """What the terminal writes with; begins and ends plain."""

    def __init__(self) -> None:
        self._now = PLAIN

    def text(self, text: str, look: TerminalStyle) -> str:
        """Text with the codes that it needs before it."""
        now = self._now
        if not look.drawn and not now.drawn and now.link == look.link and not text.strip(" "):
            look = replace(now, ground=look.ground)
        return f"{self._change(look)}{text}"

    def lift(self) -> str:
        """Make the terminal plain again."""
        return self._change(PLAIN)

    def _change(self, look: TerminalStyle) -> str:
        now, self._now = self._now, look
        if look == now:
            return ""
        link = f"\x1b]8;{look.link or ';'}\x1b\\" if look.link != now.link else ""
        if look.codes == now.codes:
            return link
        ends = (now.weight and now.weight != look.weight) or (
            (now.colour and not look.colour) or (now.ground and not look.ground)
        )
        if ends:
            return f"{link}\x1b[0;{look.codes}m" if look.codes else f"{link}{_RESET}"
        new = (
            part
            for part, before in (
                (look.weight, now.weight),
                (look.colour, now.colour),
                (look.ground, now.ground),
            )
            if part != before
        )
        return f"{link}\x1b[{';'.join(new)}m"
