"""What stands on the screen as an SVG picture, in the colours that a terminal has."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from textual.strip import Strip

from tests.tui.person import Person

_FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {terminal_width} {terminal_height}" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" fill="#000000"/>
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</svg>
"""


def picture(person: Person, colours: ColorSystem | None) -> str:
    """The screen as SVG; without colours as a terminal shows it that has none."""
    console = Console(
        width=person.app.size.width, file=StringIO(), color_system="truecolor", record=True
    )
    strips = person.app.screen._compositor.render_strips()
    console.print(
        Segments(segment for strip in strips for segment in _shown(strip, colours)), end=""
    )
    return console.export_svg(code_format=_FRAME, unique_id="looks").replace("<text", "\n<text")


def _shown(strip: Strip, colours: ColorSystem | None) -> Iterator[Segment]:
    for text, style, _ in strip.simplify():
        yield Segment(text, style and _style(style, colours))
    yield Segment.line()


def _style(style: Style, colours: ColorSystem | None) -> Style:
    if colours is None:
        return style.without_color
    fore, back = (colour and colour.downgrade(colours) for colour in (style.color, style.bgcolor))
    return style.without_color + Style(color=fore, bgcolor=back)
