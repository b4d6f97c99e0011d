"""Jobs at once, in the place of the fabric."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.topology.design.reading import parse_design


async def test_jobs_are_added_refused_and_removed(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("Q")
        assert "No job yet" in person.seen()
        await person.press("a")
        await person.type("4 nodes, all_to_all, striped")
        await person.press("enter", "a")
        await person.type("7, all_reduce")
        await person.press("enter")
        assert "4 nodes of 8 are free" in " ".join(person.seen().split())
        await person.type("rest: 4, all_reduce")
        await person.press("enter")
        page = person.seen()
        assert "job 1" in page and "rest" in page and "100 %" in page
        await person.press("x")
        assert "62.0" not in person.seen() and "rest" in person.seen()
        await person.press("u")
        assert "62.0" in person.seen()
        await person.press("ctrl+s")
    jobs = parse_design(two_tier.read_text(), "saved").jobs
    assert [(job.name, job.nodes, job.runs) for job in jobs] == [
        (None, 4, "all_to_all"),
        ("rest", 4, "all_reduce"),
    ]
