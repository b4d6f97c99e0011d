"""A search as the app runs it: once for what was asked, ended by a person with what is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toposmith.analysis.request import Request
from toposmith.cancellation import TimeLimit
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.tui.figures.shared_figures import Wanted
from toposmith.tui.flows.requirements import FabricNeeds
from toposmith.tui.views.fabrics_view import FABRICS, FoundFabrics
from toposmith.tui.views.listing import ViewJob

CATALOG = load_catalog(user=False)
EIGHT_NODES = Requirements(8, "dgx-h100", switches=("qm9700",), shapes=("one switch",))


def run(
    needs: FabricNeeds,
    design: Design,
    told: list[int],
    went: Callable[[int, int], bool] = lambda *_: True,
    limit: TimeLimit | None = None,
) -> FoundFabrics:
    def so_far(make: Callable[[], object]) -> None:
        now = make()
        assert isinstance(now, FoundFabrics) and now.waiting is not None
        told.append(len(now.search.proposals))

    assert FABRICS.compute is not None
    wanted = Wanted(design, Request())
    found = FABRICS.compute(ViewJob(wanted, CATALOG, needs, went, so_far, limit or TimeLimit()))
    assert isinstance(found, FoundFabrics)
    assert found.waiting is None
    return found


def test_nothing_is_searched_for_before_somebody_asks() -> None:
    with pytest.raises(EditError, match="no needs given yet"):
        run(FabricNeeds(), Design(), [])


def test_what_was_found_is_not_searched_for_again_until_something_else_is_asked() -> None:
    needs, told = FabricNeeds(EIGHT_NODES, "switch=qm9700 shape=one-switch"), list[int]()
    found = run(needs, Design(), told)
    assert found.search.proposals
    assert not found.here
    assert told
    told.clear()
    proposed = found.search.proposals[0].design
    again = run(needs, proposed, told)
    assert again.search is found.search
    assert again.here == {0}
    assert not told
    run(FabricNeeds(EIGHT_NODES), Design(), told)
    assert told


def test_a_search_that_is_ended_keeps_what_is_there_and_is_not_begun_again() -> None:
    needs, limit = FabricNeeds(Requirements(8, "dgx-h100")), TimeLimit()

    def end(_done: int, _of: int) -> bool:
        limit.end()
        return True

    found = run(needs, Design(), [], end, limit)
    assert not found.search.complete
    assert run(needs, Design(), []).search is found.search
