"""The workload in the middle of the screen, the layouts, and the questions that make one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.every_design import CATALOG
from tests.tui.conftest import TWO_TIER
from tests.tui.person import OpenApp, Person
from toposmith.text import duration
from toposmith.tui.views.workload_view import WorkloadView
from toposmith.workloads.assess import assess_block
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import search

BLOCK = """\
workload:
  model: llama3-8b
  layout: {tp: 2}
  training: {batch: 64, sequence: 4096, tokens: 1.0e+12}
"""
SIZES = [(80, 24), (120, 36), (200, 50)]


@pytest.fixture
def trained(work_dir: Path) -> Path:
    path = work_dir / "trained.yaml"
    path.write_text(TWO_TIER + BLOCK, encoding="utf-8")
    return path


def block_of(person: Person) -> dict[str, Any]:
    found = person.designer.workbench.design.workload
    assert found is not None
    return found


async def begin(person: Person, kind: str) -> None:
    """Open the page and begin to ask for a workload."""
    await person.press("t", "e", kind)


async def pick_model(person: Person, name: str) -> None:
    await person.answer(name)


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
async def test_the_page_tells_the_step_and_what_is_needed(
    open_app: OpenApp, trained: Path, ascii_only: bool
) -> None:
    async with open_app(trained, size=SIZES[0], ascii_only=ascii_only) as person:
        await person.press("t")
        bench = person.designer.workbench
        found = assess_block(bench.plan, bench.catalog, bench.design.workload, bench.request)
        assert found.step is not None
        for size in SIZES:
            await person.resize(size)
            await person.press("home")
            page = person.seen()
            assert "Llama 3 8B" in page
            assert duration(found.step.step_s) in page
            seen = [page]
            view, at = person.designer.query_one(WorkloadView), -1
            while view.scroll_offset.y != at:  # a message may cover the last lines for a while
                at = view.scroll_offset.y
                await person.press_at_once(*["down"] * 8)
                seen.append(person.seen())
            for words in ("needed to hide", "dp gradients", "memory of a GPU", "fits"):
                assert any(words in text for text in seen), (size, words)
            if ascii_only:
                assert all(text.isascii() for text in seen)


async def test_without_a_workload_the_page_says_how_to_get_one(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("t")
        assert "names no workload yet" in person.seen()
        await person.press("e")
        assert "model" in person.message or "model" in person.seen()


async def test_training_is_asked_for_with_precision_and_tokens(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "t")
        await pick_model(person, "llama3-8b")
        await person.answer("tp=2")
        await person.answer("2048")
        await person.type("64")
        await person.press("enter", "b", "f")
        await person.answer("15e12")
        assert block_of(person) == {
            "model": "llama3-8b",
            "layout": {"tp": 2},
            "training": {
                "batch": 64,
                "sequence": 2048,
                "precision": "bf16",
                "stack": "fsdp",
                "tokens": 15e12,
            },
        }
        assert "days" in person.seen()
        assert "plain FSDP" in person.seen()
        assert person.designer.query_one(WorkloadView).has_focus


async def test_a_layout_that_is_not_said_is_the_one_that_the_command_takes(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "t")
        await pick_model(person, "llama3-70b")
        await person.settle()
        run = {"batch": 1024, "sequence": 4096}  # what is usual, which 64 GPUs divide
        asked = workload_of({"model": "llama3-70b", "training": run})
        best = search(person.designer.workbench.plan, CATALOG, asked).layouts
        assert f"with {best[0].split}" in " ".join(person.seen().split())
        assert "Up +1" not in person.seen()  # the layout is words
        await person.press("enter")
        assert "Up +1" in person.seen()
        await person.press("enter")
        assert "Up +1" not in person.seen(), "an empty batch is no number to step from"
        while person.designer.asking:
            await person.press("enter")
        block = block_of(person)
        assert "layout" not in block and "batch" not in block["training"]


async def test_stages_of_unlike_layers_and_recomputation_are_asked_for(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=SIZES[0]) as person:
        await begin(person, "t")
        await pick_model(person, "llama3-70b")
        assert "uneven_stages" in person.seen()
        await person.answer("tp=2,pp=32")
        assert "uneven_stages: true" in person.seen()
        await person.answer("tp=2,pp=32,uneven_stages=perhaps")
        assert "true or false" in person.seen()
        await person.answer("tp=2,pp=32,uneven_stages=true,recompute=full")
        await person.answer("2048")
        await person.type("64")
        while person.designer.asking:
            await person.press("enter")
        layout = {"tp": 2, "pp": 32, "uneven_stages": True, "recompute": "full"}
        assert block_of(person)["layout"] == layout
        # asked again, it stands there as it was typed
        await person.press("e", "t", "enter")
        await person.settle()
        assert "uneven_stages=true" in person.seen()


@pytest.mark.parametrize(
    ("node", "nodes", "kind"),
    [
        ("dgx-h100", 4, "t"),
        ("dgx-a100", 2, "s"),
        ("g5-48xlarge", 2, "t"),
        ("g5-48xlarge", 2, "s"),
    ],
)
async def test_whoever_presses_enter_alone_gets_a_workload_that_runs(
    open_app: OpenApp, work_dir: Path, node: str, nodes: int, kind: str
) -> None:
    path = work_dir / "nodes.yaml"
    path.write_text(
        f"toposmith: 1\ngroups:\n  node: {{part: {node}, count: {nodes}}}\n", encoding="utf-8"
    )
    async with open_app(path, size=(120, 36)) as person:
        await begin(person, kind)
        while person.designer.asking:
            await person.press("enter")
        await person.settle()
        assert block_of(person)["model"]
        codes = {one.code for one in person.designer.findings}
        assert not codes & {"does-not-fit", "bad-workload"}
        assert "does not fit" not in person.seen()


async def test_a_workload_that_does_not_fit_is_an_error_and_no_success(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 40)) as person:
        await begin(person, "t")
        await pick_model(person, "deepseek-r1")
        await person.press("ctrl+u")
        await person.type("tp=4")
        while person.designer.asking:
            await person.press("enter")
        await person.settle()
        seen = person.seen()
        assert "does not fit" in person.message
        assert "no warnings" not in seen
        (error,) = (one for one in person.designer.findings if one.severity == "error")
        assert error.code == "does-not-fit"
        assert "1 error" in seen or "✗ 1 " in seen, seen
        await person.press("f")
        assert "does-not-fit" in person.seen()


async def test_each_answer_that_does_not_divide_is_told_what_works(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "t")
        await pick_model(person, "llama3-8b")
        await person.answer("tp=3")
        assert "2 or 4 works" in person.seen()
        await person.answer("tp=8,pp=5")
        assert "works" in person.seen()
        await person.answer("tp=two")
        assert "expected integer" in person.seen()
        await person.answer("tp=2,dp=32")
        await person.answer("2048")
        await person.answer("33")
        assert "32 or 64 works" in person.seen()
        await person.press("escape")
        assert person.designer.workbench.design.workload is None


async def test_a_service_is_asked_for_with_its_targets(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "s")
        await pick_model(person, "llama3-8b")
        await person.answer("tp=2")
        await person.answer("1000")
        await person.type("200")
        await person.press("enter", "f", "o")
        await person.answer("tpot_ms=0")
        assert "expected greater than 0" in person.seen()
        await person.answer("tpot_ms=50,ttft_ms=900")
        assert block_of(person)["serving"] == {
            "prompt": 1000,
            "output": 200,
            "precision": "fp8",
            "disaggregated": True,
            "tpot_ms": 50.0,
            "ttft_ms": 900.0,
        }
        assert "time to first token" in person.seen()
        assert "; tokens/s " in person.message


async def test_a_service_keeps_its_decode_batch(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "s")
        await pick_model(person, "llama3-8b")
        for answer in ("tp=2", "1000", "200"):
            await person.answer(answer)
        await person.press("f", "s")
        await person.answer("rate_per_s=5")
        assert "(known: tpot_ms" in person.seen()
        await person.answer("decode_batch=8")
        assert block_of(person)["serving"]["decode_batch"] == 8
        assert "8 sequences a copy" in person.seen()


async def test_a_model_of_ones_own_is_asked_for_by_its_dimensions(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "t")
        await pick_model(person, "own dimensions")
        await person.answer("layers=32,hidden=4096")
        assert "is missing" in person.seen()
        dense = "layers=16,hidden=2048,heads=16,ffn=8192,vocabulary=32000"
        await person.answer(f"{dense},experts=8,active=2,expert_ffn=4096")
        await person.type("ep=8")
        await person.press("enter", "enter", "enter", "b", "n", "enter")
        model = block_of(person)["model"]
        assert model["experts"] == {"count": 8, "active": 2, "ffn": 4096}
        assert model["layers"] == 16


async def test_a_workload_goes_to_a_file_of_its_own_and_comes_back(
    open_app: OpenApp, trained: Path, work_dir: Path
) -> None:
    async with open_app(trained, size=(120, 36)) as person:
        before = block_of(person)
        await begin(person, "w")
        await person.answer("llama.yaml")
        written = yaml.safe_load((work_dir / "llama.yaml").read_text(encoding="utf-8"))
        assert written == {"workload": before}
        await person.press("e", "n")
        assert person.designer.workbench.design.workload is None
        await person.press("e", "f")
        await person.answer("llama.yaml")
        assert block_of(person) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, 2]", "expected a workload"),
        ("workload: {model: llama9}", "no model"),
        (None, "no such file"),
    ],
)
async def test_a_file_that_is_no_workload_is_refused_in_words(
    open_app: OpenApp, two_tier: Path, work_dir: Path, text: str | None, words: str
) -> None:
    if text is not None:
        (work_dir / "bad.yaml").write_text(text, encoding="utf-8")
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "f")
        await person.answer("bad.yaml")
        assert person.designer.asking, "another name can be typed"
        assert words in " ".join(person.seen().split())
        assert person.designer.workbench.design.workload is None


async def test_a_layout_from_the_table_becomes_the_workloads(
    open_app: OpenApp, trained: Path
) -> None:
    async with open_app(trained, size=SIZES[0]) as person:
        await person.press("Y")
        view = person.designer.view_of("layouts")
        first = view.shown_rows[0]
        for size in SIZES:
            await person.resize(size)
            assert first.cells[1].text in person.seen(), size
        await person.press("enter")
        step = person.designer._figures.workload
        assert step is not None and step.found is not None
        assert str(step.found.split) == first.cells[1].text


async def test_recompute_and_zero_stages_are_tried_when_asked(
    open_app: OpenApp, trained: Path
) -> None:
    few = trained.read_text(encoding="utf-8").replace("count: 8", "count: 2")
    trained.write_text(few, encoding="utf-8")
    async with open_app(trained, size=(200, 50)) as person:
        await person.press("Y")
        view = person.designer.view_of("layouts")
        alone = len(view.shown_rows)
        await person.press("v")
        assert len(view.shown_rows) == 8 * alone
        await person.press("v")
        assert len(view.shown_rows) == alone


async def test_plain_numbers_say_what_is_needed_and_which_nics_would_do(
    open_app: OpenApp, work_dir: Path
) -> None:
    path = work_dir / "plain.yaml"
    path.write_text(TWO_TIER, encoding="utf-8")
    async with open_app(path) as person:
        await person.press("t", "x", "enter", "o", "enter")
        for size in SIZES[1:]:
            await person.resize(size)
            page = " ".join(person.seen().split())
            for words in ("N = 8 ranks", "2.00 GB/s", "14.0 GB/s", "28.0 GB/s"):
                assert words in page, size
            assert "required bandwidth" in page, size


async def test_a_model_is_read_from_its_config_json_and_kept(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    keys = {
        "model_type": "qwen2",
        "num_hidden_layers": 28,
        "hidden_size": 3584,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "intermediate_size": 18944,
    }
    file = work_dir / "config.json"
    async with open_app(two_tier, size=(120, 36)) as person:
        await begin(person, "s")
        await pick_model(person, "config.json")
        file.write_text(json.dumps(keys), encoding="utf-8")
        await pick_model(person, str(file))
        assert "vocab_size: is missing" in person.seen()
        file.write_text(json.dumps({**keys, "vocab_size": 152064}), encoding="utf-8")
        await pick_model(person, str(file))
        await pick_model(person, "tp=4")
        await pick_model(person, "1000")
        await pick_model(person, "100")
        await person.press("b", "s")
        await pick_model(person, "decode_batch=1")
        block = block_of(person)
        assert (block["model"]["layers"], block["model"]["kv_heads"]) == (28, 4)
        assert block["serving"]["decode_batch"] == 1
        # the same once more: what is read stays, without its file
        file.unlink()
        await person.press("e", "s", "enter")
        assert "layout" in person.seen()


async def test_the_answer_to_plain_numbers_comes_into_sight(
    open_app: OpenApp, trained: Path
) -> None:
    async with open_app(trained, size=SIZES[0]) as person:
        await person.press("t", "x")
        await person.answer("8 16MB 1000")
        await person.answer("")
        page = person.seen()
        assert "plain numbers: M = 16 MB" in page
        assert "all-reduce, 2 (N-1)/N x M x r" in page


async def test_the_key_of_the_workload_is_in_the_bottom_line(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=SIZES[1]) as person:
        assert "t workload" in person.seen().splitlines()[-1]
