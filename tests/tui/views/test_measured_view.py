"""A run of nccl-tests beside what the design predicts, in the place of the fabric."""

from __future__ import annotations

from pathlib import Path

from tests.measured.logs import log
from tests.tui.person import OpenApp


async def test_a_log_is_opened_and_a_gap_stands_with_its_likely_cause(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    (work_dir / "run.log").write_text(log([(2**20, 20.0), (2**33, 180.0)], nodes=8))
    async with open_app(two_tier) as person:
        await person.press("percent_sign")
        assert "No log is compared yet" in person.seen()
        await person.press("o")
        await person.answer("nothing.log")
        assert "not there" in person.seen()
        await person.answer("run.log")
        page = person.seen()
        assert "all-reduce, 64 GPUs on 8 nodes" in page
        assert "180 GB/s" in page and "below" in page
        await person.press("escape")
        await person.press("percent_sign")
        assert "180 GB/s" in person.seen()


async def test_a_log_of_another_cluster_is_refused_in_words(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    (work_dir / "run.log").write_text(log([(2**33, 180.0)], nodes=9))
    async with open_app(two_tier) as person:
        await person.press("percent_sign", "o")
        await person.answer("run.log")
        assert "72 ranks ran, and the design has 64 GPUs" in " ".join(person.seen().split())


async def test_a_log_that_does_not_say_what_ran_is_asked_about(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    unchecked = log([(2**33, 350.0)], nodes=8, program="", redop="none", wrong=("N/A", "N/A"))
    (work_dir / "run.log").write_text(unchecked)
    async with open_app(two_tier) as person:
        await person.press("percent_sign", "o")
        await person.answer("run.log")
        assert "does not say which collective ran" in person.seen()
        await person.press("enter")
        assert "all-gather, 64 GPUs on 8 nodes" in person.seen()


async def test_a_run_calibrates_what_is_measured_from_then_on(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    (work_dir / "run.log").write_text(log([(2**33, 123.0)], nodes=8))
    async with open_app(two_tier) as person:
        await person.press("percent_sign", "c")
        assert "open a log first" in person.seen()
        await person.press("o")
        await person.type("run.log")
        await person.press("enter", "c", "enter")
        assert (work_dir / "calibration.yaml").read_text().startswith("toposmith_calibration: 1")
        assert "wrote calibration.yaml" in person.seen()
        await person.press("escape", "M", *["down"] * 12)
        await person.answer("calibration.yaml")
        assert "calibrated by" in person.seen()
