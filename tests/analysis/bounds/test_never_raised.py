"""Taking speed or cables away from the same ranks never raises what a collective can reach."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.small_designs import CATALOG, designs
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.result import Analysis
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


@st.composite
def _taken_away(draw: st.DrawFn, design: Design) -> dict[str, Any]:
    """One cable or port that goes, or cables that run slower, besides what the design says."""
    link = draw(st.sampled_from(design.links))
    ends = [end.partition(".")[0] for end in link.between]
    places = []
    for end in ends:
        group = design.groups[end]
        axes = {axis: design.axes[axis] for axis in group.per} | {end: group.count}
        at = ",".join(f"{axis}={draw(st.integers(0, size - 1))}" for axis, size in axes.items())
        places.append(f"{end}[{at}]")
    text = " - ".join(places)
    if draw(st.booleans(), label="slower"):
        return {"slow": {**design.slow, text: draw(st.sampled_from([25, "50 %", "10 %"]))}}
    return {"down": (*design.down, text)}


def _bounds(plan: Plan, collective: Collective) -> Analysis:
    return analyse(plan, CATALOG, Request(collective, 1 << 33))


@settings(max_examples=30)
@given(st.data(), st.sampled_from(["all_reduce", "all_gather", "all_to_all"]))
def test_taking_speed_or_cables_away_never_raises_a_bound(
    data: st.DataObject, collective: Collective
) -> None:
    before = data.draw(designs())
    changes = data.draw(_taken_away(before.design))
    after = plan_design(before.design.model_copy(update=changes), CATALOG)
    was, now = _bounds(before, collective), _bounds(after, collective)
    assert was.gpus == now.gpus
    if was.bound_busbw_GBps is None:
        assert now.bound_busbw_GBps is None
    elif now.bound_busbw_GBps is not None:
        assert now.bound_busbw_GBps <= was.bound_busbw_GBps * (1 + 1e-9)
