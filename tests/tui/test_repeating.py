"""A group that repeats over an axis is as many as before in all, unless one says each."""

from __future__ import annotations

import pytest

from toposmith.design.document import Design, Group
from toposmith.errors import EditError
from toposmith.tui.flows.axis_questions import _new_axes, _repeated

SIXTEEN = Design(groups={"leaf": Group(part="qm9700", count=16)})


@pytest.mark.parametrize(
    ("text", "count"), [("su=4", 4), ("su=4, rail=2", 2), ("su=4 each", 16), ("su=1", 16)]
)
def test_16_leaves_over_axes(text: str, count: int) -> None:
    made = _repeated(SIXTEEN, "leaf", text).design
    assert made.groups["leaf"].count == count
    if "each" not in text:
        assert _repeated(made, "leaf", "").design.groups["leaf"].count == 16


def test_what_does_not_divide_is_refused_with_both_ways() -> None:
    with pytest.raises(EditError, match=r"16 leaf do not divide evenly into 3; add 'each'"):
        _repeated(SIXTEEN, "leaf", "su=3")


def test_a_new_axis_without_a_size_is_refused_with_what_to_write() -> None:
    empty = Design()
    with pytest.raises(EditError, match="ml is new: write its size, too, such as ml=4"):
        _new_axes(empty, "ml")
    assert _new_axes(empty, "ml=4").design.axes == {"ml": 4}
    known = _new_axes(empty, "ml=4").design
    assert _new_axes(known, "ml su=2").design.axes == {"ml": 4, "su": 2}
