"""What the live panel says of fixes is true of a search that ended early, too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.synthesis.test_fixes import saved
from toposmith.synthesis.next_change import next_change
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import live_lines

RACK = "a100-rack-1x100gbe"


@pytest.mark.parametrize(
    ("complete", "words"), [(True, "no fix found "), (False, "no fix found in time ")]
)
def test_a_search_that_was_stopped_does_not_say_that_there_is_no_fix(
    complete: bool, words: str
) -> None:
    of = saved(RACK)
    found = next_change(of, seconds=0)
    none = replace(found, fixes=replace(found.fixes, fixes=(), complete=complete))
    text = live_lines(LiveFigures(of.analysis, next=none), 36, UNICODE, large=False).plain
    assert words in text
