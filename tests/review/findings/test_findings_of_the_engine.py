"""Remarks that only special nodes or requests draw from the engine."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import RAILS, but
from tests.review.reviewing import CATALOG, reviewed
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.catalog import Catalog, Node
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import parse_version
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.collecting import review_findings

TRAYS = but(RAILS, ("rail: 8", "rail: 4"), ("part: dgx-h100", "part: gb200-nvl72-tray"))
TOO_MANY = but(TRAYS, ("count: 4}", "count: 19}"))


def codes_of(text: str, request: Request, catalog: Catalog = CATALOG) -> set[str]:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "test"), catalog)
    found = review_findings(PlannedDesign(plan, catalog), analyse(plan, catalog, request))
    return {finding.code for finding in found}


def test_a_domain_wider_than_a_node_is_remarked_on() -> None:
    found = {finding.code: finding.severity for finding in reviewed(TOO_MANY)}
    assert found["wider-nvlink-domain"] == found["no-nvlink-switches"] == "warning"
    about_nvlink = {"wider-nvlink-domain", "no-nvlink-switches"}
    assert about_nvlink.isdisjoint({finding.code for finding in reviewed(RAILS)})


def test_a_rack_filled_in_part_is_remarked_on() -> None:
    found = {finding.code: finding for finding in reviewed(TRAYS)}
    assert found["nvlink-domain-part-filled"].figure == "16 of 72 GPUs"
    assert "nvlink-racks-by-one-run" not in found  # one rack reads as predicted
    assert "wider-nvlink-domain" not in found


def test_an_algorithm_asked_of_an_exchange_is_remarked_on() -> None:
    assert "no-algorithm" in codes_of(RAILS, Request("all_to_all", algorithm="ring"))
    assert "no-algorithm" not in codes_of(RAILS, Request("all_reduce", algorithm="ring"))


def test_a100_with_switches_of_their_own_are_remarked_on_for_2_26_to_2_28() -> None:
    node = CATALOG["dgx-h100"]
    assert isinstance(node, Node)
    changed = node.model_copy(update={"gpu": "a100-sxm4-80gb"})
    parts = Catalog([changed if part.id == "dgx-h100" else part for part in CATALOG])
    for version, remarked in (("2.25", False), ("2.27", True), ("2.29", False)):
        found = codes_of(RAILS, Request(version=parse_version(version)), parts)
        assert ("nccl-own-switch" in found) == remarked


def test_a_search_without_a_result_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found_nothing = "toposmith.analysis.prediction.nccl_topology.node_graphs"
    monkeypatch.setattr(found_nothing, lambda *_, **__: None)
    assert "no-channels" in codes_of(RAILS, Request())


def test_a_design_out_of_proportion_is_judged_as_far_as_it_goes() -> None:
    text = but(
        RAILS, ("rail: 8", "rail: 8, a: 1000, b: 1000"), ("count: 4}", "count: 4, per: [a, b]}")
    )
    assert "too-large" in codes_of(text, Request())


def test_an_empty_design_has_nothing_to_find_but_that() -> None:
    assert codes_of("name: nothing yet\n", Request()) == {"no-gpus"}
