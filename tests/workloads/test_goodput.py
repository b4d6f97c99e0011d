"""What stops a job, and the share of a month that it trains, beside published clusters.

Every expected figure is worked out here from the published counts, by the formulas of Young and
Daly, without the program's own.
"""

from __future__ import annotations

from math import exp, factorial, sqrt

import pytest

from tests.workloads.designs import parts
from tests.workloads.designs import saved as design
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.block import StorageBlock, TrainingBlock
from toposmith.workloads.goodput import Goodput, failure_rates, goodput, stops
from toposmith.workloads.model import preset
from toposmith.workloads.runnable import on_first_nodes
from toposmith.workloads.storage_demand import storage_need

GPU_STOPS = 148 + 72 + 19 + 17 + 6 + 6
HOST_STOPS = 32 + 3 + 3 + 2 + 2 + 2 + 2
SOFTWARE_STOPS = 54 + 7 + 2
NIC_STOPS = 7
"""Llama 3, table 5: of 419 stops in 54 days; 35 of the network are left out."""


def cluster(nodes: int, leaves: int, node: str = "dgx-h100") -> Plan:
    """Nodes of eight GPUs and eight NICs, so many leaves alike, and spines."""
    each = nodes // leaves
    text = (
        f"toposmith: 1\naxes: {{rack: {leaves}}}\ngroups:\n"
        f"  node: {{part: {node}, per: [rack], count: {each}}}\n"
        "  leaf: {part: qm9700, per: [rack]}\n  spine: {part: qm9700, count: 2}\n"
        "links:\n  - {between: [node.compute, leaf]}\n  - {between: [leaf, spine]}\n"
    )
    return plan_design(parse_design(text, "cluster"), parts())


def dual_tor(second: int) -> Plan:
    """Eight nodes whose NICs have two ports: at one leaf, or one at each of two."""
    text = (
        f"toposmith: 1\naxes: {{plane: {second}}}\ngroups:\n"
        "  node: {part: dgx-h100, count: 8, "
        "nics: {compute: {part: connectx-7-ndr200-2p, count: 8}}}\n"
        "  leaf: {part: sn5600, per: [plane]}\nlinks:\n  - {between: [node.compute, leaf]}\n"
    )
    return plan_design(parse_design(text, "dual"), parts())


def trained(plan: Plan, model: str, GBps: float, **block: object) -> Goodput:
    asked = StorageBlock(read_GBps=GBps, write_GBps=GBps, **block)
    need = storage_need(plan, parts(), asked, preset(model), TrainingBlock(), nodes=1, step_s=None)
    return goodput(stops(plan), need, asked)


def test_every_published_rate_has_its_source_and_llama_3_has_all_its_stops() -> None:
    rates = failure_rates()
    entries = [*rates["failures"], *rates["clusters"], rates["restart"], rates["repair"]]
    assert all(each["source"] for each in entries)
    llama = [sum(each["stops"].values()) for each in rates["failures"] if each["days"] == 54]
    assert sum(llama) + 35 == 419
    assert rates["clusters"][0]["1000_node_days"] == pytest.approx(1000 * 419 / 54 / 2048, rel=1e-3)


def test_stops_are_counted_by_hand_of_parts_and_published_rates() -> None:
    found = stops(cluster(2048, 128))
    counts = {each.part: each.count for each in found.parts}
    assert counts == {
        "GPU": 16384,
        "node": 2048,
        "NIC": 16384,
        "software": 16384,
        "cable of a NIC": 16384,
        "leaf": 128,
    }
    of_llama = (GPU_STOPS + HOST_STOPS + SOFTWARE_STOPS + NIC_STOPS) / 54
    of_network = (16384 * 0.00057 + 128 * 0.00051) / 30
    assert found.per_day == pytest.approx(of_llama + of_network)
    away = (GPU_STOPS + HOST_STOPS + NIC_STOPS) / 54 * 5.54
    assert found.nodes_away == pytest.approx(away)


def test_llama_3_stops_each_three_hours_by_the_counts_of_its_parts() -> None:
    """Its racks have 16 GPUs and a switch each: 35 stops of its network, 18 by Alibaba's rates."""
    found = stops(cluster(2048, 1024))
    assert found.mtbf_h == pytest.approx(54 * 24 / 419, rel=0.06)


def test_llama_3_trains_more_than_90_percent_by_hand_and_inside_the_band() -> None:
    """405 B parameters of 14 bytes to Tectonic's 2 TB/s: 10 minutes a stop weigh most."""
    found = trained(cluster(2048, 1024), "llama3-405b", 2000)
    mtbf_s, write_s = found.mtbf_h * 3600, 14 * preset("llama3-405b").parameters / 2e12
    interval_s = sqrt(2 * write_s * mtbf_s)
    cycle_s = interval_s + write_s
    lost = write_s / cycle_s + (cycle_s / 2 + 600 + write_s) / mtbf_s
    assert found.interval_s == pytest.approx(interval_s)
    assert found.lost.trained == pytest.approx((1 - lost) * 0.99)
    assert 0.90 < found.lost.trained < 0.93
    assert 0.85 < found.low < 0.90 < found.high < 0.96


def test_byterobust_trained_97_percent_on_9600_gpus_inside_the_band() -> None:
    """Checkpoints go into the memory of other nodes at each step, so they take next to nothing."""
    found = trained(cluster(1200, 600), "gpt3-175b", 100_000)
    assert 0.93 < found.low < 0.97 < found.high < 0.98


def test_megascale_trained_more_than_90_percent_and_the_whole_band_says_so() -> None:
    found = trained(cluster(1536, 768), "gpt3-175b", 100_000)
    assert 0.90 < found.low < found.lost.trained < found.high


def test_megascale_restarts_more_than_a_hundred_times_in_several_weeks() -> None:
    found = stops(cluster(1536, 768))
    assert 100 < found.per_day * 7 * 4 < 200


def test_two_switches_at_every_nic_leave_its_cables_and_leaves_out() -> None:
    one, two = stops(dual_tor(1)), stops(dual_tor(2))
    assert {each.part for each in one.parts} - {each.part for each in two.parts} == {"leaf"}
    assert one.per_day - two.per_day == pytest.approx(0.00051 / 30)
    assert two.of_single_ways == 0


def test_a_job_inside_one_node_has_no_network_to_fail() -> None:
    found = stops(cluster(1, 1))
    assert [each.part for each in found.parts] == ["GPU", "node", "software"]


def test_without_spare_nodes_a_job_waits_while_any_is_repaired() -> None:
    plan = cluster(16, 1)
    found = trained(plan, "llama3-8b", 100, spare_nodes=0)
    away = stops(plan).nodes_away
    assert found.lost.waiting == pytest.approx(1 - exp(-away))
    one = trained(plan, "llama3-8b", 100, spare_nodes=1)
    assert one.lost.waiting == pytest.approx(1 - exp(-away) * (1 + away))


def test_as_many_spare_nodes_as_are_there_all_but_a_hundredth_of_the_time() -> None:
    plan = cluster(128, 4)
    away, spare = stops(plan).nodes_away, trained(plan, "llama3-8b", 100).spare_nodes
    share = [exp(-away) * away**n / factorial(n) for n in range(spare + 1)]
    assert sum(share) >= 0.99 > sum(share[:-1])


def test_hours_between_stops_that_are_given_have_no_band() -> None:
    found = trained(cluster(16, 1), "llama3-8b", 100, mtbf_h=12.0, restart_s=60.0)
    assert (found.mtbf_h, found.restart_s) == (12, 60)
    assert found.low == found.high == found.lost.trained


def test_without_storage_restarts_and_repairs_alone_are_counted() -> None:
    plan = cluster(16, 1)
    need = storage_need(
        *(plan, parts(), StorageBlock(), preset("llama3-8b"), TrainingBlock()),
        nodes=16,
        step_s=None,
    )
    found = goodput(stops(plan), need, StorageBlock())
    assert not found.knows_storage
    assert found.lost.restarting == pytest.approx(600 * stops(plan).per_day / 86_400)
    assert (found.lost.writing, found.lost.again) == (0, 0)


def test_nodes_that_a_job_leaves_out_stop_nothing() -> None:
    whole = design("dgx-h100-superpod-1su")
    half = stops(on_first_nodes(whole, 15))
    assert {each.part: each.count for each in half.parts}["GPU"] == 120
    assert {each.part: each.count for each in half.parts}["leaf"] == 4
