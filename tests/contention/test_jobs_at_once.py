"""Jobs at once share the cables on which they meet, and only those."""

from __future__ import annotations

from random import Random

import pytest

from tests.oracle.designs import random_design
from tests.oracle.expansion import Device as OracleDevice
from tests.oracle.expansion import expand
from tests.oracle.traffic import NoWay, Routes, exchange_loads, ring_loads
from toposmith.analysis.jobs.communicator import Groups, Job, groups_of, sequences
from toposmith.analysis.jobs.job_list import JobError, read_job, read_jobs
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.traffic.algorithm_loads import pattern_of
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.contention.cable_loads import CableLoads, collective_loads
from toposmith.contention.job_words import jobs_as_data, node_words, runs_words
from toposmith.contention.together import Competitor, JobFigure, fair_shares, jobs_together
from toposmith.design.edits.groups import remove_group, rename_group, set_count
from toposmith.design.parser import lines_of_entries, parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.planner import plan_design
from toposmith.nccl.node import Algorithm

CATALOG = load_catalog(user=False)

RACKS = """\
toposmith: 2
name: two racks at 2 to 1
axes: {rack: 2}
groups:
  node: {part: hgx-h100-8, per: [rack], count: 4, nics: {compute: {part: connectx-7-ndr, count: 8}}}
  leaf: {part: qm9700, per: [rack]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 8}
"""

ONE_NIC = """\
toposmith: 2
name: one 100GbE for everything
axes: {rack: 2}
groups:
  node:
    part: hgx-a100-8
    per: [rack]
    count: 4
    nics: {compute: {part: connectx-6-dx-100gbe, count: 1}}
  store:
    part: storage-server-2u
    count: 2
    nics: {storage: {part: connectx-6-dx-100gbe, count: 1}}
  leaf: {part: sn3700, per: [rack]}
  spine: {part: sn3700}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
  - {between: [store.storage, spine]}
"""


def together(text: str, *jobs: str) -> tuple[JobFigure, ...]:
    return jobs_together(jobs, parse_design(text, "test"), CATALOG)


def test_two_fragmented_exchanges_share_the_uplinks() -> None:
    # each job: 16 of its 32 ranks in a rack send 16/32 to the other, 8 per GB/s; both 16 over
    # 16 uplinks of 48: algbw 48, busbw 48 x 31/32
    one, other = together(RACKS, "4, all_to_all, striped", "4, all_to_all")
    assert one.together_GBps == pytest.approx(46.5, rel=1e-3)
    assert other.together_GBps == pytest.approx(46.5, rel=1e-3)
    (link,) = one.contended
    assert (link.link, link.cables, link.jobs) == ("leaf - spine", 32, ("job 1", "job 2"))
    # alone the uplinks are half full, and the NIC holds: 8 ranks send 24/32 over 8 NICs of 48
    assert one.alone_GBps == pytest.approx(48 / (24 / 32) * 31 / 32, rel=1e-3)


def test_two_jobs_of_expert_groups_share_the_uplinks() -> None:
    # eight groups of four ranks, one GPU of each node: a rank sends 1/4 to each of two nodes in the
    # other rack, so that a rack sends 8 x 2 x 2/4 = 8 per GB/s; both jobs 16 over 16 uplinks of 48:
    # algbw 48, busbw 48 x 3/4. Alone the NIC holds: 3/4 of each rank's data over 48
    one, other = together(RACKS, "4, all_to_all, striped, tp=8, ep=4", "4, all_to_all, tp=8,ep=4")
    assert (one.together_GBps, other.together_GBps) == pytest.approx((36, 36), rel=1e-3)
    assert (one.alone_GBps, other.alone_GBps) == pytest.approx((48, 48), rel=1e-3)
    assert "ep of tp=8,ep=4" in runs_words(one)


@pytest.mark.parametrize(
    ("collective", "layout", "group"),
    [
        *(("all_reduce", "tp=8,dp=8", "dp"), ("all_reduce", "tp=4,dp=16", "dp")),
        *(("all_gather", "tp=2,dp=32", "dp"), ("all_to_all", "ep=16,dp=4", "ep")),
        *(("all_to_all", "tp=8,ep=8", "ep"), ("send_recv", "tp=8,pp=8", "pp")),
        *(("send_recv", "tp=2,dp=4,pp=8", "pp"), ("all_reduce", "", ""), ("all_to_all", "", "")),
    ],
)
def test_loads_of_groups_are_those_of_the_class_graph(
    collective: Collective, layout: str, group: str
) -> None:
    # cable by cable, and by classes of devices: two ways to count
    job = Job(parse_layout(layout), group)
    evaluated = EvaluatedDesign(parse_design(RACKS, "test"), CATALOG)
    network, groups = evaluated.network, groups_of(evaluated.network.world, job, collective)
    assert isinstance(groups, Groups)
    algorithm: Algorithm | None = "ring" if COLLECTIVES[collective].tuned else None
    asked = Request(collective, 2**40, job=job, algorithm=algorithm)
    predictor = evaluated.asking(asked).question.predictor
    assert predictor is not None
    pattern = pattern_of(collective, algorithm)
    (uplink,) = [d for d in predictor.demands(algorithm) if d.link == "leaf - spine"]
    nodes = [("node", (rack, node)) for rack in range(2) for node in range(4)]
    loads = CableLoads(network.plan, network.slots)
    unit = predictor.traffic_known[pattern].leaving
    for places in sequences(groups, len(nodes)):
        gpus = dict.fromkeys(nodes, groups.members_in(8))
        some = [(nodes[place],) for place in places]
        collective_loads(loads, some, gpus, pattern, unit, groups=groups.sharing)
    fullest = max(
        (load for (_, _, key), load in loads.loads.items() if link_of(key) == 1), default=0.0
    )
    assert fullest == pytest.approx(uplink.per_algbw)


def test_a_layout_that_does_not_fit_is_refused_with_the_reason() -> None:
    for words, why in (
        ("8, all_reduce, tp=3", "does not divide"),
        ("8, all_reduce, tp=8, group=ep", "has no group 'ep'"),
        ("8, all_reduce, tp=8, tp=2", "tp is given twice"),
    ):
        with pytest.raises(JobError, match=why):
            together(RACKS, words)
    with pytest.raises(JobError, match="write of storage has no layout"):
        together(ONE_NIC, "all, write, tp=8")


def test_packed_jobs_leave_each_other_alone() -> None:
    one, other = together(RACKS, "node[rack=0], all_to_all", "4 nodes, all_to_all, packed")
    assert one.kept == other.kept == 1.0 and not one.contended


def test_a_checkpoint_takes_its_part_of_the_only_nic() -> None:
    # all raise their busiest NIC alike: the ring's to x, storage's to x, so that each of 8 nodes
    # writes 2 x / 8; a node's 12 GB/s hold x + x / 4
    ring, write = together(ONE_NIC, "all, all_gather, 1TiB", "all, write")
    assert ring.together_GBps == pytest.approx(9.6, rel=1e-3)
    assert write.together_GBps == pytest.approx(19.2, rel=1e-3)
    assert (ring.alone_GBps, write.alone_GBps) == pytest.approx((12.0, 24.0), rel=1e-3)
    assert ring.contended[0].link == "node.compute - leaf"
    assert write.label.kind == "at most" and "storage" in write.label.of
    # a read comes the other way, and the ring uses both
    _, read = together(ONE_NIC, "all, all_gather, 1TiB", "all, read")
    assert read.together_GBps == pytest.approx(19.2, rel=1e-3)


def test_alone_is_what_the_design_predicts() -> None:
    (alone,) = together(RACKS, "all, all_reduce")
    found = EvaluatedDesign(parse_design(RACKS, "test"), CATALOG).analysis
    assert alone.alone_GBps == alone.together_GBps == found.busbw_GBps
    assert alone.label == found.busbw_label


def test_jobs_on_single_nodes_meet_nobody() -> None:
    one, other = together(RACKS, "1, all_reduce", "7, all_reduce")
    assert one.kept == 1.0 and not other.contended


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("exchange", [False, True])
def test_loads_are_those_of_every_connection_on_the_expanded_fabric(
    seed: int, exchange: bool
) -> None:
    text = random_design(seed, 48)
    network, fabric = ComputeNetwork(plan_design(parse_design(text, "test"), CATALOG)), expand(text)
    if network.world.joined or network.world.nodes < 3:
        return
    routes, ranked = Routes(fabric), fabric.ranked_nodes()
    some = sorted(Random(seed).sample(range(len(ranked)), len(ranked) * 2 // 3))
    nodes = [ranked[at] for at in some]
    if len(nodes) < 2:
        return
    gpus = {node: int(fabric.part_of(node)["gpus"]) for node in nodes}
    loads = CableLoads(network.plan, network.slots)
    ours = [_own(node, network) for node in nodes]
    singly = [(node,) for node in ours]
    mine = dict(zip(ours, gpus.values(), strict=True))
    try:
        expected = exchange_loads(routes, nodes=nodes) if exchange else ring_loads(routes, nodes)
    except NoWay:
        with pytest.raises(Unreachable):
            collective_loads(loads, singly, mine, "pairs" if exchange else "ring", 1.0)
        return
    collective_loads(loads, singly, mine, "pairs" if exchange else "ring", 1.0)
    ranks = sum(gpus.values())
    scale = (ranks - 1) / ranks if exchange else 1.0
    fullest: dict[int, float] = {}
    for (cable, _, _), load in expected.items():
        fullest[cable.link] = max(fullest.get(cable.link, 0.0), float(load) * scale)
    found: dict[int, float] = {}
    for (_, _, key), load in loads.loads.items():
        if load:
            found[link_of(key)] = max(found.get(link_of(key), 0.0), load)
    assert found == pytest.approx(fullest)


def _own(node: OracleDevice, network: ComputeNetwork) -> tuple[str, tuple[int, ...]]:
    axes = network.plan.groups[node.group].axes
    return node.group, tuple(node.coordinates[axis] for axis in axes)


@pytest.mark.parametrize("seed", range(60))
def test_every_job_is_alone_or_held_by_a_full_cable_on_which_none_sends_more(seed: int) -> None:
    # what makes shares max-min fair (Bertsekas and Gallager, "Data Networks", section 6.5.2)
    rng = Random(seed)
    cables = [f"cable {n}" for n in range(rng.randint(1, 6))]
    room = {cable: rng.uniform(5, 50) for cable in cables}
    jobs = []
    for _ in range(rng.randint(1, 6)):
        loads = {cable: rng.uniform(0.1, 3) for cable in cables if rng.random() < 0.6}
        most = min((room[cable] / load for cable, load in loads.items()), default=40.0)
        jobs.append(Competitor(most * rng.uniform(0.2, 1), rng.uniform(0.2, 2), loads))
    shares = fair_shares(jobs, room)
    used = {
        cable: sum(s.moves * j.loads.get(cable, 0.0) for s, j in zip(shares, jobs, strict=True))
        for cable in cables
    }
    assert all(used[cable] <= room[cable] * (1 + 1e-6) for cable in cables)
    for share, job in zip(shares, jobs, strict=True):
        if share.moves == pytest.approx(job.alone):
            continue
        level = share.moves * job.busiest
        assert share.moves < job.alone
        assert any(
            used[cable] == pytest.approx(room[cable])
            and all(
                s.moves * j.busiest <= level * (1 + 1e-6)
                for s, j in zip(shares, jobs, strict=True)
                if j.loads.get(cable)
            )
            for cable in share.held_by
        )


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        (["9, all_reduce"], "8 nodes of 8 are free"),
        (["0, all_reduce"], "runs on one node at least"),
        (["6, all_reduce", "3, all_reduce"], "2 nodes of 8 are free"),
        (["all"], "say what it runs"),
        (["4, all_reduc"], "'all_reduc' is not one of all_reduce"),
        (["node[rack=0], all_reduce", "node[rack=0,node=1], all_reduce"], "belong to job 1"),
        (["node[row=0], all_reduce"], "row"),
        (["leaf[rack=0], all_reduce"], "selects no node with GPUs"),
        (["leaf - spine, all_reduce"], "no selector of nodes"),
        (["a: 2, all_reduce", "a: 2, all_reduce"], "another job is called a"),
        (["all, write"], "no storage to write"),
        (["1, send_recv, 0"], "is not one of"),
        (["4, all_reduce, \x1b[31m"], "is not one of"),
    ],
)
def test_a_job_that_cannot_run_is_refused_with_its_words(jobs: list[str], words: str) -> None:
    with pytest.raises(JobError) as refused:
        together(RACKS, *jobs)
    assert words in str(refused.value) and "\x1b" not in str(refused.value)


def test_jobs_that_name_nodes_come_first_and_others_take_what_is_left() -> None:
    design = parse_design(RACKS, "test")
    world = EvaluatedDesign(design, CATALOG).network.world
    first, named = read_jobs(["4, all_reduce", "node[rack=0], all_reduce"], design, world)
    assert node_words(named) == "node 0/0..3" and node_words(first) == "node 1/0..3"


WITH_JOBS = f"""{RACKS}jobs:
  - {{name: spread, nodes: ["node[rack=0,node=0..1]", "node[rack=1,node=2..3]"], runs: all_to_all}}
  - {{nodes: 4, runs: all_to_all}}
"""


def test_jobs_of_a_design_are_those_that_words_name() -> None:
    design = parse_design(WITH_JOBS, "test")
    of_file = jobs_together(design.jobs, design, CATALOG)
    words = "spread: node[rack=0,node=0..1] + node[rack=1,node=2..3], all_to_all"
    assert of_file == jobs_together([words, "4, all_to_all"], design, CATALOG)
    assert node_words(of_file[0].job) == "node 0/0..1, 1/2..3"
    assert node_words(of_file[1].job) == "node 0/2..3, 1/0..1"
    assert read_job(words) == design.jobs[0]


def test_every_job_of_a_design_that_cannot_run_is_a_finding_at_its_line() -> None:
    text = WITH_JOBS.replace("2..3", "2..7").replace("nodes: 4", "nodes: 9")
    found = EvaluatedDesign(parse_design(text, "test"), CATALOG).findings
    bad = [one for one in found if one.code == "bad-job"]
    assert [one.where for one in bad] == ["jobs[0]", "jobs[1]"]
    assert "runs from 0 to 3" in bad[0].text and "9 nodes wanted" in bad[1].text
    assert (
        lines_of_entries(text)["jobs[1]"]
        == text.splitlines().index("  - {nodes: 9, runs: all_to_all}") + 1
    )


def test_jobs_follow_their_nodes_through_edits() -> None:
    renamed = rename_group(parse_design(WITH_JOBS, "test"), "node", "host").design
    assert renamed.jobs[0].nodes == ("host[rack=0,host=0..1]", "host[rack=1,host=2..3]")
    fewer = set_count(renamed, "host", 2).design
    assert fewer.jobs[0].nodes == "host[rack=0,host=0..1]" and len(fewer.jobs) == 2
    assert [job.nodes for job in remove_group(renamed, "host").design.jobs] == [4]


def test_plain_data_has_every_figure() -> None:
    data = jobs_as_data(together(ONE_NIC, "train: all, all_reduce", "all, write"))
    assert [one["name"] for one in data["jobs"]] == ["train", "job 2"]
    assert data["jobs"][0]["contended"][0]["jobs"] == ["train", "job 2"]
    assert data["jobs"][1]["message_bytes"] is None
