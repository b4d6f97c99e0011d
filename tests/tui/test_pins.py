"""A design that is opened years later says what moved with the catalog."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.design.writer import design_text
from toposmith.evaluation.here import compared_here
from toposmith.review.sidecar.approval import pin

CATALOG = load_catalog(user=False)


async def test_opening_says_which_figures_moved_with_which_part(
    open_app: OpenApp, two_tier: Path
) -> None:
    loaded = load_file(two_tier)
    pins = pin(compared_here("pod", loaded.design, CATALOG), "2020-01-01", "Ann").design.pins
    assert pins is not None
    then = {**pins.figures, "busbw all-reduce": "400 GB/s"}
    older = {**pins.parts, "qm9700": "0" * 64}
    pins = pins.model_copy(update={"figures": then, "parts": older})
    text = design_text(loaded.design.model_copy(update={"pins": pins}), loaded.text)
    two_tier.write_text(text, encoding="utf-8")
    async with open_app(two_tier, size=(200, 50)) as person:
        assert "since 2020-01-01 (Ann) changed: the catalog (qm9700)" in person.message
        assert "busbw all-reduce 400 GB/s -> " in person.message
        assert "pinned-parts-changed" in {one.code for one in person.designer.findings}
        await person.press("V")
        assert "busbw all-reduce 400 GB/s -> " in person.seen()


async def test_a_design_is_pinned_in_the_review_and_undone_like_any_edit(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("V", "d", "p")
        await person.settle()
        bench = person.designer.workbench
        assert bench.design.pins is not None
        assert bench.design.pins.date == date.today().isoformat()
        assert "qm9700" in bench.design.pins.parts
        assert "save it (s)" in person.message
        await person.press("escape", "u")
        assert bench.design.pins is None
