"""What a design is predicted to deliver, at any size, for any groups, and what holds it back."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import RankPlacement, parse_layout
from toposmith.analysis.prediction.calibration import FAST_NODE_SHARE, START_US
from toposmith.analysis.prediction.ways import way_to_gpus
from toposmith.analysis.request import Collective, Request, Routing
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import band_basis
from toposmith.catalog import load_catalog
from toposmith.collectives import LARGEST_MESSAGE_BYTES
from toposmith.design.parser import parse_design
from toposmith.fabric.inside import InsideEdge
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import parse_version

CATALOG = load_catalog()
KIB, MIB, GIB = 2**10, 2**20, 2**30
LARGE = Request(message_bytes=LARGEST_MESSAGE_BYTES)
V = parse_version("2.27.7")


def planned(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)


def h100(nodes: int, nics: int = 8) -> Plan:
    """HGX H100 nodes with 400G NICs, one switch for each."""
    return planned(
        f"axes: {{rail: {nics}}}\n"
        "groups:\n"
        f"  node: {{part: hgx-h100-8, count: {nodes},"
        f" nics: {{compute: {{part: connectx-7-ndr, count: {nics}}}}}}}\n"
        "  leaf: {part: qm9790, per: [rail]}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )


def a100(nodes: int, nics: int = 8, nic: str = "connectx-6-hdr", switch: str = "qm8790") -> Plan:
    return planned(
        f"axes: {{rail: {nics}}}\n"
        "groups:\n"
        f"  node: {{part: hgx-a100-8, count: {nodes},"
        f" nics: {{compute: {{part: {nic}, count: {nics}}}}}}}\n"
        f"  leaf: {{part: {switch}, per: [rail]}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )


def racks(cables: int, many: int = 4) -> Plan:
    """Racks of two nodes with eight 200G NICs, each rack on one leaf with so many uplinks."""
    return planned(
        f"axes: {{rack: {many}}}\n"
        "groups:\n"
        "  node: {part: hgx-a100-8, per: [rack], count: 2,"
        " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
        "  leaf: {part: sn5600, per: [rack]}\n"
        "  spine: {part: sn5600}\n"
        "links: [{between: [node.compute, leaf]}, "
        f"{{between: [leaf, spine], speed: 200, cables: {cables}}}]\n"
    )


def asked(plan: Plan, request: Request = LARGE, **changes: object) -> Analysis:
    return analyse(plan, CATALOG, replace(request, **changes))  # type: ignore[arg-type]


def job(layout: str, kind: str = "", placement: RankPlacement = "packed") -> Job:
    return Job(parse_layout(layout), kind, placement)


@pytest.mark.parametrize(
    ("size", "algorithm", "protocol"),
    [
        (KIB, "tree", "ll"),
        (64 * KIB, "tree", "ll"),
        (MIB, "tree", "ll128"),
        (16 * MIB, "nvls_tree", "simple"),
        (256 * MIB, "ring", "simple"),
        (4 * GIB, "ring", "simple"),
    ],
)
def test_four_hgx_h100_run_what_nccl_chooses(size: int, algorithm: str, protocol: str) -> None:
    # as NCCL 2.27.7 itself chose for four nodes of 8 H100 with 8 x 400G
    result = asked(h100(4), message_bytes=size, version=V)
    assert (result.algorithm, result.protocol) == (algorithm, protocol)


def test_a_small_message_takes_nccls_latency_and_its_start() -> None:
    result = asked(h100(4), message_bytes=8, version=V)
    # tree by LL between four nodes: 35.2 us (NCCL 2.27.7), and what real runs add
    assert result.time_us == pytest.approx(35.2 + START_US["ll"], abs=0.05)
    assert result.limited_by == "latency"


@pytest.mark.parametrize(("gpus", "start_us"), [(2, 10), (4, 20), (8, 40)])
def test_fewer_gpus_of_a_node_take_less_to_start(gpus: int, start_us: float) -> None:
    one = planned("groups: {node: {part: hgx-a100-8}}\n")
    job = Job(parse_layout("tp=8" if gpus == 8 else f"tp={gpus},dp={8 // gpus}"), "tp")
    found = asked(one, Request("all_gather", 8, job, V, protocol="simple", algorithm="ring"))
    # NCCL 2.27.7: 8.4 us and 3.4 for every step of the ring
    assert found.time_us == pytest.approx(8.4 + 3.4 * (gpus - 1) + start_us, abs=0.05)


def test_a_tree_between_two_gpus_of_two_nodes_reaches_their_nics() -> None:
    # each sends the other all data once: 0.92 of 48 GB/s, 41.4 in the lines of LL128; 41.5 were
    # published at 32 MiB (NVIDIA/nccl-tests issue 232)
    job = Job(parse_layout("tp=8,dp=2"), "dp")
    for protocol, most in (("simple", 44.2), ("ll128", 41.4)):
        request = Request("all_reduce", 8 * GIB, job, V, protocol=protocol, algorithm="tree")  # type: ignore[arg-type]
        assert asked(h100(2), request).busbw_GBps == pytest.approx(most, rel=0.005)


def test_a_tree_between_two_nodes_is_not_corrected_for_depth() -> None:
    # NCCL's tuner of two A100 nodes: 8 x 23.6 GB/s, half as algbw, 120/128 by LL128
    GBps = 8 * 23.6 / 2 * 120 / 128
    request = Request(message_bytes=MIB, version=V, algorithm="tree", protocol="ll128")
    latency = 14 + 2 * (7 * 1.25 + 8.5) + 25
    assert asked(a100(2), request).time_us == pytest.approx(latency + MIB / 1000 / GBps, abs=1.5)


def test_a_band_is_kept_for_what_someone_ran() -> None:
    four = asked(h100(4), Request("all_to_all", 8 * GIB))
    assert (four.band, "none of all-to-all (three and more" in four.no_band) == (None, True)
    two = asked(h100(2), Request("all_gather", 8 * GIB)).band
    assert two is not None
    assert 0 < two.ran < two.systems
    assert f"{two.ran} of the systems with this collective" in band_basis(two)


def test_static_routing_stands_beside_an_ideal_split() -> None:
    plan = racks(8)  # 16 NICs of a rack on 8 uplinks, and both are exactly filled by a striped ring
    job = Job(placement="striped")
    asked_for = Request(message_bytes=8 * GIB, job=job, routing=Routing("static"))
    found = asked(plan, asked_for)
    (said,) = (one for one in found.findings if one.code == "static-hashing")
    ideal = asked(plan, replace(asked_for, routing=Routing("ideal")))
    assert (
        f"{found.busbw_GBps:.3g} GB/s" in said.text and f"{ideal.busbw_GBps:.3g} GB/s" in said.text
    )
    assert not [one for one in ideal.findings if one.code == "static-hashing"]


def test_a_longer_message_never_takes_less_time() -> None:
    found = Questions(h100(4), CATALOG).curve(Request())
    assert found is not None
    assert [point.message_bytes for point in found.points][:2] == [8, 16]
    assert found.points[-1].message_bytes == 16 * GIB
    times = [point.time_us for point in found.points]
    assert all(later >= 0.85 * before for before, later in pairwise(times))


def test_a_curve_marks_where_nccl_switches() -> None:
    found = Questions(h100(4), CATALOG).curve(Request(version=V))
    assert found is not None
    runs = [(point.algorithm, point.protocol) for point in found.switches]
    assert runs == [("tree", "ll128"), ("nvls_tree", "simple"), ("ring", "simple")]


def test_a_curve_of_nothing_is_none() -> None:
    assert Questions(planned("groups: {}\n"), CATALOG).curve(Request()) is None


def test_the_release_decides_the_algorithm_of_one_node() -> None:
    one = planned("groups: {node: {part: hgx-h100-8}}\n")
    gather = Request("all_gather", 4 * GIB)
    assert asked(one, gather, version=parse_version("2.18")).algorithm == "ring"
    assert asked(one, message_bytes=4 * GIB, version=V).algorithm == "nvls"


def test_an_algorithm_can_be_asked_for() -> None:
    assert asked(h100(2), algorithm="ring").algorithm == "ring"
    refused = asked(planned("groups: {node: {part: hgx-a100-8}}\n"), algorithm="nvls")
    assert refused.busbw_GBps is None
    assert [finding.code for finding in refused.findings] == ["cannot-run"]
    assert "it can with" in refused.findings[0].text


def test_groups_of_one_gpu_per_node_share_the_nics_of_their_node() -> None:
    # each of eight groups has a 200G NIC to itself, or an eighth of the only 100G one
    ring = replace(LARGE, algorithm="ring", protocol="simple", job=job("tp=8,dp=16"))
    assert asked(a100(16), ring).busbw_GBps == pytest.approx(24, rel=1e-3)
    lonely = a100(16, 1, "connectx-6-dx-100gbe", "sn2700")
    assert asked(lonely, ring).busbw_GBps == pytest.approx(12 / 8, rel=1e-3)
    found = asked(lonely, ring)
    assert found.communicator.kind == "dp"
    assert (found.communicator.size, found.communicator.concurrent) == (16, 8)


def test_tensor_parallel_groups_do_not_feel_the_network() -> None:
    ring = replace(LARGE, algorithm="ring", job=job("tp=8"))
    alone = planned("groups: {node: {part: hgx-a100-8}}\n")
    inside = asked(a100(16, 1), ring).busbw_GBps
    assert inside == pytest.approx(asked(alone, LARGE, algorithm="ring").busbw_GBps)
    assert all(load.tier == "nvlink" for load in asked(a100(16, 1), ring).limiting)


def test_ranks_striped_over_racks_feel_the_spine_that_packed_ones_do_not() -> None:
    # eight uplinks for sixteen NICs: a packed ring leaves each rack once, a striped one with
    # every hop, two nodes at once: 16 NICs of 24 over 8 uplinks of 24
    ring = replace(LARGE, algorithm="ring", protocol="simple")
    assert asked(racks(8), ring).busbw_GBps == pytest.approx(192, rel=1e-3)
    striped = replace(ring, job=job("world", placement="striped"))
    assert asked(racks(8), striped).busbw_GBps == pytest.approx(96, rel=1e-3)
    assert asked(racks(16), striped).busbw_GBps == pytest.approx(192, rel=1e-3)
    scattered = replace(ring, job=job("world", placement="scattered"))
    between = asked(racks(8), scattered).busbw_GBps or 0
    assert 96 * 0.999 <= between < 192


def test_pipeline_stages_send_from_node_to_node_over_one_nic() -> None:
    stages = replace(LARGE, collective="send_recv", job=job("tp=8,pp=4"))
    assert asked(a100(16), stages).busbw_GBps == pytest.approx(24, rel=1e-3)


def test_eight_pipelines_behind_one_nic_send_an_eighth_each() -> None:
    stages = replace(LARGE, collective="send_recv", job=job("tp=8,pp=4"))
    lonely = asked(a100(16, 1, "connectx-6-dx-100gbe", "sn2700"), stages)
    assert lonely.busbw_GBps == pytest.approx(12 / 8, rel=1e-3)
    assert lonely.bound_busbw_GBps == pytest.approx(12.5 / 8)


def test_expert_groups_of_two_nodes_exchange_half_of_their_data() -> None:
    # 8 of 16 ranks are in the other node: algbw 24 x 16 / 8, and one node in a group is NVLink's
    experts = replace(LARGE, collective="all_to_all", job=job("ep=16"))
    assert asked(a100(16), experts).algbw_GBps == pytest.approx(48, rel=1e-3)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_a_broadcast_goes_at_the_rate_of_the_nics(collective: Collective) -> None:
    assert asked(a100(4), collective=collective).busbw_GBps == pytest.approx(192, rel=0.01)


def test_one_hundred_gigabit_without_jumbo_frames_carries_92_6_percent() -> None:
    # RoCE with 1024 bytes a packet: 1024 / 1106 of 12.5 GB/s, below NCCL's 12
    lonely = a100(4, 1, "connectx-6-dx-100gbe", "sn2700")
    ring = replace(LARGE, algorithm="ring", protocol="simple")
    assert asked(lonely, ring).busbw_GBps == pytest.approx(12, rel=1e-3)
    assert asked(lonely, ring, mtu=1024).busbw_GBps == pytest.approx(
        12.5 * 1024 / (1024 + 82), rel=1e-3
    )


def test_switches_that_reduce_take_each_byte_out_of_a_node_once() -> None:
    found = asked(h100(4), sharp=True, algorithm="collnet_direct")
    # 8 NICs of 48 GB/s would carry 0.86 x 384 GB/s; 370.8 of NVLink take 14 / 8 of each byte
    assert found.busbw_GBps == pytest.approx(370.8 * 8 / 14 * 2 * 31 / 32, rel=1e-3)
    # later releases ask for a NIC for each GPU
    assert asked(h100(4, 4), sharp=True, algorithm="collnet_direct").busbw_GBps is None
    before = parse_version("2.30")
    four = asked(h100(4, 4), sharp=True, algorithm="collnet_direct", version=before)
    assert four.busbw_GBps == pytest.approx(0.86 * 192 * 2 * 31 / 32, rel=1e-3)
    assert found.bound_with_reduction_GBps == pytest.approx(400 * 2 * 31 / 32, rel=1e-3)


def test_sharp_on_switches_that_cannot_is_a_finding() -> None:
    lonely = a100(4, 1, "connectx-6-dx-100gbe", "sn2700")
    assert "no-sharp" in {finding.code for finding in asked(lonely, sharp=True).findings}


def test_unlike_nodes_are_held_by_the_weakest_which_is_named() -> None:
    mixed = planned(
        "groups:\n"
        "  fast: {part: hgx-h100-8, count: 2, nics: {compute: {part: connectx-7-ndr, count: 8}}}\n"
        "  slow: {part: hgx-h100-8, count: 2, nics: {compute: {part: connectx-7-ndr, count: 1}}}\n"
        "  leaf: {part: qm9790}\n"
        "links: [{between: [fast.compute, leaf]}, {between: [slow.compute, leaf]}]\n"
    )
    found = asked(mixed, algorithm="ring", protocol="simple")
    assert found.busbw_GBps == pytest.approx(48, rel=1e-3)
    assert [(f.code, f.where) for f in found.findings if f.code == "weakest-node"] == [
        ("weakest-node", "slow")
    ]


def test_weak_nodes_are_not_blamed_where_the_spine_limits_all() -> None:
    mixed = planned(
        "axes: {su: 2}\n"
        "groups:\n"
        "  fast: {part: hgx-h100-8, per: [su], nics: {compute: {part: connectx-7-ndr, count: 8}}}\n"
        "  slow: {part: hgx-h100-8, per: [su], nics: {compute: {part: connectx-7-ndr, count: 4}}}\n"
        "  leaf: {part: qm9790, per: [su]}\n"
        "  spine: {part: qm9790}\n"
        "links:\n"
        "  - {between: [fast.compute, leaf]}\n"
        "  - {between: [slow.compute, leaf]}\n"
        "  - {between: [leaf, spine], cables: 1}\n"
    )
    found = asked(mixed, algorithm="ring", protocol="simple")
    assert found.limited_by == "links"
    assert "weakest-node" not in {finding.code for finding in found.findings}


def test_weak_nodes_are_not_blamed_where_one_single_cable_limits_all() -> None:
    # no link of the design joins the leaves
    nics = "nics: {compute: {part: connectx-7-ndr, count: %d}}"
    text = (
        "toposmith: 2\ngroups:\n"
        f"  fast: {{part: hgx-h100-8, count: 2, {nics % 8}}}\n"
        f"  slow: {{part: hgx-h100-8, count: 2, {nics % 4}}}\n"
        "  near: {part: qm9790}\n"
        "  far: {part: qm9790}\n"
        "links:\n"
        "  - {between: [fast.compute, near]}\n"
        "  - {between: [slow.compute, far]}\n"
        "cables: [{a: 'near[near=0]', z: 'far[far=0]'}]\n"
    )
    mixed = plan_design(parse_design(text, "test"), CATALOG)
    found = asked(mixed, algorithm="ring", protocol="simple")
    assert found.limited_by == "links"
    assert "weakest-node" not in {finding.code for finding in found.findings}


def test_twice_the_nics_of_four_a100_nodes_bring_264_and_then_nvlink_limits() -> None:
    # eleven channels of 24 fit into NVLink: 24 x (11 - 1) = 240, one ends at a NIC; nodes with
    # 3.2 Tb/s of NICs reach 96 % of what NCCL counts on
    found = asked(a100(4), algorithm="ring", protocol="simple")
    assert found.next_step is not None
    assert found.next_step.link == "node.compute - leaf"
    assert found.next_step.busbw_GBps == pytest.approx(264 * FAST_NODE_SHARE, rel=1e-3)
    assert found.next_step.then == "node NVLink"


def thrown(flows: int, cables: int, switches: int, parts: int = 1) -> float:
    """Flows on the fullest cable of all switches, the mean of throws of dice."""
    dice = random.Random(1)
    rounds = 400
    fullest = (
        max(
            max(Counter(dice.choices(range(cables), k=flows * parts)).values())
            for _ in range(switches)
        )
        for _ in range(rounds)
    )
    return sum(fullest) / rounds / parts


def test_static_hashing_costs_a_striped_ring_what_balls_into_bins_say() -> None:
    # each of four racks sends sixteen flows over sixteen uplinks, and gets as many over as many
    ring = replace(
        LARGE, algorithm="ring", protocol="simple", job=job("world", placement="striped")
    )
    static = replace(ring, routing=Routing("static"))
    fullest = thrown(16, 16, switches=8)
    assert asked(racks(16), static).busbw_GBps == pytest.approx(192 / fullest, rel=0.02)
    split = replace(ring, routing=Routing("static", queue_pairs=16))
    fullest = thrown(16, 16, switches=8, parts=16)
    assert asked(racks(16), split).busbw_GBps == pytest.approx(192 / fullest, rel=0.02)
    adaptive = replace(ring, routing=Routing("adaptive"))
    assert asked(racks(16), adaptive).busbw_GBps == pytest.approx(192 * 0.96, rel=1e-3)


def test_more_racks_have_a_fuller_fullest_cable() -> None:
    ring = replace(
        LARGE, algorithm="ring", protocol="simple", job=job("world", placement="striped")
    )
    static = replace(ring, routing=Routing("static"))
    figures = [asked(racks(16, many), static).busbw_GBps or 0 for many in (4, 8, 16)]
    expected = [192 / thrown(16, 16, switches=2 * many) for many in (4, 8, 16)]
    assert figures == pytest.approx(expected, rel=0.03)


def test_rails_on_one_leaf_each_have_no_choice_of_path() -> None:
    static = replace(LARGE, algorithm="ring", protocol="simple", routing=Routing("static"))
    assert asked(a100(16), static).busbw_GBps == pytest.approx(192, rel=1e-3)


@pytest.mark.parametrize(
    ("layout", "code", "words"),
    [
        ("tp=5", "communicator-does-not-fit", "does not divide the 32"),
        ("tp=8,dp=1", "group-of-one", "dp groups have one rank each"),
    ],
)
def test_groups_that_cannot_run_leave_no_figure_and_a_reason(
    layout: str, code: str, words: str
) -> None:
    found = asked(a100(4), job=job(layout))
    assert (found.busbw_GBps, found.time_us, found.limits) == (None, None, ())
    (finding,) = found.findings
    assert finding.code == code
    assert words in finding.text


def test_every_prediction_says_where_published_results_lay() -> None:
    found = asked(h100(2), message_bytes=8 * GIB)
    assert found.band is not None
    assert found.band.low < 0 < found.band.high
    assert found.band.where == "two whole NVSwitch nodes over RDMA, 1 GiB and more"
    one = asked(planned("groups: {node: {part: hgx-h100-8}}\n"), message_bytes=MIB)
    assert one.band is not None
    assert one.band.where == "inside an NVSwitch node, 1 to 64 MiB"


def test_a_broadcast_takes_a_hop_for_every_rank_of_its_chain() -> None:
    # by LL: 6.6 us, 28 hops of 0.6 inside four nodes and 3 of 2.7 between them, and the start
    one_nic = asked(a100(4, 1), Request("broadcast", 8))
    assert one_nic.time_us == pytest.approx(6.6 + 28 * 0.6 + 3 * 2.7 + START_US["ll"], abs=0.01)
    assert asked(a100(16, 1), Request("broadcast", 8)).time_us > 2 * (one_nic.time_us or 0)


@pytest.mark.parametrize("size", [MIB, 8 * GIB])
@pytest.mark.parametrize("collective", ["all_reduce", "broadcast"])
def test_twice_of_anything_is_never_said_to_bring_less(collective: Collective, size: int) -> None:
    for plan in (a100(8, 1, "connectx-6-dx-100gbe", "sn2700"), h100(4), h100(2, 4)):
        found = asked(plan, Request(collective, size))
        if found.next_step is not None:
            assert found.next_step.busbw_GBps >= (found.busbw_GBps or 0)


def test_a_failed_nic_never_raises_the_bound() -> None:
    nodes = (
        "axes: {rail: 8}\n"
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700, per: [rail]}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    whole = asked(planned(nodes)).bound_busbw_GBps
    fault = asked(planned(nodes + 'down: ["node[node=0].compute[1]"]\n')).bound_busbw_GBps
    assert whole == pytest.approx(500)
    assert fault is not None
    assert fault <= 500 * (1 + 1e-9)


@pytest.mark.parametrize("collective", ["all_gather", "all_to_all", "broadcast"])
def test_inside_one_node_every_bound_is_that_of_nvlink(collective: Collective) -> None:
    one = planned("groups: {node: {part: dgx-h100}}\n")
    assert asked(one, Request(collective)).bound_busbw_GBps == pytest.approx(450)


def test_a_slot_slower_than_its_nic_bounds_what_leaves_a_node() -> None:
    # 800G NICs in PCIe 5 slots of 63 GB/s: 16 nodes, 120 of 128 ranks outside
    plan = planned(
        "axes: {rail: 8}\n"
        "groups:\n"
        "  node: {part: hgx-b200-8, count: 16,"
        " nics: {compute: {part: connectx-8-xdr, count: 8}}}\n"
        "  leaf: {part: q3400-ra, per: [rail]}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    assert asked(plan, collective="broadcast").bound_busbw_GBps == pytest.approx(504, rel=0.002)
    found = asked(plan, collective="all_to_all").bound_busbw_GBps
    assert found == pytest.approx(63 * 127 / 120, rel=0.002)


def test_an_exchange_by_ll_fills_links_with_flags() -> None:
    found = asked(a100(16), Request("all_to_all", MIB))
    assert found.protocol == "ll"
    nic = next(load for load in found.limits if load.tier == "nic")
    # half of every line is flags: 12 of 24 GB/s are payload
    assert nic.usable_GBps == pytest.approx(12)
    assert nic.utilization <= 1 + 1e-9


def test_an_exchange_spreads_over_more_connections_than_a_ring() -> None:
    static = replace(LARGE, collective="all_to_all", routing=Routing("static"))
    ideal = asked(racks(16), replace(static, routing=Routing())).busbw_GBps or 0
    # 16 NICs talk to 7 other nodes each: 96 flows over 16 uplinks leave a rack, and the fullest
    # has some 12 of them where 6 would be even
    assert 0.4 * ideal < (asked(racks(16), static).busbw_GBps or 0) < 0.8 * ideal


def test_what_is_forced_has_no_band_of_published_runs() -> None:
    assert asked(h100(4), message_bytes=8 * GIB, algorithm="tree").band is None
    assert asked(h100(4), message_bytes=8 * GIB, routing=Routing("static")).band is None


def test_tiny_shares_of_an_exchange_are_told_at_every_size() -> None:
    for size in (8, KIB, MIB):
        codes = {f.code for f in asked(h100(4), Request("all_to_all", size)).findings}
        assert "small-messages" in codes


@pytest.mark.parametrize(
    ("plan", "pxn", "connections"),
    [(h100(48), True, 0), (h100(49), True, 48), (racks(16), False, 56), (racks(16, 3), False, 0)],
)
def test_an_exchange_of_many_connections_says_what_congestion_may_cost(
    plan: Plan, pxn: bool, connections: int
) -> None:
    # with PXN a NIC sends to one of every other node, without to the eight GPUs of each
    asked_for = Request("all_to_all", 8 * GIB, pxn=pxn)
    found = [f for f in asked(plan, asked_for).findings if f.code == "exchange-congestion"]
    assert [f.values["connections"] for f in found] == ([connections] if connections else [])
    assert not [f for f in asked(plan).findings if f.code == "exchange-congestion"]


def test_groups_that_share_nics_fill_them() -> None:
    # tp=8,dp=4: eight rings of one GPU a node over eight NICs, each of which gets 48 GB/s
    shared = asked(h100(4), replace(LARGE, job=job("tp=8,dp=4", "dp")), algorithm="ring")
    assert shared.busbw_GBps == pytest.approx(48, rel=0.05)


def test_xgmi_carries_a_ring_by_its_own_generation() -> None:
    # 7 links of 64 and 76.8 GB/s, of which RCCL counts on three quarters
    for part, link in (("mi300x-8", 64), ("mi355x-8", 76.8)):
        found = asked(planned(f"groups: {{node: {{part: {part}}}}}\n"), LARGE)
        assert found.busbw_GBps == pytest.approx(7 * link * 0.75, rel=0.01), part


def test_two_rings_cross_the_sockets_once_each_where_one_crosses_both_ways() -> None:
    # GPUs on PCIe, a NIC on either socket: the two rings enter on one socket and leave on the
    # other, so that each direction between the sockets carries one of them, half of busbw
    text = (
        "toposmith: 1\ngroups:\n"
        "  node: {part: h100-nvl-4, count: 2, nics: {compute: {part: connectx-7-ndr, count: %d}}}\n"
        "  leaf: {part: qm9700}\nlinks:\n  - {between: [node.compute, leaf]}\n"
    )
    catalog = load_catalog(user=False)
    shares = []
    for nics in (1, 2):
        plan = plan_design(parse_design(text % nics, "test"), catalog)
        found = analyse(plan, catalog, Request("all_gather", algorithm="ring"))
        sockets = next(one for one in found.limits if one.tier == "socket")
        shares.append(sockets.load_GBps / (found.busbw_GBps or 0.0))
    assert shares == [pytest.approx(1.0), pytest.approx(0.5)]


def test_a_nic_on_the_far_socket_gets_what_the_sockets_pass_and_knows_why() -> None:
    # a GPU and a NIC on 16 lanes of PCIe 4, 31.5 GB/s, and 10 GB/s between their sockets
    far = (
        InsideEdge(("gpu", 0), ("cpu", 0), 31.5, "pcie"),
        InsideEdge(("slot", "compute", 0), ("cpu", 1), 31.5, "pcie"),
        InsideEdge(("cpu", 0), ("cpu", 1), 10.0, "socket"),
    )
    way = way_to_gpus(far, (("slot", "compute", 0),))
    assert way is not None
    assert (way.usable, way.line, way.tier) == (10.0, 10.0, "socket")
