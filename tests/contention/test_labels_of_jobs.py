"""A job's label is that of the whole analysis, though its bound is not always worked out."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from toposmith.analysis.bounds.bisection import (
    SOCKETS,
    all_to_all_bound,
    sockets_allow_GBps,
)
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import load_catalog
from toposmith.contention.together import jobs_together
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.inside import inside_edges
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

CATALOG = load_catalog(user=False)

LARGE = "dragonfly-74x32-slingshot"
"""Its bound takes half a minute."""


def designs() -> Iterator[Design]:
    yield from (load_file(one.path).design for one in saved_designs() if one.path.stem != LARGE)
    yield from (new_design(name, catalog=CATALOG) for name in TEMPLATES if name != "empty")


@pytest.mark.parametrize("collective", ["all_to_all", "send_recv"])
def test_labels_of_jobs_are_those_of_the_analysis(collective: Collective) -> None:
    compared = 0
    for design in designs():
        for size in (2**20, 2**33):
            question = EvaluatedDesign(design, CATALOG, Request(collective, size)).question
            if question.predictor is not None:
                outcome = question.predictor.at(size)
                assert question.label_of_job(outcome) == question.label(outcome), design.name
                compared += 1
    assert compared > 20


PCIE = """\
toposmith: 2
name: PCIe nodes
groups:
  node: {{part: {part}, count: {count}, nics: {{compute: {{part: connectx-7-ndr, count: {nics}}}}}}}
  leaf: {{part: qm9700}}
links:
  - {{between: [node.compute, leaf]}}
"""


@pytest.mark.parametrize("part", ["a100-pcie-4", "a100-pcie-4-bridged", "a100-pcie-8-bridged"])
@pytest.mark.parametrize(("count", "nics"), [(2, 1), (4, 1), (8, 1), (4, 2)])
def test_sockets_allow_no_more_than_the_bound_and_labels_stay(
    part: str, count: int, nics: int
) -> None:
    design = parse_design(PCIE.format(part=part, count=count, nics=nics), "test")
    question = EvaluatedDesign(design, CATALOG, Request("all_to_all", 2**33)).question
    assert question.groups is not None and question.predictor is not None
    allowed = sockets_allow_GBps(question.flows, question.groups)
    bound = all_to_all_bound(question.flows, question.groups)
    assert allowed is not None and bound is not None
    if bound.of == SOCKETS:
        assert 0 < allowed <= float(bound.rate) * (1 + 1e-9)
    outcome = question.predictor.at(2**33)
    assert question.label_of_job(outcome) == question.label(outcome)


def test_two_sockets_allow_what_lies_between_them() -> None:
    # four GPUs, two on a socket: of 8 ranks in two nodes 4 send 4/8 of their data across, 2 per
    # GB/s of a rank; each of the two nodes' sockets carries the part's GB/s one way
    design = parse_design(PCIE.format(part="a100-pcie-4", count=2, nics=1), "test")
    question = EvaluatedDesign(design, CATALOG, Request("all_to_all")).question
    assert question.groups is not None
    edges = inside_edges(question.plan.groups["node"], CATALOG)
    (between,) = (edge.GBps for edge in edges if edge.tier == "socket")
    assert sockets_allow_GBps(question.flows, question.groups) == pytest.approx(2 * between / 2)


def test_nvswitch_keeps_traffic_off_the_sockets() -> None:
    design = new_design("leaf-spine", catalog=CATALOG)
    question = EvaluatedDesign(design, CATALOG, Request("all_to_all")).question
    assert question.groups is not None
    assert sockets_allow_GBps(question.flows, question.groups) == inf


def test_a_label_says_that_detours_are_not_worked_out() -> None:
    design = new_design("dragonfly", catalog=CATALOG)
    detour = design.model_copy(update={"routing": "detour"})
    jobs = ["2, all_reduce", "2, all_to_all"]
    ideal = jobs_together(jobs, design.model_copy(update={"routing": None}), CATALOG)
    found = jobs_together(jobs, detour, CATALOG)
    assert [one.alone_GBps for one in found] == [one.alone_GBps for one in ideal]
    assert all("routed ideally, not detour" in one.label.words for one in found)
    assert not any("routed" in one.label.words for one in ideal)
