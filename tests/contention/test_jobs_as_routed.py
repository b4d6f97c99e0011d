"""Jobs at once by the routing of their design, and on NVLink racks."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from tests.contention.test_jobs_at_once import ONE_NIC, RACKS
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.job_list import read_jobs
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Collective, Request, Routing
from toposmith.analysis.traffic.spread_shortfall import ADAPTIVE_SHARE
from toposmith.catalog import load_catalog
from toposmith.contention.cable_loads import HashedLoads
from toposmith.contention.job_traffic import Running, run_job
from toposmith.contention.job_words import sharing_words
from toposmith.contention.together import JobFigure, jobs_together
from toposmith.design.document import RoutingMode
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.class_builder import link_of

CATALOG = load_catalog(user=False)

TRAYS = """\
toposmith: 2
name: four NVLink racks at 2 to 1
axes: {rack: 4, rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, per: [rack, rail]}
  spine: {part: qm9700, per: [rail]}
links:
  - {between: [tray.compute, leaf]}
  - {between: [leaf, spine], cables: 9}
"""

TORUS = """\
toposmith: 2
name: a torus of 4 by 4
axes: {x: 4, y: 4}
groups:
  node: {part: hgx-a100-8, per: [x, y], nics: {compute: {part: connectx-6-hdr, count: 1}}}
  switch: {part: qm8700, per: [x, y]}
links:
  - {between: [node.compute, switch]}
  - {between: [switch, switch], along: {x: next}}
  - {between: [switch, switch], along: {y: next}}
"""


def together(text: str, mode: RoutingMode, *jobs: str, pairs: int = 1) -> tuple[JobFigure, ...]:
    asked = Request(routing=Routing(mode, pairs))
    return jobs_together(jobs, parse_design(text, "test"), CATALOG, asked)


def running(text: str, mode: RoutingMode, job: str) -> Running:
    evaluated = EvaluatedDesign(parse_design(text, "test"), CATALOG)
    (wanted,) = read_jobs([job], evaluated.design, evaluated.network.world)
    return run_job(wanted, evaluated, Request(routing=Routing(mode)))


def test_adaptive_routing_loses_its_part_above_the_leaf() -> None:
    # as ideally routed, where 16 uplinks of 48 GB/s hold both exchanges at 46.5 each
    jobs = ("4, all_to_all, striped", "4, all_to_all")
    for one in together(RACKS, "adaptive", *jobs):
        assert one.together_GBps == pytest.approx(46.5 * ADAPTIVE_SHARE, rel=1e-3)
        assert one.contended[0].link == "leaf - spine"
    assert "adaptively routed" in sharing_words(together(RACKS, "adaptive", *jobs))


@pytest.mark.parametrize("mode", ["adaptive", "static"])
def test_without_a_choice_of_paths_every_routing_is_ideal(mode: RoutingMode) -> None:
    jobs = ("all, all_gather, 1TiB", "all, write")
    ideal = together(ONE_NIC, "ideal", *jobs)
    for one, other in zip(together(ONE_NIC, mode, *jobs), ideal, strict=True):
        assert one.alone_GBps == pytest.approx(other.alone_GBps)
        assert one.together_GBps == pytest.approx(other.together_GBps)


@pytest.mark.parametrize("mode", ["adaptive", "static"])
@pytest.mark.parametrize("runs", ["all_reduce", "all_to_all"])
def test_alone_is_what_the_design_predicts_by_that_routing(
    mode: RoutingMode, runs: Collective
) -> None:
    (one,) = together(RACKS, mode, f"all, {runs}")
    asked = Request(runs, routing=Routing(mode))
    found = EvaluatedDesign(parse_design(RACKS, "test"), CATALOG, asked).analysis
    assert one.alone_GBps == one.together_GBps == found.busbw_GBps


@pytest.mark.parametrize("job", ["8, all_to_all", "8, all_gather, tp=8, dp=8"])
def test_drawn_hashes_hold_a_job_as_long_as_the_closed_form_expects(job: str) -> None:
    # two ways to one expectation: cables drawn one by one, and balls into bins
    one = running(RACKS, "static", job)
    random, hashed = Random(7), HashedLoads(one.loads, 1)
    times = []
    for _ in range(300):
        loads = hashed.drawn(random).items()
        times.append(max(1 / one.at_best, *(load / one.room(c[0]) for c, load in loads)))
    assert mean(times) == pytest.approx(1 / one.alone, rel=0.08)


def test_every_connection_takes_one_path_whatever_is_drawn() -> None:
    one = running(RACKS, "static", "8, all_to_all")
    drawn = HashedLoads(one.loads, 4).drawn(Random(1))
    by_link: dict[int, float] = {}
    for ((_, _, key), _), load in drawn.items():
        by_link[link_of(key)] = by_link.get(link_of(key), 0.0) + load
    even: dict[int, float] = {}
    for cable, load in one.loads.loads.items():
        even[link_of(cable[2])] = even.get(link_of(cable[2]), 0) + load * one.loads.alike[cable]
    assert by_link == pytest.approx(even)


def test_hashes_of_two_jobs_leave_less_than_either_has_alone() -> None:
    jobs = ("4, all_to_all, striped", "4, all_to_all")
    one, other = together(RACKS, "static", *jobs)
    ideal, _ = together(RACKS, "ideal", *jobs)
    assert one.together_GBps < one.alone_GBps <= ideal.alone_GBps
    assert one.together_GBps < ideal.together_GBps
    assert other.contended and other.contended[0].cables >= 1
    spread, _ = together(RACKS, "static", *jobs, pairs=16)
    assert one.together_GBps < spread.together_GBps < ideal.together_GBps * 1.001


@pytest.mark.parametrize("runs", ["all_reduce", "all_gather"])
def test_jobs_of_a_torus_take_one_axis_after_the_other(runs: Collective) -> None:
    asked = Request(runs, routing=Routing("dimension-order"))
    found = EvaluatedDesign(parse_design(TORUS, "test"), CATALOG, asked).analysis
    (one,) = together(TORUS, "dimension-order", f"all, {runs}")
    assert one.alone_GBps == found.busbw_GBps
    assert "routed" not in one.label.words


def test_jobs_of_a_torus_meet_where_their_axes_lead_them() -> None:
    # one goes x first, all of it from (1, 0) to (1, 1), where half of the other goes, too:
    # x + x / 2 fills 24 GB/s. Ideally the one would be split over two ways, and both fit
    jobs = (
        "node[x=0,y=0] + node[x=1,y=1], all_gather, 1TiB",
        "node[x=1,y=0] + node[x=1,y=2], all_gather, 1TiB",
    )
    for one in together(TORUS, "dimension-order", *jobs):
        assert one.kept == pytest.approx(2 / 3, rel=1e-3)
    assert [one.kept for one in together(TORUS, "ideal", *jobs)] == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize(
    ("collective", "layout", "group"),
    [
        *(("all_reduce", "", ""), ("all_gather", "tp=72,dp=4", "dp"), ("all_to_all", "", "")),
        *(("all_to_all", "tp=72,ep=4", "ep"), ("send_recv", "tp=72,pp=4", "pp")),
    ],
)
def test_cables_of_racks_carry_what_the_class_graph_counts(
    collective: Collective, layout: str, group: str
) -> None:
    job = Job(parse_layout(layout), group)
    evaluated = EvaluatedDesign(parse_design(TRAYS, "test"), CATALOG)
    asked = Request(collective, 2**33, job=job)
    predictor = evaluated.asking(asked).question.predictor
    assert predictor is not None
    outcome = predictor.at(2**33)
    (uplink,) = [each for each in outcome.demands if each.link == "leaf - spine"]
    words = ", ".join(word for word in (collective, layout, group and f"group={group}") if word)
    one = running(TRAYS, "ideal", f"all, {words}")
    fullest = max(load for (_, _, key), load in one.loads.loads.items() if link_of(key) == 1)
    assert fullest == pytest.approx(uplink.per_algbw)


def test_racks_side_by_side_share_the_spines_and_nothing_inside() -> None:
    jobs = ("tray[rack=0..1], all_to_all", "tray[rack=2..3], all_to_all")
    one, other = together(TRAYS, "ideal", *jobs)
    found = EvaluatedDesign(
        parse_design(TRAYS + "absent: ['tray[rack=2..3]']\n", "test"),
        CATALOG,
        Request("all_to_all"),
    ).analysis
    assert one.alone_GBps == other.alone_GBps == found.busbw_GBps
    assert one.label == found.busbw_label
    inside, rest = together(TRAYS, "ideal", "tray[rack=0], all_reduce", "54, all_to_all")
    assert inside.kept == rest.kept == 1.0 and not inside.contended
    # two jobs in one rack have NVLink each to itself
    halves = together(
        TRAYS, "ideal", "tray[rack=0,tray=0..8], all_reduce", "tray[rack=0,tray=9..17], all_reduce"
    )
    assert [one.kept for one in halves] == [1.0, 1.0]


def test_halves_of_racks_share_the_uplinks_of_their_leaves() -> None:
    # 36 of 72 ranks in a rack send half of their data to the other: 36 x 1/2 over four leaves,
    # 4.5 of each job on 9 uplinks of 48: algbw 48 together, 96 alone, busbw 71/72 of that
    jobs = [f"tray[rack=0..1,tray={some}], all_to_all, 1TiB" for some in ("0..8", "9..17")]
    for one in together(TRAYS, "ideal", *jobs):
        assert one.together_GBps == pytest.approx(48 * 71 / 72, rel=1e-3)
        assert one.alone_GBps == pytest.approx(96 * 71 / 72, rel=1e-3)
        assert one.contended[0].link == "leaf - spine" and one.contended[0].cables == 72
