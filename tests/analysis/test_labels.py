"""Figures say no more than is known: at least, at most, of what a bound is, which bands hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.every_design import LARGE
from toposmith.analysis.analyse import Answers, Questions, analyse, predict_all
from toposmith.analysis.bounds.best import Best
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.prediction.error_band import (
    FEWEST_FOR_A_SHARE,
    FEWEST_SYSTEMS,
    SIZE_RANGES,
    published,
    reached_by_exchanges,
    size_range,
)
from toposmith.analysis.prediction.figure_labels import exchange_label
from toposmith.analysis.prediction.node_view import is_modelled
from toposmith.analysis.prediction.published import ONE_SLOWER, published_label
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.result import Analysis, as_json
from toposmith.analysis.summary import scale_words
from toposmith.catalog import Cages, Catalog, Nic, Node, Part, PortMode, Switch, load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.labels import Label, in_ascii, inverse
from toposmith.nccl.nccl_version import parse_version
from toposmith.saved_designs import FOLDER

PARTS = load_catalog()
KIB, MIB, GIB = 2**10, 2**20, 2**30


def _switches() -> list[Part]:
    """A switch with ports enough for every NIC, so that each node can be wired in each way."""
    made: dict[str, Switch] = {}
    for nic in PARTS:
        if not isinstance(nic, Nic):
            continue
        name = switch_of(nic)
        made[name] = Switch(
            id=name,
            name="switch",
            vendor="test",
            source="made for the tests",
            protocol=nic.protocols[0],
            cages=Cages(
                count=512,
                cage=nic.cage,
                lanes=nic.lanes,
                modes=(PortMode(ports=1, speed_gbit=nic.speed_gbit),),
            ),
        )
    return [*made.values()]


def switch_of(nic: Nic) -> str:
    return f"test-{nic.protocols[0]}-{nic.cage.replace('+', 'p')}-{nic.lanes}-{nic.speed_gbit}"


CATALOG = Catalog([*PARTS, *_switches()])
NODES = [part for part in PARTS if isinstance(part, Node) and "compute" in part.slots]
EACH_NODE = pytest.mark.parametrize("node", NODES, ids=[node.id for node in NODES])
TRAYS = [n for n in NODES if n.nvlink and (n.nvlink.domain_gpus or 0) > n.gpus]
PREDICTED = [node for node in TRAYS if is_modelled(CATALOG.gpu(node.gpu))]
EACH_TRAY = pytest.mark.parametrize("node", PREDICTED, ids=[node.id for node in PREDICTED])


def wirings(node: Node, nodes: int = 4) -> dict[str, Plan]:
    """Nodes on one switch, on a leaf for each port with nothing above, and with a spine."""
    slots = node.slots["compute"]
    fast = "connectx-7-ndr" if slots.pcie.generation >= 5 else "connectx-6-hdr"
    nic = CATALOG.nic(slots.nic or fast)
    many = slots.fitted if slots.nic else slots.count
    fitted = {} if slots.nic else {"compute": FittedNics(part=nic.id, count=many)}
    group, part = Group(part=node.id, count=nodes, nics=fitted), switch_of(nic)
    up = Link(between=("node.compute", "leaf"))
    rails = {"rail": many * nic.ports}
    leaf = Group(part=part, per=("rail",))
    made = {
        "one switch": Design(groups={"node": group, "leaf": Group(part=part)}, links=(up,)),
        "rails": Design(axes=rails, groups={"node": group, "leaf": leaf}, links=(up,)),
        "rails and spine": Design(
            axes=rails,
            groups={"node": group, "leaf": leaf, "spine": Group(part=part)},
            links=(up, Link(between=("leaf", "spine"), cables=nodes)),
        ),
    }
    return {name: plan_design(design, CATALOG) for name, design in made.items()}


@pytest.fixture(scope="module", params=NODES, ids=[node.id for node in NODES])
def wired(request: pytest.FixtureRequest) -> tuple[Node, dict[str, Questions]]:
    """A node in each wiring; the tests of one node run together and share its figures."""
    node: Node = request.param
    return node, {name: Questions(plan, CATALOG) for name, plan in wirings(node).items()}


def codes(analysis: Analysis) -> set[str]:
    return {finding.code for finding in analysis.findings}


def planned(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)


PCIE_RAILS = (
    "axes: {rail: 4}\n"
    "groups:\n"
    "  node: {part: rtx-pro-6000-8, count: 4,"
    " nics: {compute: {part: connectx-7-ndr, count: 4}}}\n"
    "  leaf: {part: qm9700, per: [rail]}\n"
    "links: [{between: [node.compute, leaf]}]\n"
)


ACROSS_GBPS = 2 / 3 * 16 * 32 * 128 / 130 / 8
"""Of sockets whose rate no source says: two thirds of 16 lanes of 32 GT/s at 128 of 130 bits."""


def test_what_changes_rail_in_a_pcie_node_crosses_the_sockets() -> None:
    found = analyse(planned(PCIE_RAILS), CATALOG, Request("all_to_all", 2**36))
    # half of 32 ranks exchange with the others over 4 x 42 GB/s: S/T = 32 x 4 x 42 / 16^2
    assert found.bound_busbw_GBps == pytest.approx(ACROSS_GBPS / 2 * 31 / 32, rel=1e-4)
    assert found.bound_label.kind == "assumed"  # no source says what its sockets exchange
    assert found.bound_label.of.startswith("what crosses the sockets of all nodes, with what")
    assert {cut.link: cut.cables for cut in found.bound_cut} == {"node sockets": 4}
    # no NIC of a socket reaches those of the other: 4 GPUs send half of their 32 shares across
    assert found.busbw_GBps == pytest.approx(ACROSS_GBPS / (4 * 16 / 32) * 31 / 32, rel=1e-4)
    assert {load.link for load in found.limiting} == {"node sockets"}
    assert codes(found).isdisjoint({"above-bound"})
    assert found.busbw_label.kind == "model"


def test_over_a_spine_gpus_without_nvlink_send_by_their_own_nics() -> None:
    joined = PCIE_RAILS.replace("links: [", "  spine: {part: qm9700}\nlinks: [").replace(
        "leaf]}]", "leaf]}, {between: [leaf, spine]}]"
    )
    found = analyse(planned(joined), CATALOG, Request("all_to_all", 2**36))
    # PXN goes over NVLink: of 3/4 of its data that leave a node, a GPU sends 3/4 to other rails,
    # and the four NICs of a leaf, two GPUs each, share one cable of 48 GB/s up
    assert found.busbw_GBps == pytest.approx(48 / (4 * 2 * 24 / 32 * 3 / 4) * 31 / 32, rel=1e-3)
    assert {load.link for load in found.limiting} == {"leaf - spine"}
    words = {one.id: one.words for one in found.assumed}
    assert words["pxn"].startswith("off: no NVLink joins all GPUs of a node")


def above(answers: Answers) -> Answers:
    """The same request where half of what is predicted is the bound."""
    assert answers.predictor is not None
    outcome = answers.predictor.at(answers.request.message_bytes)
    half = Best(outcome.busbw_GBps / 2, Label("bound", "made for the test"))
    answers.__dict__["best"] = half
    return answers


def test_a_prediction_above_its_bound_is_labelled_and_has_no_share() -> None:
    asked = Questions(planned(PCIE_RAILS), CATALOG)
    found = above(asked.of(Request("all_to_all", 2**36))).analysis()
    assert found.busbw_label.kind == "at most"
    (finding,) = [one for one in found.findings if one.code == "above-bound"]
    assert "above the bound of 10.17" in finding.text
    assert (found.band, found.no_band) == (None, "no band: above the bound")
    assert found.share_of_bound is None
    assert found.share_label.why == "the prediction is above its bound: the model leaves out " + (
        "what limits it"
    )
    told = as_json(found)
    assert told["share_of_bound"] is None
    assert told["labels"]["share_of_bound"]["is"] == "unknown"
    assert told["labels"]["busbw_GBps"]["is"] == "at most"
    assert told["labels"]["time_us"]["is"] == "at least"


def test_a_preview_and_a_curve_label_what_is_above_its_bound() -> None:
    asked, request = Questions(planned(PCIE_RAILS), CATALOG), Request("all_to_all", 2**36)
    above(asked.of(request))
    assert asked.prediction(request).busbw_label.kind == "at most"
    drawn = asked.curve(request)
    assert drawn is not None
    assert drawn.points[-1].label.kind == "at most"
    assert drawn.points[0].label.kind == "model"


def test_groups_of_experts_across_sockets_are_labelled_like_the_world() -> None:
    job = Job(parse_layout("ep=16,dp=2"), "ep")
    found = analyse(planned(PCIE_RAILS), CATALOG, Request("all_to_all", 2**36, job=job))
    # two groups of 16 ranks, 8 on each side: 2 x 8 x 8 / 16 of S/T cross 4 x 42 GB/s
    most = 4 * ACROSS_GBPS / 8 * 15 / 16
    assert found.bound_busbw_GBps == pytest.approx(most, rel=1e-4)
    assert ("above-bound" in codes(found)) == ((found.busbw_GBps or 0) > most)


@pytest.mark.slow
def test_no_prediction_is_above_its_bound_without_its_label_and_finding(
    wired: tuple[Node, dict[str, Questions]],
) -> None:
    for name, asked in wired[1].items():
        for collective in COLLECTIVES:
            found = asked.analysis(Request(collective, 2**36))
            if found.busbw_GBps is None:
                continue
            reducing = found.algorithm in ("nvls", "nvls_tree", "collnet_direct", "collnet_chain")
            reduces = collective == "all_reduce" and reducing
            bound = found.bound_with_reduction_GBps if reduces else found.bound_busbw_GBps
            above = bound is not None and found.busbw_GBps > bound * (1 + 1e-6)
            where = f"{name}, {collective}: {found.busbw_GBps} of {bound}"
            assert ("above-bound" in codes(found)) == above, where
            assert (found.busbw_label.kind == "at most") == above, where
            assert not above or found.band is None, where


@pytest.mark.slow
@pytest.mark.parametrize(
    "node", [n for n in NODES if n.nvlink is None or n.nvlink.shape == "bridge"], ids=lambda n: n.id
)
def test_what_exceeds_the_exact_optimum_of_an_exchange_is_found_without_solving(
    node: Node,
) -> None:
    pytest.importorskip("scipy")
    for name, plan in wirings(node).items():
        request = Request("all_to_all", 2**36)
        found = analyse(plan, CATALOG, request)
        best = analyse(plan, CATALOG, Request("all_to_all", 2**36, exact=True)).bound_busbw_GBps
        if found.busbw_GBps is None or best is None:
            continue
        assert ("above-bound" in codes(found)) == (found.busbw_GBps > best * (1 + 1e-6)), name


def test_only_of_nvlink_and_xgmi_it_is_known_what_collectives_take() -> None:
    assert {node.id for node in TRAYS if node not in PREDICTED} == {"helios-mi455x-tray"}


def test_every_tray_of_a_wider_nvlink_domain_is_known() -> None:
    assert {node.id for node in TRAYS} == {
        *("gb200-nvl72-tray", "gb300-nvl72-tray", "a4x-highgpu-4g", "bm-gpu-gb300-4"),
        *("ars-121gl-nb3-lcc", "gb200-nvl36-tray", "helios-mi455x-tray"),
        "vera-rubin-nvl72-tray",
    }
    # GB200 and GB300 with NVSwitches come in such racks only
    rack_gpus = {"gb200", "gb300"}
    switched = [n for n in NODES if n.nvlink and n.nvlink.shape == "nvswitch"]
    assert all(n in TRAYS for n in switched if n.gpu in rack_gpus)


@EACH_TRAY
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_trays_beyond_one_rack_side_by_side_do_at_least_so_much(
    node: Node, collective: Collective
) -> None:
    for plan in wirings(node, 19).values():
        found = analyse(plan, CATALOG, Request(collective))
        if found.busbw_GBps is None:
            continue
        assert found.busbw_label.kind == "at least"
        assert "wider-nvlink-domain" in codes(found)
        assert found.bound_busbw_GBps is found.bound_with_reduction_GBps is None
        assert found.share_of_bound is found.bisection_GBps is found.next_step is None
        assert found.band is None and found.no_band
        assert found.bound_cut == ()
        labels = as_json(found)["labels"]
        assert [labels[key]["is"] for key in ("busbw_GBps", "algbw_GBps", "time_us")] == [
            *("at least", "at least", "at most")
        ]
        assert "exact" not in {each["is"] for each in labels.values()}


@EACH_TRAY
def test_every_point_of_their_curve_is_at_least_so_much(node: Node) -> None:
    drawn = Questions(wirings(node, 19)["one switch"], CATALOG).curve(Request())
    assert drawn is not None
    assert {point.label.kind for point in drawn.points} == {"at least"}
    assert {point.floor_us for point in drawn.points} == {None}


@EACH_TRAY
def test_inside_one_tray_figures_are_those_of_its_nvlink(node: Node) -> None:
    job = Job(parse_layout("tp=4"), "tp")
    found = analyse(wirings(node, 18)["one switch"], CATALOG, Request(job=job))
    gpu = CATALOG[node.gpu]
    unsure = "branches" in node.unverified or not {"pcie", "nvlink"}.isdisjoint(gpu.unverified)
    kind = "assumed" if unsure else "bound"
    assert (found.busbw_label.kind, found.bound_label.kind) == ("model", kind)
    alone = analyse(planned(f"groups: {{node: {{part: {node.id}}}}}\n"), CATALOG)
    kind = "assumed" if "nvlink" in gpu.unverified else "exact"
    assert (alone.busbw_label.kind, alone.bound_is) == ("model", kind)


@cache
def asked_of(path: Path) -> Questions:
    design = parse_design(path.read_text(encoding="utf-8"), path.stem)
    return Questions(plan_design(design, CATALOG), CATALOG)


@pytest.mark.parametrize(
    "path",
    sorted(path for path in FOLDER.glob("*.yaml") if path.stem != LARGE),
    ids=lambda path: path.stem,
)
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_no_band_exceeds_the_bound_of_what_runs(path: Path, collective: Collective) -> None:
    for size in (16 * KIB, 128 * KIB, 16 * MIB, 128 * MIB, 8 * GIB):
        found = asked_of(path).analysis(Request(collective, size))
        assert found.busbw_GBps is not None
        assert (found.band is None) == bool(found.no_band)
        if found.band is None:
            continue
        assert found.band.systems >= FEWEST_SYSTEMS
        assert found.band.low <= found.band.high
        switched = found.algorithm in ("nvls", "nvls_tree") and collective == "all_reduce"
        bound = found.bound_with_reduction_GBps if switched else found.bound_busbw_GBps
        assert bound is not None
        assert found.busbw_GBps * (1 + found.band.high) <= bound * (1 + 1e-9)
        share = found.band.systems >= FEWEST_FOR_A_SHARE and 0.7 <= found.band.held_out <= 0.9
        assert found.band.supports_8_of_10 == share
        assert len(found.band.names) == found.band.systems


@pytest.mark.parametrize(
    ("node", "nics", "why"),
    [
        ("l40s-8", "{part: connectx-6-hdr, count: 4}", "several nodes without NVLink over RDMA"),
        ("mi300x-8", "{part: connectx-7-400-qsfp112, count: 8}", "RCCL"),
        (
            "hgx-a100-8",
            "{part: connectx-6-200gbe, count: 8}",
            "",
        ),
    ],
)
def test_kinds_of_systems_that_too_few_have_published_have_no_band(
    node: str, nics: str, why: str
) -> None:
    leaf = {"l40s-8": "qm8700"}.get(node, "sn5600" if node == "mi300x-8" else "sn4600c")
    found = analyse(
        planned(
            f"groups:\n  node: {{part: {node}, count: 4, nics: {{compute: {nics}}}}}\n"
            f"  leaf: {{part: {leaf}}}\nlinks: [{{between: [node.compute, leaf]}}]\n"
        ),
        CATALOG,
    )
    assert found.busbw_GBps is not None
    assert (found.band is None) == bool(why)
    assert why in found.no_band


@EACH_NODE
def test_between_two_nodes_only_whole_nvswitch_nodes_have_bands(node: Node) -> None:
    found = analyse(wirings(node, 2)["one switch"], CATALOG)
    if found.busbw_GBps is None:
        return
    slots = node.slots["compute"]
    nic = CATALOG.nic(slots.nic) if slots.nic else None
    over = nic.transport(nic.protocols[0]) if nic else "infiniband"
    switched = node.nvlink is not None and node.nvlink.shape == "nvswitch" and node not in TRAYS
    assert (found.band is not None) == (switched and over in ("infiniband", "roce", "efa"))


def test_what_is_down_and_what_shares_nics_has_no_band() -> None:
    text = (
        "groups: {node: {part: dgx-h100, count: 2}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    assert analyse(planned(text), CATALOG).band is not None
    broken = analyse(planned(text + 'down: ["node[node=0].compute[0]"]\n'), CATALOG)
    assert (broken.band, "without faults" in broken.no_band) == (None, True)
    job = Job(parse_layout("tp=8,dp=2"), "dp")
    shared = analyse(planned(text), CATALOG, Request(job=job))
    assert (shared.band, "share a node's NICs" in shared.no_band) == (None, True)


def test_no_band_of_a_ring_goes_above_the_line_rate_of_the_nics(
    wired: tuple[Node, dict[str, Questions]],
) -> None:
    node, each = wired
    slots = node.slots["compute"]
    for asked in each.values():
        fitted = asked.plan.design.groups["node"].nics.get("compute")
        nic = CATALOG.nic(fitted.part if fitted else slots.nic or "")
        many = fitted.count if fitted else slots.fitted
        found = asked.analysis(Request())
        line_GBps = many * nic.together_gbit / 8
        if found.algorithm == "ring" and found.band and found.busbw_GBps:
            assert found.busbw_GBps * (1 + found.band.high) <= line_GBps * (1 + 1e-9)


A100_NODES = (
    "groups:\n  node: {{part: hgx-a100-8, count: {nodes},"
    " nics: {{compute: {{part: connectx-6-hdr, count: {nics}}}}}}}\n"
    "  leaf: {{part: qm8700}}\nlinks: [{{between: [node.compute, leaf]}}]\n"
)


@pytest.mark.parametrize(
    ("nodes", "nics", "shown"),
    [(4, 8, True), (4, 4, False), (4, 2, False), (2, 8, True), (2, 4, True), (2, 2, False)],
)
def test_a_band_is_of_systems_in_which_as_many_gpus_share_a_nic(
    nodes: int, nics: int, shown: bool
) -> None:
    # published at 1 GiB and more: 4 HDR NICs for 8 A100 between two nodes, a NIC a GPU between more
    found = analyse(planned(A100_NODES.format(nodes=nodes, nics=nics)), CATALOG)
    assert (found.band is not None) == shown
    assert shown == ("share one" not in found.no_band)
    if not shown and nodes == 4:
        assert found.no_band.startswith(
            "too few published results: published systems have a NIC for each GPU, "
            f"here {8 // nics} share one"
        )


def test_between_two_nodes_a_band_reaches_what_published_trees_did() -> None:
    # OCI's A100 nodes: 238 GB/s of busbw over 8 x 25 GB/s, which no ring can do
    found = analyse(planned(A100_NODES.format(nodes=2, nics=8)), CATALOG)
    assert found.algorithm == "ring"
    assert found.band is not None and found.busbw_GBps is not None
    assert found.busbw_GBps * (1 + found.band.high) > 200


def test_classes_with_fewer_than_three_systems_are_known_and_not_shown() -> None:
    bands = published()["bands"]
    few = {name for name, found in bands.items() if len(found["systems"]) < FEWEST_SYSTEMS}
    assert "whole NVSwitch nodes over EFA, 1 to 64 MiB" in few
    wiring = wirings(CATALOG.node("p5-48xlarge"), 4)["one switch"]
    found = analyse(wiring, CATALOG, Request(message_bytes=16 * 2**20))
    assert found.band is None
    assert found.no_band == (
        "no band: 1 published system (whole NVSwitch nodes over EFA) reached 42 to 58 % of it at "
        "such sizes: what its network's software costs is not modelled"
    )
    assert found.busbw_label.words == "model: the one published system is slower"
    gib = analyse(
        wirings(CATALOG.node("p5-48xlarge"), 4)["one switch"],
        CATALOG,
        Request(message_bytes=128 * 2**20),
    )
    assert gib.no_band == (
        "too few published results: needs 3 systems, has 1 (whole NVSwitch nodes over EFA)"
    )


@pytest.mark.parametrize(
    ("systems", "high", "words"),
    [
        (2, -0.1, "at most: published runs are slower"),
        (2, -0.09, "model"),
        (1, -0.1, "model: the one published system is slower"),
        (3, -0.1, "model"),  # a band says it
    ],
)
def test_where_all_that_few_systems_published_is_far_below_the_figure_is_at_most(
    systems: int, high: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "whole NVSwitch nodes over EFA, 32 KiB to 1 MiB"
    found = published()["bands"][name] | {"low": -0.5, "high": high, "systems": ["a"] * systems}
    monkeypatch.setitem(published()["bands"], name, found)
    assert published_label("whole NVSwitch nodes over EFA", 2**16).words == words


def test_where_the_one_published_system_is_far_below_every_size_says_so() -> None:
    # read off the table: a system over EFA whose best result is a tenth and more below
    far = {
        at
        for at, (_, _, sizes) in enumerate(SIZE_RANGES)
        for found in [published()["bands"].get(f"whole NVSwitch nodes over EFA, {sizes}")]
        if found and len(found["systems"]) == 1 and found["high"] <= -0.1
    }
    assert far == {1, 2}  # 32 KiB to 64 MiB
    wiring = wirings(CATALOG.node("p5-48xlarge"), 4)["one switch"]
    drawn = Questions(wiring, CATALOG).curve(Request())
    assert drawn is not None
    assert {size_range(point.message_bytes) for point in drawn.points} > far
    for point in drawn.points:
        assert (point.label.of == ONE_SLOWER) == (size_range(point.message_bytes) in far)
    some = Request(message_bytes=2**20)
    assert analyse(wiring, CATALOG, some).busbw_label.of == ONE_SLOWER
    forced = replace(some, algorithm="ring")
    assert analyse(wiring, CATALOG, forced).busbw_label.words == "model"


def test_a_band_says_of_how_large_runs_it_is() -> None:
    small, large = (
        analyse(wirings(CATALOG.node("dgx-h100"), nodes)["one switch"], CATALOG)
        for nodes in (4, 64)
    )
    assert small.band is not None and large.band is not None
    assert small.band.most_gpus == large.band.most_gpus == 32  # of 4 nodes of 8, all three
    assert not scale_words(small.band, small.communicator.size)
    assert "32 GPUs, this has 512" in scale_words(large.band, large.communicator.size)


def test_what_sharp_brings_is_said_with_what_it_rests_on() -> None:
    text = (
        "groups:\n  node: {part: hgx-a100-8, count: 4,"
        " nics: {compute: {part: connectx-6-hdr, count: 4}}}\n"
        "  leaf: {part: qm8700}\nlinks: [{between: [node.compute, leaf]}]\n"
    )
    # with four NICs for eight GPUs, which later releases do not reduce over
    plan, asked = planned(text), Request(version=parse_version("2.30"))
    without, with_it = (analyse(plan, CATALOG, replace(asked, sharp=on)) for on in (False, True))
    # four NICs of 24 GB/s: a ring carries 96 of busbw; 86 % of them as algbw, times 62 / 32
    assert without.busbw_GBps == pytest.approx(96, rel=0.01)
    assert with_it.busbw_GBps == pytest.approx(0.86 * 96 * 62 / 32, rel=0.01)
    assert "sharp-of-one-system" in codes(with_it) and "sharp-of-one-system" not in codes(without)
    forced = analyse(plan, CATALOG, replace(asked, sharp=True, algorithm="ring"))
    assert forced.busbw_GBps == pytest.approx(without.busbw_GBps, rel=0.01)
    assert "sharp-not-chosen" in codes(forced)


def test_sharp_is_held_by_nvlink_where_the_nics_are_wide() -> None:
    # each byte takes 14 / 8 of the 240 GB/s of NVLink: 137 GB/s, less than eight NICs carry; NCCL's
    # maintainers count on some 110 of algbw, 220 of busbw (issue 320)
    text = (
        "groups:\n  node: {part: dgx-a100, count: 4}\n"
        "  leaf: {part: qm8700}\nlinks: [{between: [node.compute, leaf]}]\n"
    )
    found = analyse(planned(text), CATALOG, Request(sharp=True))
    assert found.busbw_GBps == pytest.approx(220, rel=0.04)


@pytest.mark.parametrize(
    ("node", "code"),
    [
        ("g4dn-metal", "efa-without-gpudirect"),
        ("p3dn-24xlarge", "efa-without-gpudirect"),
        ("g5-48xlarge", "efa-gpudirect-unknown"),
        ("p5-48xlarge", ""),
    ],
)
def test_efa_reaches_the_memory_of_gpus_from_a100_on(node: str, code: str) -> None:
    found = analyse(wirings(CATALOG.node(node))["one switch"], CATALOG)
    assert {one for one in codes(found) if one.startswith("efa-")} == ({code} - {""})


def test_labels_turn_about_and_have_an_ascii_form() -> None:
    least = Label("at least", "NVLink between nodes is left out")
    assert least.marked("189 GB/s") == "≥ 189 GB/s"
    assert in_ascii(least.marked("189 GB/s")) == ">= 189 GB/s"
    assert inverse(least).marked("90 ms") == "≤ 90 ms"
    assert inverse(inverse(least)) == least
    assert Label("model").marked("189 GB/s") == "189 GB/s"
    assert Label("bound", "ingress of all nodes").words == "bound: ingress of all nodes"


SU = (
    "axes: {su: 2}\n"
    "groups:\n"
    "  node: {part: dgx-h100, per: [su], count: 4}\n"
    "  leaf: {part: qm9700, per: [su]}\n"
    "  spine: {part: qm9700}\n"
    "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 16}]\n"
)


def test_an_all_to_all_between_nodes_is_an_estimate_with_what_published_runs_reached() -> None:
    asked = Questions(planned(SU), CATALOG)
    found = asked.analysis(Request("all_to_all"))
    reached = reached_by_exchanges()
    assert reached is not None
    assert found.busbw_label == exchange_label()
    assert (found.busbw_label.kind, found.busbw_label.sign) == ("model", "")
    assert found.busbw_label.of == f"estimate; {reached.words}"
    for name in reached.names:
        assert name in found.busbw_label.why
    told = as_json(found)
    assert told["estimate"]["systems"] == len(reached.names)
    assert (told["estimate"]["low"], told["estimate"]["high"]) == (reached.low, reached.high)
    (previewed,) = predict_all(planned(SU), CATALOG, [Request("all_to_all")])
    drawn = asked.curve(Request("all_to_all"))
    assert drawn is not None
    assert {previewed.busbw_label, *(point.label for point in drawn.points)} == {exchange_label()}


@pytest.mark.parametrize("collective", [one for one in COLLECTIVES if one != "all_to_all"])
def test_nothing_else_is_called_an_estimate(collective: Collective) -> None:
    found = analyse(planned(SU), CATALOG, Request(collective))
    assert "estimate" not in found.busbw_label.of
    assert as_json(found)["estimate"] is None


def test_inside_a_node_an_all_to_all_is_no_estimate() -> None:
    inside = analyse(planned("groups: {node: {part: dgx-h100}}\n"), CATALOG, Request("all_to_all"))
    assert as_json(inside)["estimate"] is None
    assert inside.busbw_label.kind == "model"


def test_no_all_to_all_is_at_most_because_other_collectives_stayed_below() -> None:
    # between lone GPUs all published all-reduces of 128 KiB are a tenth and more below
    lone = planned(
        "groups: {node: {part: g4dn-8xlarge, count: 2}, leaf: {part: sn5600}}\n"
        "links: [{between: [node.compute, leaf], speed: 50}]\n"
    )
    for size in (128 * KIB, 16 * MIB, GIB):
        assert analyse(lone, CATALOG, Request("all_to_all", size)).busbw_label.kind == "model"
