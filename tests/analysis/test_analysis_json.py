"""What ``analyze --json`` writes: stable keys, and figures or null with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

import toposmith
from tests.asking import ring_at_large_sizes
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.analysis.analyse import analyse
from toposmith.analysis.prediction.calibration import FAST_NODE_SHARE
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.result import as_json
from toposmith.catalog import Catalog, load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

# the keys that other tools read, in their order
TOP = [
    *("toposmith", "design", "gpus", "nodes", "communicator", "layout", "placement"),
    *("collective", "message_bytes", "algorithm", "protocol", "channels", "busbw_GBps"),
    *("algbw_GBps", "time_us", "bound_busbw_GBps", "bound_is", "predicted_is", "nccl"),
    *("routing", "latency_us", "limited_by", "band", "bound_with_reduction_GBps"),
    *("bound_of_what_runs_GBps", "share_of_bound", "next_step", "wire_latency_us"),
    *("switches_on_the_way", "limits"),
    *("bound_cut", "tiers", "bisection_GBps", "findings", "labels", "no_band"),
    "published",
    *("assumptions", "estimate"),
]
INSIDE = {
    "limits": [
        *("link", "tier", "cables", "capacity_GBps", "load_GBps", "utilization", "slow_gbit"),
    ],
    "bound_cut": ["link", "cables", "capacity_GBps"],
    "tiers": [
        "tier",
        "groups",
        "devices",
        "ports_down",
        "ports_up",
        "oversubscription",
        "oversubscription_as_cabled",
    ],
    "findings": ["code", "severity", "where", "text"],
}
FIGURES = ["busbw_GBps", "algbw_GBps", "time_us", "bound_busbw_GBps", "channels"]

THIN = (
    "name: two to one\n"
    "axes: {rack: 4}\n"
    "groups:\n  node: {part: hgx-a100-8, per: [rack], count: 2,"
    " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
    "  leaf: {part: sn3700, per: [rack]}\n  spine: {part: sn3700, count: 2}\n"
    "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 4}]\n"
)


def written(
    text: str, collective: Collective = "all_reduce", catalog: Catalog = CATALOG
) -> dict[str, Any]:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "test"), catalog)
    data = as_json(analyse(plan, catalog, ring_at_large_sizes(collective)))
    back: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    assert back == data
    return back


def codes(data: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in data["findings"]]


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_the_keys_are_exactly_those_that_are_promised(collective: Collective) -> None:
    data = written(THIN, collective)
    assert list(data) == TOP
    assert list(data["communicator"]) == ["kind", "size", "concurrent"]
    for key, keys in INSIDE.items():
        # the cut is that of an exact bound, which broadcast, reduce and send/recv have not
        assert data[key] or key == "bound_cut", key
        for entry in data[key]:
            assert list(entry) == keys


@pytest.mark.parametrize(
    "text",
    ["groups: {}\n", "groups: {node: {part: dgx-x100}}\n", "groups: {node: {part: dgx-h100}}\n"],
)
def test_a_design_without_figures_has_the_same_keys(text: str) -> None:
    data = written(text)
    assert list(data) == TOP
    assert list(data["communicator"]) == ["kind", "size", "concurrent"]


def test_the_figures_of_a_2_to_1_cluster_are_those_worked_out_by_hand() -> None:
    data = written(THIN)
    assert (data["toposmith"], data["design"]) == (1, "two to one")
    assert (data["gpus"], data["nodes"]) == (64, 8)
    assert data["communicator"] == {"kind": "world", "size": 64, "concurrent": 1}
    assert (data["collective"], data["message_bytes"]) == ("all_reduce", 2**50)
    assert (data["algorithm"], data["protocol"], data["channels"]) == ("ring", "simple", 8)
    assert data["busbw_GBps"] == pytest.approx(192)  # 8 NICs of 24
    assert data["algbw_GBps"] == pytest.approx(192 * 64 / (2 * 63), rel=1e-6)
    assert data["time_us"] == pytest.approx(2**50 / (192 * 64 / 126 * 1000), rel=1e-6)
    # the optimum takes every byte into a node of 8 x 25 once: 200 x 63 / 56
    assert data["bound_busbw_GBps"] == pytest.approx(225)
    assert data["bound_is"] == "exact"
    assert {cut["link"]: (cut["cables"], cut["capacity_GBps"]) for cut in data["bound_cut"]} == {
        "node.compute - leaf": (8, 25)
    }
    limits = {limit["link"]: limit for limit in data["limits"]}
    # a ring crosses a NIC with 24 of the 24 that it carries, and so every uplink
    assert limits["node.compute - leaf"] == {
        "link": "node.compute - leaf",
        "tier": "nic",
        "cables": 64,
        "capacity_GBps": 25,
        "load_GBps": pytest.approx(24, rel=1e-6),
        "utilization": pytest.approx(1, rel=1e-6),
        "slow_gbit": None,
    }
    assert limits["leaf - spine"]["utilization"] == pytest.approx(1)
    assert (limits["leaf - spine"]["tier"], limits["leaf - spine"]["cables"]) == ("leaf", 32)
    # a channel is an open chain of 7 hops for 8 GPUs: 7/8 of 192 on an NVLink of 240
    assert limits["node NVLink"]["load_GBps"] == pytest.approx(168)
    assert limits["node NVLink"]["utilization"] == pytest.approx(0.7)
    assert (limits["node NVLink"]["cables"], limits["node NVLink"]["capacity_GBps"]) == (64, 300)
    assert data["tiers"] == [
        {
            "tier": "leaf",
            "groups": ["leaf"],
            "devices": 4,
            "ports_down": 64,
            "ports_up": 32,
            "oversubscription": 2,
            "oversubscription_as_cabled": 2,
        },
        {
            "tier": "spine",
            "groups": ["spine"],
            "devices": 2,
            "ports_down": 32,
            "ports_up": 0,
            "oversubscription": None,
            "oversubscription_as_cabled": None,
        },
    ]
    assert data["bisection_GBps"] == 2 * 8 * 25  # the uplinks of two racks
    assert codes(data) == ["oversubscribed"]


def test_all_to_all_shares_the_uplinks_of_a_2_to_1_cluster() -> None:
    data = written(THIN, "all_to_all")
    assert (data["algorithm"], data["channels"]) == ("pairwise", None)
    # 16 ranks of a rack send 48 / 64 of their data over 8 uplinks of 24
    assert data["algbw_GBps"] == pytest.approx(16)
    assert data["busbw_GBps"] == pytest.approx(16 * 63 / 64)
    assert data["bound_is"] == "bound"
    # one rack: 64 x 8 x 25 / (16 x 48), as busbw
    assert data["bound_busbw_GBps"] == pytest.approx(64 * 200 / (16 * 48) * 63 / 64, rel=1e-6)
    limits = {limit["link"]: limit for limit in data["limits"]}
    assert limits["leaf - spine"]["utilization"] == pytest.approx(1)
    assert limits["node.compute - leaf"]["utilization"] < 1


def test_one_node_runs_over_nvlink_alone() -> None:
    data = written("groups: {node: {part: dgx-h100}}\n")
    assert (data["gpus"], data["nodes"], data["channels"]) == (8, 1, 12)
    # NCCL's 12 channels of 30, of whose 14 and a half steps 14 cross NVLink
    assert data["busbw_GBps"] == pytest.approx(360 * 14 / 14.5)
    assert data["bisection_GBps"] is None
    assert data["tiers"] == []
    assert data["findings"] == []
    assert [limit["tier"] for limit in data["limits"]] == ["nvlink"]
    assert data["bound_busbw_GBps"] >= 450


def test_one_gpu_has_no_figures_and_says_so() -> None:
    for collective in COLLECTIVES:
        data = written("groups: {node: {part: node1}}\n", collective, SMALL)
        assert (data["gpus"], data["nodes"]) == (1, 1)
        assert [data[figure] for figure in FIGURES] == [None] * 5
        assert codes(data) == ["one-gpu"]
        assert data["limits"] == []


@pytest.mark.parametrize(
    "text", ["groups: {}\n", "groups: {leaf: {part: qm9700}}\n", "groups: {node: {part: x}}\n"]
)
def test_without_a_node_there_is_nothing_to_run(text: str) -> None:
    for collective in COLLECTIVES:
        data = written(text, collective)
        assert (data["gpus"], data["nodes"]) == (0, 0)
        assert [data[figure] for figure in FIGURES] == [None] * 5
        assert data["bisection_GBps"] is None
        assert "no-gpus" in codes(data)


def test_nodes_without_nics_among_others_leave_no_figures_and_a_reason() -> None:
    text = (
        "groups:\n  node: {part: dgx-h100, count: 2}\n  bare: {part: hgx-h100-8, count: 2}\n"
        "  leaf: {part: qm9700}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    for collective in COLLECTIVES:
        data = written(text, collective)
        assert (data["gpus"], data["nodes"]) == (32, 4)
        assert [data[figure] for figure in FIGURES] == [None] * 5
        assert codes(data) == ["unreachable"]
        assert data["findings"][0]["where"] == "bare"


@settings(max_examples=30)
@given(designs())
def test_any_design_with_any_faults_has_an_analysis(plan: Plan) -> None:
    for collective in COLLECTIVES:
        data = as_json(analyse(plan, SMALL, Request(collective)))
        json.dumps(data, allow_nan=False)
        assert list(data) == TOP
        if data["busbw_GBps"] is None:
            assert {"no-gpus", "one-gpu", "unreachable"} & set(codes(data))
        else:
            assert data["busbw_GBps"] > 0
            assert data["limits"]


@settings(max_examples=30)
@given(designs())
def test_what_is_predicted_is_within_what_any_schedule_could_do(plan: Plan) -> None:
    for collective in COLLECTIVES:
        result = analyse(plan, SMALL, Request(collective))
        if result.busbw_GBps is None:
            codes = {finding.code for finding in result.findings}
            assert codes & {"unreachable", "no-gpus", "one-gpu"}
            continue
        assert result.bound_busbw_GBps is not None
        assert result.busbw_GBps <= result.bound_busbw_GBps * (1 + 1e-9)
        assert all(limit.utilization <= 1 + 1e-9 for limit in result.limits)


@settings(max_examples=20)
@given(designs())
def test_more_cables_between_switches_never_lower_the_bound(plan: Plan) -> None:
    links = tuple(
        link
        if any("." in end for end in link.between)
        else link.model_copy(update={"cables": 2 * (link.cables or 1)})
        for link in plan.design.links
    )
    doubled = plan_design(Design(**{**dict(plan.design), "links": links}), SMALL)
    before = analyse(plan, SMALL).bound_busbw_GBps or 0
    after = analyse(doubled, SMALL).bound_busbw_GBps or 0
    assert after >= before * (1 - 1e-9)


@pytest.mark.parametrize("cables", [1, 2, 4])
def test_twice_the_cables_everywhere_are_twice_the_figure_where_they_bind(cables: int) -> None:
    def figure(each: int) -> float:
        data = written(
            "groups:\n  node: {part: dgx-h100, count: 4}\n  leaf: {part: qm9700}\n"
            f"links: [{{between: [node.compute, leaf], cables: {each}}}]\n"
        )
        busbw: float = data["busbw_GBps"]
        assert busbw == pytest.approx(48 * each * (FAST_NODE_SHARE if each == 8 else 1))
        assert data["bound_busbw_GBps"] == pytest.approx(min(50 * each * 31 / 24, 500), rel=0.01)
        return busbw

    fast = FAST_NODE_SHARE if cables == 4 else 1  # eight 400G cables a node
    assert figure(2 * cables) == pytest.approx(2 * fast * figure(cables))


def test_what_has_no_bound_is_not_called_one() -> None:
    data = json.loads(json.dumps(as_json(toposmith.evaluate(toposmith.parse({})).analysis)))
    assert (data["bound_busbw_GBps"], data["bound_is"]) == (None, None)
    assert data["labels"]["bound_busbw_GBps"]["is"] == "unknown"
