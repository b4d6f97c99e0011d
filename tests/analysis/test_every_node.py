"""Every node of the catalog has figures, alone and in a cluster, below its bound."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.catalog import Node, Switch, load_catalog
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
NODES = [part for part in CATALOG if isinstance(part, Node)]
EACH = pytest.mark.parametrize("node", NODES, ids=[node.id for node in NODES])


@EACH
def test_its_gpus_reach_each_other(node: Node) -> None:
    design = Design(groups={"node": Group(part=node.id)})
    result = analyse(plan_design(design, CATALOG), CATALOG)
    if node.gpus == 1:
        assert [finding.code for finding in result.findings] == ["one-gpu"]
        return
    if "scale-up-not-modelled" in {finding.code for finding in result.findings}:
        assert result.busbw_GBps is None and result.bound_busbw_GBps is not None
        return
    assert result.busbw_GBps is not None
    assert result.bound_busbw_GBps is not None
    reduced = result.bound_with_reduction_GBps or 0
    limit = reduced if result.algorithm == "nvls" else result.bound_busbw_GBps
    assert 0 < result.busbw_GBps <= limit * (1 + 1e-9)
    assert result.limits
    assert all(load.utilization <= 1 + 1e-9 for load in result.limits)
    # where there is no switch, none reduces
    switched = node.nvlink is not None and node.nvlink.shape == "nvswitch"
    assert (result.bound_with_reduction_GBps is not None) == switched


def fitting_switch(node: Node, slots: str, nic: str) -> str | None:
    part = CATALOG.get(nic)
    for switch in CATALOG:
        if isinstance(switch, Switch) and switch.protocol in part.protocols:  # type: ignore[union-attr]
            enough = switch.ports >= 4 * node.slots[slots].count * part.ports  # type: ignore[union-attr]
            if enough and switch.mode_for(part.speed_gbit):  # type: ignore[union-attr]
                return switch.id
    return None


@EACH
def test_four_of_them_on_a_switch_deliver_what_the_wiring_allows(node: Node) -> None:
    if "compute" not in node.slots:
        pytest.skip("the node has no compute slots")
    built_in = node.slots["compute"].nic
    nic = built_in or "connectx-6-hdr"
    switch = fitting_switch(node, "compute", nic)
    if switch is None:
        pytest.skip("no switch of the catalog takes all its ports")
    fitted = {} if built_in else {"compute": FittedNics(part=nic, count=1)}
    design = Design(
        groups={
            "node": Group(part=node.id, count=4, nics=fitted),
            "leaf": Group(part=switch),
        },
        links=(Link(between=("node.compute", "leaf")),),
    )
    result = analyse(plan_design(design, CATALOG), CATALOG)
    assert [f for f in result.findings if f.severity == "error"] == []
    if "scale-up-not-modelled" in {finding.code for finding in result.findings}:
        assert result.busbw_GBps is None and result.bound_busbw_GBps is not None
        return
    assert result.busbw_GBps
    assert result.bound_busbw_GBps is not None
    assert 0 < result.busbw_GBps <= result.bound_busbw_GBps * (1 + 1e-9)


@pytest.mark.parametrize(
    ("nic", "switch"), [("connectx-6-hdr", "qm8790"), ("connectx-7-ndr-ib", "qm9700")]
)
@pytest.mark.parametrize(
    "node",
    [one for one in NODES if one.gpus > 1 and one.nvlink is None and "compute" in one.slots],
    ids=lambda one: one.id,
)
def test_twice_the_nics_of_a_pcie_node_are_never_three_times_the_figure(
    node: Node, nic: str, switch: str
) -> None:
    for collective in ("all_reduce", "all_gather", "all_to_all"):
        before, nics = None, 1
        while nics <= node.slots["compute"].count:
            fitted = {"compute": FittedNics(part=nic, count=nics)}
            groups = {"node": Group(part=node.id, count=4, nics=fitted), "leaf": Group(part=switch)}
            design = Design(groups=groups, links=(Link(between=("node.compute", "leaf")),))
            plan = plan_design(design, CATALOG)
            found = analyse(plan, CATALOG, Request(collective, 2**33)).busbw_GBps
            assert found is not None
            assert before is None or found < 3 * before, (collective, nics)
            before, nics = found, 2 * nics
