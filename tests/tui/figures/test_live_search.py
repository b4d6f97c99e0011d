"""A search as the app runs it: once for what was asked, ended by a person with what is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.tui.figures.live_search import FoundFabrics, LiveSearch

CATALOG = load_catalog(user=False)
EIGHT_NODES = Requirements(8, "dgx-h100", switches=("qm9700",), shapes=("one switch",))


def run(
    live: LiveSearch, design: Design, told: list[int], go_on: Callable[[int, int], bool]
) -> FoundFabrics:
    return live.run(design, CATALOG, go_on=go_on, tell=lambda _, now, __: told.append(len(now)))


def test_nothing_is_searched_for_before_somebody_asks() -> None:
    with pytest.raises(EditError, match="no needs given yet"):
        run(LiveSearch(), Design(), [], lambda *_: True)


def test_what_was_found_is_not_searched_for_again_until_something_else_is_asked() -> None:
    live, told = LiveSearch(), list[int]()
    live.ask(EIGHT_NODES, "switch=qm9700 shape=one-switch")
    found = run(live, Design(), told, lambda *_: True)
    assert found.search.proposals
    assert not found.here
    assert live.is_known
    assert not live.running
    told.clear()
    proposed = found.search.proposals[0].design
    again = run(live, proposed, told, lambda *_: True)
    assert again.search is found.search
    assert again.here == {0}
    assert not told
    live.ask(EIGHT_NODES, "")
    assert not live.is_known


def test_a_search_that_is_ended_keeps_what_is_there_and_a_second_end_leaves() -> None:
    live = LiveSearch()
    live.ask(Requirements(8, "dgx-h100"), "")
    assert not live.stop()
    ended: list[bool] = []

    def end(_done: int, _of: int) -> bool:
        ended.append(live.stop())
        return True

    found = run(live, Design(), [], end)
    assert ended[0] is True
    assert not any(ended[1:])
    assert not found.search.complete
    assert live.is_known
