"""What an all-to-all puts on a fabric at least is never more than what routing it puts there."""

from __future__ import annotations

import pytest

from tests.joined_along import plan_along
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.traffic import exchange_limit
from toposmith.analysis.traffic.least_exchange import least_exchange_loads
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
TORUS = """\
toposmith: 2
axes: {x: 6, y: 4}
groups:
  node: {part: dgx-h100, per: [x, y], count: 2}
  sw: {part: qm9700, per: [x, y]}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {x: next}, cables: 2}
  - {between: [sw, sw], along: {y: next}, cables: 2}
"""


def plan_of(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def by_link(network: ComputeNetwork, loads: dict) -> dict[tuple[int, float], float]:
    worst: dict[tuple[int, float], float] = {}
    for arc, load in loads.items():
        edge = network.classes.graph.edges[arc]
        if edge["link"] is not None:
            kind = (edge["link"], edge["GBps"])
            worst[kind] = max(worst.get(kind, 0.0), load / edge["GBps"])
    return worst


@pytest.mark.parametrize("seed", range(24))
def test_no_link_is_less_full_than_distances_say(seed: int) -> None:
    network = ComputeNetwork(plan_along(seed))
    if network.world.nodes < 2:
        pytest.skip("nobody to send to")
    try:
        routed = all_to_all_loads(network)
    except Unreachable:
        try:
            least = least_exchange_loads(network)
        except (Unreachable, ValueError):
            return
        assert least is None
        return
    except ValueError:
        return
    try:
        least = least_exchange_loads(network)
    except ValueError:
        return  # nodes on several switches
    if least is not None:
        found, full = by_link(network, least), by_link(network, routed)
        for link in {link for link, _ in found}:
            # of a link with slow cables some class is as full
            assert max(of for (i, _), of in found.items() if i == link) <= (
                max(of for (i, _), of in full.items() if i == link) * (1 + 1e-9)
            )


def test_cables_of_a_whole_torus_carry_just_the_distances() -> None:
    network = ComputeNetwork(plan_of(TORUS))
    least = least_exchange_loads(network)
    assert least is not None
    # 16 GPUs a switch send 1/(16 x 24) of their rate to each; around 6 switches go 9 cables in
    # all, around 4 of them 4; a switch has 2 neighbours along an axis, over 2 cables each
    by_hand = {1: 16 * 9 / 6 / 4, 2: 16 * 4 / 4 / 4}
    for arc, load in least.items():
        link = network.classes.graph.edges[arc]["link"]
        if link in by_hand:
            assert load == pytest.approx(by_hand[link])


def test_an_exchange_that_is_not_routed_is_at_most_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(TORUS + 'down: ["sw[x=1,y=2]", "node[x=1,y=2]", "1 of sw[x=4] - sw[x=5]"]\n')
    asked = Request(collective="all_to_all")
    routed = analyse(plan, CATALOG, asked)
    monkeypatch.setattr(exchange_limit, "MOST_ROUTED", 10)
    found = analyse(plan_of(plan.design.model_dump_json()), CATALOG, asked)
    assert found.busbw_label.kind == "at most" and routed.busbw_label.kind == "model"
    assert found.busbw_GBps and routed.busbw_GBps and found.busbw_GBps >= routed.busbw_GBps
    (said,) = (each for each in found.findings if each.code == "exchange-not-routed")
    assert "23 switches joined along axes" in said.text


def test_who_is_cut_off_is_still_said(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = TORUS.replace("y: 4", "y: 1")
    plan = plan_of(ring + 'down: ["sw[x=1] - sw[x=2]", "sw[x=4] - sw[x=5]"]\n')
    monkeypatch.setattr(exchange_limit, "MOST_ROUTED", 1)
    found = analyse(plan, CATALOG, Request(collective="all_to_all"))
    assert found.busbw_GBps is None
    assert "unreachable" in {each.code for each in found.findings}
