"""Storage as groups of a design: what its fabric lets through, beside cables counted by hand."""

from __future__ import annotations

import pytest

from tests.workloads.designs import parts
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.bill.bill import placed_bill
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.assess import assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.storage_demand import storage_fabric

POD = """\
toposmith: 1
name: Pod with storage
groups:
  node: {{part: dgx-h100, count: {nodes}}}
  leaf: {{part: qm9700, count: 2}}
  store: {{part: ddn-ai400x2, count: {stores}}}
  storage-leaf: {{part: qm9700, count: 2}}
  storage-spine: {{part: qm9700, count: 1}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [node.storage, {node_end}]}}
  - {{between: [store, {store_end}]}}
  - {{between: [storage-leaf, storage-spine], cables: {uplinks}}}
absent: [{absent}]
"""


def pod(
    *,
    nodes: int = 4,
    stores: int = 2,
    node_end: str = "storage-leaf",
    store_end: str = "storage-leaf",
    uplinks: int = 1,
    absent: str = "",
) -> Plan:
    text = POD.format(
        nodes=nodes,
        stores=stores,
        node_end=node_end,
        store_end=store_end,
        uplinks=uplinks,
        absent=absent,
    )
    return plan_design(parse_design(text, "pod"), parts())


def test_a_group_of_storage_is_planned_billed_and_without_fault() -> None:
    plan = pod()
    assert [f for f in plan.findings if f.severity != "info"] == []
    assert plan.groups["store"].storage is not None
    # 4 NICs of 2 ports each
    assert plan.groups["store"].port_groups["storage"].ports == 8
    lines = {line.part: line for line in placed_bill(plan, parts()).lines}
    assert (lines["ddn-ai400x2"].quantity, lines["ddn-ai400x2"].kind) == (2, "storage")
    # its NICs are sold with it
    assert "connectx-6-hdr-2p" not in lines


def test_nodes_and_storage_on_one_leaf_get_what_their_ports_carry() -> None:
    found = storage_fabric(pod())
    assert found is not None
    # storage: 2 x 4 NICs that take 200 Gb/s of both their ports; nodes: 4 x 4 ports of 200 Gb/s
    assert found.GBps == pytest.approx(min(2 * 4, 4 * 4) * 25)
    assert found.links == ("store.storage (its NICs)",)
    assert found.unreached == ()


def test_an_oversubscribed_storage_fabric_is_the_limit_and_named() -> None:
    plan = pod(store_end="storage-spine", uplinks=1)
    found = storage_fabric(plan)
    assert found is not None
    # 2 leaves with an uplink of 400 Gb/s each
    assert found.GBps == pytest.approx(2 * 50)
    assert found.links == ("storage-leaf - storage-spine",)


def test_an_absent_appliance_delivers_nothing() -> None:
    found = storage_fabric(pod(absent='"store[store=1]"'))
    assert found is not None
    assert found.GBps == pytest.approx(4 * 25)


def test_storage_without_a_way_to_nodes_is_said() -> None:
    plan = pod(node_end="leaf", store_end="storage-leaf")
    found = storage_fabric(plan)
    assert found is not None
    assert (found.GBps, found.unreached) == (0.0, ("store",))
    asked = workload_of({"model": "llama2-7b", "training": {"batch": 32, "sequence": 2048}})
    told = assess(plan, parts(), asked)
    assert told.storage is not None and told.storage.found is not None
    assert told.storage.found.read_GBps == 0
    assert told.storage.checkpoint_s is None
    assert "storage-unreached" in {finding.code for finding in told.findings}


def test_checkpoints_take_as_long_as_the_fabric_lets_them() -> None:
    asked = workload_of({"model": "llama2-7b", "training": {"batch": 32, "sequence": 2048}})
    told = assess(pod(store_end="storage-spine"), parts(), asked).storage
    assert told is not None and told.found is not None
    # 2 uplinks of 50 GB/s against 2 x 65 GB/s that the appliances write
    assert told.found.write_GBps == pytest.approx(100)
    assert told.checkpoint_s == pytest.approx(told.checkpoint_bytes / 100e9)
    assert told.found.limited_by == ("storage-leaf - storage-spine",)


def test_collectives_do_not_see_storage() -> None:
    with_storage = analyse(pod(), parts(), Request())
    without = analyse(pod(absent="store"), parts(), Request())
    assert with_storage.gpus == 32
    assert with_storage.busbw_GBps == without.busbw_GBps
    assert with_storage.bound_busbw_GBps == without.bound_busbw_GBps
