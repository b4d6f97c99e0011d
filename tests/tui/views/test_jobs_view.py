"""Jobs at once, in the place of the fabric."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.design.parser import parse_design


async def test_jobs_are_added_refused_and_removed(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("Q")
        assert "No job yet" in person.seen()
        await person.press("a")
        await person.type("4 nodes, all_to_all, striped")
        await person.press("enter", "a")
        await person.answer("7, all_reduce")
        assert "4 nodes of 8 are free" in " ".join(person.seen().split())
        await person.answer("rest: 4, all_reduce")
        page = person.seen()
        assert "job 1" in page and "rest" in page and "100 %" in page
        await person.press("x")
        assert "62.0" not in person.seen() and "rest" in person.seen()
        await person.press("u")
        assert "62.0" in person.seen()
        await person.press("ctrl+s")
        await person.press("a")
        await person.answer("0, write")
        assert "runs on one node at least" in " ".join(person.seen().split())
    jobs = parse_design(two_tier.read_text(), "saved").jobs
    assert [(job.name, job.nodes, job.runs) for job in jobs] == [
        (None, 4, "all_to_all"),
        ("rest", 4, "all_reduce"),
    ]


async def test_a_job_that_cannot_run_is_shown_with_the_reason_and_can_be_removed(
    open_app: OpenApp, two_tier: Path
) -> None:
    text = two_tier.read_text().replace("toposmith: 1", "toposmith: 2")
    two_tier.write_text(text + "jobs: [{name: big, nodes: 99, runs: all_reduce}]\n")
    async with open_app(two_tier) as person:
        await person.press("Q")
        page = " ".join(person.seen().split())
        assert "jobs[0]: 99 nodes wanted" in page and "big" in page
        await person.press("x")
        assert "No job yet" in person.seen()
