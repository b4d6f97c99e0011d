"""What a GPU does not hold has its time, and says wherever it stands that it does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.every_design import CATALOG
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.command.reports.workload import ranking_report, workload_report
from toposmith.design.document import Design
from toposmith.errors import ToposmithError
from toposmith.fabric.planner import plan_design
from toposmith.tui.drawing.glyphs import ASCII, UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import LiveWorkload, figure_of
from toposmith.tui.figures.shared_figures import Wanted, preview
from toposmith.tui.pages.live import live_lines
from toposmith.tui.pages.workload_page import workload_content
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import Ranking, search
from toposmith.workloads.model import preset_names
from toposmith.workloads.workload_assumptions import SERVICE_IS, STEP_IS
from toposmith.workloads.workload_in_words import over_words, verdict_words
from toposmith.workloads.workload_json import assessment_data, ranking_data

RUNS: dict[str, dict[str, Any]] = {
    "training": {"training": {"batch": 64, "sequence": 4096, "tokens": 1e12, "mfu": 0.99}},
    "serving": {"serving": {"tpot_ms": 1.0, "tokens_per_s": 1e9}},
    "a batch too large": {"serving": {"decode_batch": 60_000}},
    "both": {"training": {"batch": 64, "sequence": 4096}, "serving": {}},
}
LAYOUTS: tuple[dict[str, int], ...] = ({}, {"tp": 8}, {"tp": 8, "pp": 2})


def cluster(node: str) -> Design:
    return Design.model_validate(
        {
            "groups": {"node": {"part": node, "count": 4}, "leaf": {"part": "qm9700"}},
            "links": [{"between": ["node.compute", "leaf"]}],
        }
    )


@cache
def found_for(model: str, run: str) -> list[Assessment]:
    plan, found = plan_design(cluster("dgx-h100"), CATALOG), []
    for layout in LAYOUTS:
        try:
            workload = workload_of({"model": model, "layout": layout, **RUNS[run]})
            found.append(assess(plan, CATALOG, workload))
        except ToposmithError:
            continue  # does not divide
    return found


def told(found: Assessment) -> Iterator[str]:
    """The same in the command, on the page and in the live panel; findings and storage aside."""
    yield workload_report(found)
    yield workload_content(found, 100, UNICODE).plain
    yield workload_content(found, 40, ASCII).plain
    figures = LiveFigures(analysis=_analysis(), workload=LiveWorkload(found))
    text = live_lines(figures, 60, UNICODE, large=False, whole=True).plain
    yield text.partition(" (t)")[2].partition("\nfindings (f)")[0]
    yield f"{figure_of(found).name} {figure_of(found).words}"


@cache
def _analysis() -> Analysis:
    from toposmith.analysis.analyse import analyse

    return analyse(plan_design(cluster("dgx-h100"), CATALOG), CATALOG, Request())


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("model", preset_names())
def test_what_does_not_fit_has_its_time_marked_everywhere(model: str, run: str) -> None:
    for found in found_for(model, run):
        there = [each for each in (found.step, found.service) if each is not None]
        assert there
        if any(each.held.fits for each in there):
            continue
        assert {one.code for one in found.findings} >= {"does-not-fit"}
        assert not found.ok
        held = there[0].held
        over = round(held.use.total - held.gpu_gb * 1e9)
        for text in told(found):
            assert "fit" in text.lower()
        words = over_words(held)
        assert words in verdict_words(found)
        assert f"DOES NOT FIT, as if it did: {words}" in workload_report(found)
        data = assessment_data(found)
        side = data["training"] or data["serving"]
        assert side["tokens_per_s"] > 0
        assert (side["memory"]["fits"], side["memory"]["over_bytes"]) == (False, over)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("model", preset_names())
def test_what_fits_says_of_which_kind_its_figures_are(model: str, run: str) -> None:
    for found in found_for(model, run):
        for there, words in ((found.step, STEP_IS), (found.service, SERVICE_IS)):
            if there is None or not there.held.fits:
                continue
            report, page, narrow, live, _ = told(found)
            for text in (report, page, re.sub(r"\s+", " ", narrow)):
                assert words in text
            if words == STEP_IS or found.step is None:
                assert words in re.sub(r"\s+", " ", live)


@cache
def ranking() -> Ranking:
    plan = plan_design(cluster("dgx-h100"), CATALOG)
    return search(
        plan,
        CATALOG,
        workload_of({"model": "llama3-70b", "training": {"batch": 64, "sequence": 4096}}),
    )


def test_a_search_times_all_layouts_and_marks_those_that_do_not_fit() -> None:
    found = ranking()
    assert 0 < found.fitting < len(found.layouts)
    data = ranking_data(found, len(found.layouts))
    assert all(each["step_s"] > 0 for each in data["layouts"])
    assert [each["fits"] for each in data["layouts"]] == sorted(
        (each["fits"] for each in data["layouts"]), reverse=True
    )
    report = ranking_report(found, len(found.layouts))
    assert STEP_IS in report
    unfit = [line for line in report.splitlines() if line.endswith("does not fit")]
    assert len(unfit) == len(found.layouts) - found.fitting


def test_a_preview_of_what_does_not_fit_says_so() -> None:
    from toposmith.design.edits import set_count

    block = {"model": "llama3-405b", "layout": {"tp": 8}, "serving": {}}
    design = cluster("dgx-h100").model_copy(update={"workload": block})
    outcome = preview(Wanted(design, Request()), CATALOG, set_count(design, "node", 3))
    assert outcome.workload is not None
    assert outcome.workload.words.endswith(", does not fit")
