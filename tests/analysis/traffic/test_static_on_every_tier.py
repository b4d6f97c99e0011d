"""Static routing costs something wherever switches choose, not only at the fullest link."""

from __future__ import annotations

from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request, Routing
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

THREE_TIERS = """\
toposmith: 2
axes: {pod: 4}
groups:
  node: {part: dgx-h100, per: [pod], count: 8}
  leaf: {part: qm9700, per: [pod], count: 4}
  spine: {part: qm9700, per: [pod], count: 4}
  core: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
  - {between: [spine, core], cables: 2}
"""


def shares(mode: str) -> dict[str, float]:
    """Load of the fullest cable of every link in units of busbw."""
    plan = plan_design(parse_design(THREE_TIERS, "test"), CATALOG)
    found = analyse(plan, CATALOG, Request("all_to_all", routing=Routing(mode)))
    assert found.busbw_GBps is not None
    return {load.link: load.load_GBps / found.busbw_GBps for load in found.limits}


def test_hashes_that_meet_fill_cables_of_every_tier_above_the_leaf() -> None:
    ideal, static = shares("ideal"), shares("static")
    assert static["leaf - spine"] > 1.05 * ideal["leaf - spine"]
    assert static["spine - core"] > 1.05 * ideal["spine - core"]
