"""What a GPU does not hold has no time and no rate of its own, wherever a workload is told.

Only the sentence that says so tells what a step would take if it did.
"""

from __future__ import annotations

import json
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
from toposmith.tui.figures.live_workload import LiveWorkload, figure_of, missed_links, waits_of_each
from toposmith.tui.figures.shared_figures import Wanted, preview
from toposmith.tui.pages.live import live_lines
from toposmith.tui.pages.workload_page import workload_content
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import Ranking, layouts_table, search
from toposmith.workloads.model import preset_names
from toposmith.workloads.workload_json import assessment_data, ranking_data
from toposmith.workloads.workload_labels import SERVICE_IS, STEP_IS

RUNS: dict[str, dict[str, Any]] = {
    "training": {"training": {"batch": 64, "sequence": 4096, "tokens": 1e12, "mfu": 0.99}},
    "serving": {"serving": {"tpot_ms": 1.0, "tokens_per_s": 1e9}},
    "a batch too large": {"serving": {"decode_batch": 60_000}},
    "both": {"training": {"batch": 64, "sequence": 4096}, "serving": {}},
}
LAYOUTS: tuple[dict[str, int], ...] = ({}, {"tp": 8}, {"tp": 8, "pp": 2})
RATE = re.compile(
    r"per second|tokens/s|MFU|days|\bms\b|\d (s|min|h|µs)\b|GB/s|of all time|bound by|waits"
)
"""Words and units of what takes a time; ``tokens/s  does not fit`` is taken out first."""


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


def without_words(text: str, found: Assessment) -> str:
    """A text without its findings and what it says of there being no figure."""
    for finding in found.findings:
        text = text.replace(finding.text, "")
    flat = re.sub(r"\s+", " ", text).partition(" findings ")[0]
    flat = re.sub(r"; if it did, a step would take [^;]* tokens/s", "", flat)
    flat = re.sub(r"no (step time|tokens per second)", "", flat)
    return re.sub(r"(step|tokens/s) +does not fit", "", flat)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("model", preset_names())
def test_what_does_not_fit_has_no_rate_anywhere(model: str, run: str) -> None:
    for found in found_for(model, run):
        held = [each for each in (found.step_held, found.service_held) if each is not None]
        if any(each.fits for each in held):
            continue
        assert found.step is None
        assert found.service is None
        assert {one.code for one in found.findings} >= {"does-not-fit"}
        assert "target-missed" not in {one.code for one in found.findings}
        for text in told(found):
            assert "fit" in text.lower()
            assert not RATE.search(without_words(text, found)), text
        assert missed_links(found) == {}
        assert waits_of_each(found) == []
        data = json.loads(json.dumps(assessment_data(found)))
        for side in ("training", "serving"):
            if data[side] is not None:
                figures = {key for key, value in data[side].items() if value not in (None, [])}
                assert figures <= {"memory", "step_is", "service_is", "if_held"}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("model", preset_names())
def test_what_fits_says_of_which_kind_its_figures_are(model: str, run: str) -> None:
    for found in found_for(model, run):
        for there, words in ((found.step, STEP_IS), (found.service, SERVICE_IS)):
            if there is None:
                continue
            report, page, narrow, live, _ = told(found)
            for text in (report, page, re.sub(r"\s+", " ", narrow)):
                assert words in text
            if words == STEP_IS or found.step is None:
                assert words in re.sub(r"\s+", " ", live)


def test_keys_of_what_does_not_fit_are_those_of_what_does() -> None:
    keys: dict[tuple[str, bool], set[frozenset[str]]] = {}
    for model in ("llama3-8b", "llama3-405b"):
        for run in ("training", "serving"):
            for found in found_for(model, run):
                data = assessment_data(found)
                there = (found.step or found.service) is not None
                keys.setdefault((run, there), set()).add(frozenset(data[run]))
    for run in ("training", "serving"):
        assert keys[run, True] == keys[run, False]


@cache
def ranking() -> Ranking:
    plan = plan_design(cluster("dgx-h100"), CATALOG)
    return search(
        plan,
        CATALOG,
        workload_of({"model": "llama3-70b", "training": {"batch": 64, "sequence": 4096}}),
    )


def test_a_search_has_times_of_layouts_that_fit_only() -> None:
    found = ranking()
    assert 0 < found.fitting < len(found.layouts)
    data = ranking_data(found, len(found.layouts))
    assert data["step_is"] == STEP_IS
    for each in data["layouts"]:
        times = {each[key] for key in ("step_s", "mfu", "exposed_s", "bubble_s")}
        assert each["fits"] == (times != {None})
    report = ranking_report(found, len(found.layouts))
    assert STEP_IS in report
    unfit = [line for line in report.splitlines() if line.endswith("does not fit")]
    assert len(unfit) == len(found.layouts) - found.fitting
    assert not any(re.search(r"\d m?s\b|%", line) for line in unfit)
    table = layouts_table(found, "*")
    assert STEP_IS in [words for words, _ in table.head]
    for row, layout in zip(table.rows, found.layouts, strict=True):
        shown = [cell.text for cell in row.cells[2:6]]
        assert (shown == ["", "", "", ""]) == (layout.step is None)


def test_a_preview_of_what_does_not_fit_says_so() -> None:
    from toposmith.design.edits import set_count

    block = {"model": "llama3-405b", "layout": {"tp": 8}, "serving": {}}
    design = cluster("dgx-h100").model_copy(update={"workload": block})
    outcome = preview(Wanted(design, Request()), CATALOG, set_count(design, "node", 3))
    assert outcome.workload is not None
    assert outcome.workload.words == "does not fit"
