"""What is left of switches joined along axes: by one walk over all what classes say of each."""

from __future__ import annotations

import pytest

from tests.joined_along import plan_along
from tests.small_designs import CATALOG
from toposmith.analysis.network import ComputeNetwork
from toposmith.review.failures import sweep as sweeping
from toposmith.review.failures.survivors import (
    SwitchPartitions,
    also_down,
    cut_off_without,
    selectors_of,
    survivors,
)


# 3 is a torus of 90 nodes: classes take as long for it as for all others but one
@pytest.mark.parametrize("seed", [seed for seed in range(40) if seed != 3])
def test_as_many_gpus_survive_as_classes_say(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    plan = plan_along(seed)
    network = ComputeNetwork(plan)
    if not SwitchPartitions.suits(network) or not network.world.nodes:
        pytest.skip("looked at by classes")
    switches = [name for name, group in plan.groups.items() if group.switch]
    walked = survivors(network), [cut_off_without(network, CATALOG, each) for each in switches]
    monkeypatch.setattr(SwitchPartitions, "suits", staticmethod(lambda _: False))
    classes = survivors(network), [cut_off_without(network, CATALOG, each) for each in switches]
    assert walked[1] == classes[1]
    assert (walked[0].gpus, walked[0].parts) == (classes[0].gpus, classes[0].parts)
    left = [
        ComputeNetwork(also_down(plan, CATALOG, each.cut_off)) for each in (walked[0], classes[0])
    ]
    assert left[0].world.gpus == left[1].world.gpus == walked[0].gpus


def test_nodes_in_a_row_are_one_selector() -> None:
    network = ComputeNetwork(plan_along(0, faults=False))
    group = network.world.groups[0]
    nodes = [(group.name, tuple(node)) for node in _all(group.sizes)]
    (whole,) = selectors_of(network, nodes)
    assert ComputeNetwork(also_down(network.plan, CATALOG, (whole,))).world.nodes == 0


def _all(sizes):
    if not sizes:
        return [()]
    return [(value, *rest) for value in range(sizes[0]) for rest in _all(sizes[1:])]


def test_a_large_dragonfly_says_which_failures_are_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed = next(s for s in range(100) if _is_dragonfly(s))
    plan = plan_along(seed, faults=False)
    monkeypatch.setattr(sweeping, "MOST_SWITCHES_WALKED", 1)
    monkeypatch.setattr(sweeping, "MOST_DEVICES_BY_DIFFERENCE", 1)
    monkeypatch.setattr(sweeping, "MOST_BY_DIFFERENCE", {})
    sampled = sweeping.sweep(plan, CATALOG, collectives=("all_reduce",))
    words = [said for said in sampled.unseen if "classes are looked at" in said]
    assert words and all("2 of " in said for said in words)
    kinds = {(one.failures[0].kind, one.failures[0].what) for one in sampled.singles}
    monkeypatch.undo()
    whole = sweeping.sweep(plan, CATALOG, collectives=("all_reduce",))
    assert kinds == {(one.failures[0].kind, one.failures[0].what) for one in whole.singles}
    assert not [said for said in whole.unseen if "classes are looked at" in said]
    assert len(sampled.singles) < len(whole.singles)


def _is_dragonfly(seed: int) -> bool:
    plan = plan_along(seed, faults=False)
    many = max(
        (plan.groups[link.a.group].instances for link in plan.links if link.bundle), default=0
    )
    return 12 <= many <= 16
