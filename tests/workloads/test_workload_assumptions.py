"""What a step or a token rests on is said wherever its time is, marked where nobody gave it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.every_design import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.command.reports.workload import workload_report
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import LiveWorkload
from toposmith.tui.pages.live import live_lines
from toposmith.tui.pages.workload_page import workload_content
from toposmith.workloads.assess import Assessment, assess_block
from toposmith.workloads.workload_json import assessment_data

PLAN = plan_design(
    Design.model_validate(
        {
            "groups": {"node": {"part": "dgx-h100", "count": 4}, "leaf": {"part": "qm9700"}},
            "links": [{"between": ["node.compute", "leaf"]}],
        }
    ),
    CATALOG,
)


def found_of(**said: Any) -> Assessment:
    layout = {"tp": 8, **said.pop("layout", {})}
    return assess_block(PLAN, CATALOG, {"model": "llama3-8b", "layout": layout, **said})


def _flat(text: str) -> str:
    return " ".join(text.split())


def told(found: Assessment) -> dict[str, str]:
    return {
        "command": _flat(workload_report(found)),
        "page": _flat(workload_content(found, 100, UNICODE).plain),
    }


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"batch": 64}, "64 sequences of 4,096 tokens (assumed)"),
        ({"batch": 64, "sequence": 2048}, "64 sequences of 2,048 tokens"),
    ],
)
def test_the_length_of_a_sequence_stands_beside_the_step(run: dict[str, int], words: str) -> None:
    found = found_of(training=run)
    for place, text in told(found).items():
        assert words in text, place
        assert ("tokens (assumed)" in text) == ("sequence" not in run), place
        assert "micro-batch 1 sequence (assumed)" in text, place
    assert "4,096 tokens" in words or found.step != found_of(training={"batch": 64}).step


def test_every_size_that_was_given_is_no_assumption() -> None:
    said = {"batch": 64, "sequence": 4096, "precision": "bf16", "stack": "nvidia"}
    said |= {"gradient_bytes": 2, "optimiser_bytes": 12, "flash_attention": True}
    layout = {"micro_batch": 1, "zero": 1, "recompute": "none"}
    layout |= {"sequence_parallel": True, "overlap": ["dp"]}
    storage = {"mtbf_h": 100, "restart_s": 300, "spare_nodes": 2}
    found = found_of(training=said, layout=layout, storage=storage, placement="packed")
    assert "assumed" not in str(assessment_data(found)["assumptions"])
    assert found_of(training={"batch": 64}).step is not None
    assert (
        str(assessment_data(found_of(training={"batch": 64}))["assumptions"]).count("assumed") > 9
    )


def test_a_service_says_the_lengths_that_it_is_of() -> None:
    for text in told(found_of(serving={"prompt": 1000})).values():
        assert "prompts of 1,000 tokens, answers of 256 (assumed)" in text
        assert "KV cache bf16 (assumed)" in text


def test_data_name_each_by_its_place_in_the_block() -> None:
    rests = assessment_data(found_of(training={"batch": 64}, serving={}))["assumptions"]
    assert rests["training.sequence"] == "4,096 tokens (assumed)"
    assert rests["layout.micro_batch"] == "1 sequence (assumed)"
    assert rests["serving.prompt"] == "2,048 tokens (assumed)"
    assert {"nccl", "routing", "placement"} <= set(rests)
    assert len([key for key in rests if key.endswith("precision")]) == 3


@pytest.mark.parametrize("width", [30, 48])
def test_the_live_panel_says_of_what_a_step_is(width: int) -> None:
    found = found_of(training={"batch": 64})
    figures = LiveFigures(analysis=analyse(PLAN, CATALOG), workload=LiveWorkload(found))
    text = _flat(live_lines(figures, width, UNICODE, large=False, whole=True).plain)
    assert "64 sequences of 4,096 tokens (assumed)" in text
