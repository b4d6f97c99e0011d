"""Whatever a file holds, what is drawn of it has nothing that a terminal would obey."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.canvas.drawn import as_text
from tests.tui.canvas.fabrics import plan_of
from toposmith.findings.finding import at_block, found
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.scene import Scene
from toposmith.tui.canvas.trunk_figures import read_figures
from toposmith.tui.drawing.glyphs import glyphs_for
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import live_lines

MARKUP = ["[bold]", "[@click=app.quit]", "[link=https://example.org]", "[/]", "[", "\\[", "$text"]
SIGNALS = ["\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r", "\n", "\t", "\x00", "\x7f"]
INVISIBLE = ["\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\xad", "\U000e0041", "\ue000"]
TEXTS = st.lists(
    st.sampled_from([*MARKUP, *SIGNALS, *INVISIBLE]) | st.text("aé語b ", max_size=9),
    min_size=1,
    max_size=8,
).map("".join)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,63}", fullmatch=True)


def obeyed(text: str) -> list[str]:
    """Control, formatting and invisible signs, line ends aside."""
    hidden = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
    return [ascii(sign) for sign in text if unicodedata.category(sign) in hidden and sign != "\n"]


@settings(max_examples=25, deadline=None)
@given(text=TEXTS, other=TEXTS, name=NAMES, ascii_only=st.booleans())
def test_no_text_of_a_file_is_obeyed_on_the_canvas(
    text: str, other: str, name: str, ascii_only: bool
) -> None:
    groups = {
        "node": {"part": "dgx", "note": other},
        name: {"part": text, "note": text},
        "evil": {"part": "evil"},
    }
    links = [{"between": ["node.compute", name], "note": other}]
    plan = plan_of({"groups": groups, "links": links, "absent": [text], "down": [other]})
    for size in ((50, 18), (120, 36)):
        scene = Scene(lay_out(plan, *size), read_figures(plan, None), ascii_only=ascii_only)
        drawn = as_text(scene)
        assert obeyed(drawn) == []
        assert not ascii_only or drawn.isascii()


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, other=TEXTS, ascii_only=st.booleans(), width=st.integers(20, 60))
def test_no_text_of_a_file_is_obeyed_or_read_as_markup_among_the_figures(
    text: str, other: str, ascii_only: bool, width: int
) -> None:
    glyphs = glyphs_for(ascii_only)
    findings = (found("bad-view", at_block(text), reason=other),)
    shown = LiveFigures(trouble=text, note=other, findings=findings)
    content = live_lines(shown, width, glyphs, large=False, whole=True)
    assert obeyed(content.plain) == []
    assert not ascii_only or content.plain.isascii()
    said = "".join(content.plain.split())
    for each in (text, other):
        assert "".join(glyphs.shown(each).split()) in said, "markup stands there letter by letter"
    looks = [span.style for span in content.spans]
    assert all(not hasattr(look, "meta") and "click" not in str(look) for look in looks)
