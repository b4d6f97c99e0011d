"""An all-to-all routed on rows of cables loads each link as the expanded fabric does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cost import memory_at_most
from tests.each_device import every_device_by_itself
from tests.expanded import Expanded
from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import row_symmetry
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.classes import Arc
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


def worst_per_link(network: ComputeNetwork, loads: dict[Arc, float]) -> dict[int, float]:
    worst: dict[int, float] = {}
    for (u, v, key), load in loads.items():
        index = network.classes.graph.edges[u, v, key]["link"]
        worst[index] = max(worst.get(index, 0.0), load)
    return worst


@settings(max_examples=100)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans())
def test_all_to_all_loads_the_worst_cable_as_the_expansion_does(plan: Plan, weighted: bool) -> None:
    network = ComputeNetwork(plan)
    expected = Expanded(plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, weighted=weighted)
        return
    found = all_to_all_loads(network, weighted=weighted)
    assert worst_per_link(network, found) == pytest.approx(expected)


def without_swaps(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(row_symmetry, "axis_swaps", lambda rows: iter(()))


@settings(max_examples=75)
@given(st.one_of(designs(), designs(unlike=True)), st.booleans(), st.booleans())
def test_one_target_of_each_orbit_loads_every_cable_as_all_targets_do(
    plan: Plan, weighted: bool, pxn: bool
) -> None:
    network = ComputeNetwork(plan)
    try:
        found = all_to_all_loads(network, weighted=weighted, pxn=pxn)
    except Unreachable:
        return
    with pytest.MonkeyPatch.context() as patch:
        without_swaps(patch)
        assert found == pytest.approx(all_to_all_loads(network, weighted=weighted, pxn=pxn))


PODS = """\
toposmith: 2
axes: {pod: 4, su: 3, rail: 2}
groups:
  node:
    {part: node2, per: [pod, su], count: 2, nics: {compute: {part: nic-%(ports)sx100, count: 2}}}
  leaf: {part: switch, per: [pod, su, rail], count: %(ports)s}
  spine: {part: switch, per: [pod, rail], count: 3}
  core: {part: switch, per: [rail], count: 4}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core]}
"""


def pods(random: Random, ports: int) -> Plan:
    """Three tiers of four pods, with up to four faults."""
    at = dict.fromkeys(("pod", "su", "rail", "node", "spine", "core"), random.randrange)
    sizes = {"pod": 4, "su": 3, "rail": 2, "node": 2, "spine": 3, "core": 4}
    faults = []
    for _ in range(random.randrange(5)):
        v = {axis: draw(sizes[axis]) for axis, draw in at.items()}
        leaf = f"leaf[pod={v['pod']},su={v['su']},rail={v['rail']}]"
        spine = f"spine[pod={v['pod']},rail={v['rail']},spine={v['spine']}]"
        node = f"node[pod={v['pod']},su={v['su']},node={v['node']}]"
        core = f"core[rail={v['rail']},core={v['core']}]"
        faults.append(
            random.choice(
                (
                    f"1 of {leaf} - {spine}",
                    f"{spine} - {core}",
                    spine,
                    core,
                    node,
                    f"{node}.compute[1]",
                )
            )
        )
    down = "".join(f'  - "{fault}"\n' for fault in faults)
    text = PODS % {"ports": ports} + ("down:\n" + down if down else "")
    return plan_design(parse_design(text, "pods"), CATALOG)


@pytest.mark.parametrize("seed", range(12))
def test_three_tiers_with_faults_carry_what_all_targets_and_all_devices_say(seed: int) -> None:
    network = ComputeNetwork(pods(Random(seed), 1 + seed % 2))
    found = all_to_all_loads(network, weighted=True)
    with pytest.MonkeyPatch.context() as patch:
        without_swaps(patch)
        assert found == pytest.approx(all_to_all_loads(network, weighted=True))
    with every_device_by_itself():
        assert found == pytest.approx(all_to_all_loads(network))


def test_of_a_clean_fabric_of_pods_few_targets_are_routed() -> None:
    network = ComputeNetwork(plan_design(parse_design(PODS % {"ports": 1}, "pods"), CATALOG))
    routed: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        ways = RowRoutes.ways
        patch.setattr(
            RowRoutes,
            "ways",
            lambda self, targets: routed.append(len(targets)) or ways(self, targets),
        )
        all_to_all_loads(network, weighted=True)
    # one leaf of each rail stands for the twelve of it
    assert sum(routed) == 2


@settings(max_examples=25)
@given(st.integers(0, 100_000), st.booleans())
def test_along_axes_every_class_of_cables_carries_what_it_does_by_classes(
    seed: int, weighted: bool
) -> None:
    network = ComputeNetwork(plan_along(seed))
    # the expansion of a mesh with 32 nodes takes 20 s
    if any(link.bundle for link in network.plan.links) or not 2 <= network.world.nodes <= 16:
        return
    expected = Expanded(network.plan, weighted=weighted).all_to_all()
    if expected is None:
        with pytest.raises(Unreachable):
            all_to_all_loads(network, weighted=weighted)
        return
    found = all_to_all_loads(network, weighted=weighted)
    assert worst_per_link(network, found) == pytest.approx(expected)


UNLIKE = """\
toposmith: 2
axes: {su: 8, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 1}
"""


def unlike_nodes() -> ComputeNetwork:
    """256 nodes with eight NICs, no two of them with the same ports."""
    gone = (
        f'  - "node[su={su},node={node}].compute[{port}]"\n'
        for su in range(8)
        for node in range(32)
        for port in range(5)
        if node >> port & 1
    )
    text = f"{UNLIKE}absent:\n{''.join(gone)}"
    network = ComputeNetwork(plan_design(parse_design(text, "unlike"), load_catalog()))
    all_to_all_loads(network, weighted=False)  # what is worked out once of a network
    return network


def test_what_every_kind_sends_to_every_nic_is_never_held_at_once() -> None:
    network = unlike_nodes()
    with pytest.MonkeyPatch.context() as patch:
        without_swaps(patch)  # every NIC is a target of its own
        with memory_at_most(256 * 2048 * 8 * 3 // 2):  # kinds, NICs, bytes of a float
            all_to_all_loads(network, weighted=False)
