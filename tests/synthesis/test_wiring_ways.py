"""Nodes spread over leaves: racks, rails and planes, each as it is proposed."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.needs import sound_after
from toposmith.synthesis.wiring_ways import wiring_ways
from toposmith.workbench import Workbench

CATALOG = load_catalog()


def begun(nodes: int, leaves: int, leaf: str = "qm9700", spines: int = 0) -> Design:
    groups = {"node": Group(part="dgx-h100", count=nodes), "leaf": Group(part=leaf, count=leaves)}
    links = ()
    if spines:
        groups["spine"] = Group(part=leaf, count=spines)
        links = (Link(between=("leaf", "spine")),)
    return Design(groups=groups, links=links)


def ways(design: Design) -> dict[str, Design]:
    plan = PlannedDesign.of(design, CATALOG).plan
    found = wiring_ways(plan, CATALOG, "node.compute", "leaf")
    return {way.label: way.design for way in found}


def test_64_nodes_and_16_leaves_are_two_sus_on_eight_rails_or_16_racks_of_4() -> None:
    found = ways(begun(64, 16))
    assert list(found) == [
        "rail-optimised: 2 SU of 32 nodes, 8 leaves each",
        "rail-optimised: 4 SU of 16 nodes, 4 leaves each",
        "rail-optimised: 8 SU of 8 nodes, 2 leaves each",
        "top-of-rack: 16 racks of 4 nodes, 1 leaf each",
    ]
    racks = found["top-of-rack: 16 racks of 4 nodes, 1 leaf each"]
    assert racks.axes == {"rack": 16}
    assert (racks.groups["node"].count, racks.groups["leaf"].count) == (4, 1)


@pytest.mark.parametrize("nodes", [3, 17, 60, 64, 100])
@pytest.mark.parametrize("leaves", [2, 3, 8, 12, 16])
@pytest.mark.parametrize("spines", [0, 4])
def test_every_way_keeps_all_nodes_and_leaves_and_all_ports(
    nodes: int, leaves: int, spines: int
) -> None:
    design = begun(nodes, leaves, spines=spines)
    before = PlannedDesign.of(design, CATALOG).plan
    for label, made in ways(design).items():
        planned = sound_after(before, made, CATALOG)
        assert planned is not None, label
        counts = device_counts(planned.plan)
        assert (counts["node"], counts["leaf"]) == (nodes, leaves), label
        assert cable_counts(planned.plan)[len(design.links)] == 8 * nodes, label
        if spines:
            assert cable_counts(planned.plan)[0] == leaves * spines, label


def test_what_is_proposed_is_not_refused() -> None:
    design = begun(64, 16, spines=8)
    for made in wiring_ways(
        PlannedDesign.of(design, CATALOG).plan, CATALOG, "node.compute", "leaf"
    ):
        Workbench(design, CATALOG).judge(made)


def test_leaves_with_too_few_ports_are_not_proposed() -> None:
    """64 nodes of 8 ports take 512; two QM9700 have 128."""
    assert ways(begun(64, 2)) == {}


def test_dual_port_nics_are_offered_planes() -> None:
    nic = {"compute": FittedNics(part="bluefield-3-b3220", count=8)}
    design = Design(
        groups={
            "node": Group(part="hgx-b200-8", count=16, nics=nic),
            "leaf": Group(part="sn5640", count=4),
        }
    )
    labels = list(ways(design))
    assert "rail-optimised, 2 planes: each node to all 4 leaves" in labels


def test_what_repeats_or_is_wired_already_is_left_alone() -> None:
    design = begun(64, 16)
    repeated = design.model_copy(
        update={
            "axes": {"su": 2},
            "groups": {**design.groups, "node": Group(part="dgx-h100", per=("su",), count=32)},
        }
    )
    assert ways(repeated) == {}
    marked = design.model_copy(update={"down": ("node[node=3]",)})
    assert ways(marked) == {}
