"""A finding is as bad wherever it is told: in the app, in every command, on every page."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest

from tests.every_design import CATALOG, EVERY, SMALL, compared, nothing, planned
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import Request
from toposmith.command.analyze import reviewed
from toposmith.design.parser import parse_design
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.here import judged_here
from toposmith.findings.finding import Finding, counts, waived_count
from toposmith.review.design_table import (
    ComparedDesign,
    comparison_as_data,
    designs_table,
)
from toposmith.review.differences.consequences import differences
from toposmith.review.policy import Policy
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.shared_figures import Wanted, figure, review
from toposmith.tui.pages.live import live_lines
from toposmith.workloads.assess import assess_block


@cache
def shown(name: str) -> tuple[LiveFigures, tuple[Finding, ...]]:
    """What the app shows of a design, and what it finds in it."""
    wanted = Wanted(EVERY[name], Request(job=job_and_findings(EVERY[name])[0]))
    figures = figure(wanted, CATALOG, None)
    return figures, review(wanted, CATALOG, figures)


def reviewed_by(name: str) -> dict[str, tuple[Finding, ...]]:
    """All findings of a design, by where they are told with waivers and policy."""
    design, now = EVERY[name], compared(name)
    known = {(f.code, f.where) for f in nothing().findings}
    told = {
        "check": reviewed(design, Policy()).findings,
        "app": shown(name)[1],
        "compare, review and its report": now.findings,
        "diff": (
            *differences(nothing(), now).gained,
            *(f for f in now.findings if (f.code, f.where) in known),
        ),
    }
    with suppress(ToposmithError):  # too many devices for a report
        handover = judged_here(design, CATALOG, shared=planned(name))
        told["report"] = tuple(handover.all_findings)
    return told


def told_besides(name: str) -> dict[str, tuple[Finding, ...]]:
    """What is told without a review: fewer findings, and nothing is waived."""
    design, now = EVERY[name], compared(name)
    plan = planned(name).plan
    told = {"analysis": now.first.findings, "bill": now.bill.findings}
    with suppress(ToposmithError):
        told["export"] = tuple(
            EvaluatedDesign(plan.design, CATALOG, shared=planned(name)).all_findings
        )
    with suppress(ToposmithError):
        told["workload"] = assess_block(plan, CATALOG, design.workload).findings
    return told


@pytest.mark.parametrize("name", SMALL)
def test_a_finding_is_as_bad_wherever_it_is_told(name: str) -> None:
    reviewed = reviewed_by(name)
    places: dict[tuple[str, str, str], dict[str, set[str]]]
    places = defaultdict(lambda: defaultdict(set))
    for place, findings in {**reviewed, **told_besides(name)}.items():
        for one in findings:
            places[one.code, one.where, one.text][one.severity].add(place)
    unlike = {finding: dict(told) for finding, told in places.items() if len(told) > 1}
    assert not unlike
    usual = {(f.code, f.where, f.severity, f.waived) for f in reviewed["check"]}
    for place, findings in reviewed.items():
        assert usual <= {(f.code, f.where, f.severity, f.waived) for f in findings}, place


@pytest.mark.parametrize("name", SMALL)
def test_the_panel_never_says_no_warnings_over_waived_ones(name: str) -> None:
    figures, found = shown(name)
    if figures.analysis is None or not figures.analysis.gpus:
        return
    errors, warnings, _ = counts(found).values()
    waived = waived_count(found)
    for width in (24, 30, 48):
        assert "no warnings" not in _said(figures, width)  # nobody looked yet
        words = _said(replace(figures, findings=found, judged=True), width)
        assert ("no warnings" in words) == (errors + warnings + waived == 0)
        assert (f"{waived} waived" in words) == (waived > 0)
        for many, mark in ((errors, UNICODE.error), (warnings, UNICODE.warning)):
            assert not many or f"{many} " in words or f"{mark} {many}" in words


def _said(figures: LiveFigures, width: int) -> str:
    """The line of the panel that counts findings."""
    lines = live_lines(figures, width, UNICODE, large=False, whole=True).plain.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("findings (f)"))
    # in a narrow panel the number stands below its label
    return lines[at] if lines[at].strip() != "findings (f)" else lines[at] + lines[at + 1]


def test_a_part_that_no_catalog_has_is_named_where_the_figure_would_be() -> None:
    text = "toposmith: 1\ngroups:\n  node: {part: dgx-h1000, count: 2}\n  leaf: {part: qm9700}\n"
    for part, said in (("dgx-h1000", "dgx-h1000 is not in the catalog"), ("", "no GPUs yet")):
        design = parse_design(text if part else "toposmith: 1\ngroups: {}\n", "test")
        figures = figure(Wanted(design, Request()), CATALOG, None)
        for width in (40, 80):
            panel = live_lines(figures, width, UNICODE, large=False).plain
            assert said in " ".join(panel.split())
            assert ("choose a node" in panel) == (not part)


def test_one_node_rack_has_three_waived_and_no_clean_bill() -> None:
    """The design that people meet first: its three mistakes are waived, not gone."""
    design = EVERY["a100-rack-1x100gbe"]
    figures = figure(Wanted(design, Request()), CATALOG, None)
    found = review(Wanted(design, Request()), CATALOG, figures)
    assert _said(replace(figures, findings=found, judged=True), 40).endswith(" 3 waived")


@pytest.mark.parametrize("name", SMALL)
def test_a_table_of_designs_counts_the_waived_ones(name: str) -> None:
    now = compared(name)
    row = ComparedDesign(name, now)
    (data,) = comparison_as_data([row])["designs"]
    assert data["findings"]["waived"] == waived_count(now.findings)
    cells = dict(zip((table := designs_table([row])).titles, table.rows[0].words, strict=True))
    said = cells["findings"]
    for many, words in (
        (counts(now.findings)["warning"], "warning"),
        (waived_count(now.findings), "waived"),
    ):
        assert (re.search(rf"(\d+) {words}", said) or [0, "0"])[1] == str(many)
