"""Every change tells its effect in the field's words: ratios, both figures, what stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.person import OpenApp
from toposmith.analysis.request import Request
from toposmith.analysis.result import Tier
from toposmith.catalog import load_catalog
from toposmith.catalog.folders import user_folder
from toposmith.design.document import Design
from toposmith.design.edits import set_count
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.tui.drawing.glyphs import ASCII, UNICODE
from toposmith.tui.drawing.history_line import history_line
from toposmith.tui.figures.effects import FigureSet, effect, falls, joined
from toposmith.tui.figures.live_workload import WorkloadFigure
from toposmith.tui.figures.shared_figures import Wanted, figure, preview


@pytest.fixture
def before(two_tier: Path) -> FigureSet:
    outcome = figure(Wanted(load_file(two_tier).design, Request()), load_catalog(), None).outcome
    assert outcome is not None
    return outcome


def with_figures(
    outcome: FigureSet, ratio: float | None, all_reduce: float | None, all_to_all: float | None
) -> FigureSet:
    assert outcome.beside is not None
    tiers = (Tier("leaf", ("leaf",), 2, 32, 32, ratio), Tier("spine", ("spine",), 1, 64, 0, None))
    return FigureSet(
        replace(outcome.analysis, tiers=tiers, busbw_GBps=all_reduce),
        replace(outcome.beside, tiers=tiers, busbw_GBps=all_to_all),
    )


def test_half_the_spines_read_as_a_person_would_say_it(before: FigureSet) -> None:
    then = with_figures(before, 1.0, 370.0, 44.0)
    now = with_figures(before, 2.0, 370.0, 22.0)
    assert effect(then, now, UNICODE) == [
        "leaf oversubscription 1:1 → 2:1",
        "all-to-all 44.0 → 22.0 GB/s",
        "all-reduce unchanged",
    ]
    assert all(words.isascii() for words in effect(then, now, ASCII))


def test_what_stays_the_same_to_three_digits_is_unchanged(before: FigureSet) -> None:
    then, now = with_figures(before, 1.0, 370.04, 44.0), with_figures(before, 1.0, 370.01, 44.0)
    assert effect(then, now, UNICODE) == ["all-reduce and all-to-all unchanged"]


@pytest.mark.parametrize(
    ("all_reduce", "all_to_all", "worse"),
    [(370.0, 44.0, False), (380.0, 44.0, False), (370.0, 22.0, True), (380.0, 22.0, True),
     (None, 44.0, True), (369.99, 44.0, False)],
)  # fmt: skip
def test_a_change_that_takes_bandwidth_from_one_of_both_figures_is_for_the_worse(
    before: FigureSet, all_reduce: float | None, all_to_all: float, worse: bool
) -> None:
    then = with_figures(before, 1.0, 370.0, 44.0)
    assert falls(then, with_figures(before, 2.0, all_reduce, all_to_all)) == worse


def test_figures_that_become_known_or_unknown_say_so(before: FigureSet) -> None:
    known, unknown = with_figures(before, 1.0, 48.0, 6.0), with_figures(before, None, None, None)
    assert effect(unknown, known, UNICODE) == [
        "leaf oversubscription 1:1",
        "all-reduce unknown → 48.0 GB/s",
        "all-to-all unknown → 6.00 GB/s",
    ]
    assert "all-reduce 48.0 GB/s → unknown" in effect(known, unknown, UNICODE)


def test_the_first_nodes_have_nothing_to_be_compared_with(before: FigureSet) -> None:
    now = with_figures(before, None, 48.0, 6.0)
    assert effect(None, now, UNICODE) == ["all-reduce 48.0 GB/s", "all-to-all 6.00 GB/s"]
    nobody = FigureSet(replace(before.analysis, gpus=0))
    assert effect(nobody, now, UNICODE) == effect(None, now, UNICODE)
    assert effect(now, nobody, UNICODE) == ["no GPUs"]


def test_more_gpus_are_told(before: FigureSet) -> None:
    more = replace(before, analysis=replace(before.analysis, gpus=1016))
    assert effect(before, more, UNICODE)[-1] == f"GPUs {before.analysis.gpus} → 1,016"


def test_a_short_line_drops_what_matters_least_and_cuts_no_word() -> None:
    pieces = ["leaf oversubscription 1:1 → 2:1", "all-to-all 44.0 → 22.0 GB/s", "x unchanged"]
    assert joined(pieces, 200) == ", ".join(pieces)
    assert joined(pieces, 60) == "leaf 1:1 → 2:1, all-to-all 44.0 → 22.0 GB/s, x unchanged"
    assert joined(pieces, 48) == "leaf 1:1 → 2:1, all-to-all 44.0 → 22.0 GB/s"
    assert joined(pieces, 5) == "all-to-all 44.0 → 22.0 GB/s"


def test_a_preview_has_both_figures_and_refuses_what_would_be_refused(two_tier: Path) -> None:
    design = load_file(two_tier).design
    wanted, catalog = Wanted(design, Request()), load_catalog()
    outcome = preview(wanted, catalog, set_count(design, "node", 4))
    assert outcome.analysis.gpus == 32
    assert outcome.beside is not None
    assert outcome.beside.collective == "all_to_all"
    with pytest.raises(EditError, match="cages"):
        preview(wanted, catalog, set_count(design, "node", 20))


def test_a_preview_says_what_an_edit_costs_and_saves_by_the_users_prices(
    two_tier: Path, own_home: Path
) -> None:
    design, catalog = load_file(two_tier).design, load_catalog()
    wanted = Wanted(design, Request())
    eight = replace(wanted, design=set_count(design, "node", 8).design)
    fewer = set_count(eight.design, "node", 7)
    assert preview(eight, catalog, fewer).price == "", "without a price list nothing is said"
    node = design.groups["node"].part
    parts = {line.part for line in EvaluatedDesign(eight.design, catalog).bill.lines}
    prices = {part: 1000 if part == node else 1 for part in parts}
    folder = user_folder().with_name("prices")
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("".join(map(_offer, prices, prices.values())))
    saves = preview(eight, catalog, fewer)
    assert saves.price == "saves 1,016 EUR", "a node, 8 fibres, 4 and 4 twin modules"
    assert effect(None, saves, UNICODE)[-1] == saves.price
    (folder / "mine.yaml").write_text(_offer(node, 1000))
    assert preview(eight, catalog, fewer).price == (
        "saves at least 1,000 EUR (3 parts without a price)"
    )


def _offer(part: str, price: int) -> str:
    return f"- {{part: {part}, price: {price}, currency: EUR, date: 2025-01-02, source: offer}}\n"


def test_the_line_of_the_last_edits_begins_at_zero() -> None:
    assert history_line([100.0, 50.0, 0.0, None], UNICODE) == "█▅▁?"
    assert history_line([100.0, 50.0, 0.0, None], ASCII) == "#=_?"
    assert history_line([], UNICODE) == ""


async def test_typing_a_count_previews_ratio_and_both_figures(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(1)
        await person.press("c")
        await person.type("8")  # 8 cables of 32 up, 32 down
        assert "leaf oversubscription 1:1 → 4:1" in person.seen()
        assert person.designer.workbench.design.links[1].cables == 32, "nothing is made yet"
        await person.press("enter")
        assert person.message.startswith("leaf - spine: cables 8: leaf oversubscription 1:1 →")


async def test_plus_and_minus_tell_their_effect_afterwards(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus")
        assert person.message.startswith("node: count 7: leaf 1:1 → 0.88:1, all-reduce")
        assert person.message.endswith("GPUs 64 → 56")


async def test_the_panel_draws_the_figure_over_the_last_edits(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        assert "last change" not in person.seen(), "nothing was edited yet"
        assert "last edits" not in person.seen()
        person.designer.select_link(1)
        await person.press("minus", "minus")
        assert "last 2 edits" in person.seen()
        steps = person.designer.workbench.steps
        rates = [person.designer.step_words(step) for step in steps]
        await person.press("m")
        assert "last 2 edits" in person.seen(), "of another collective all are computed"
        assert [person.designer.step_words(step) for step in steps] != rates
    async with open_app(two_tier, ascii_only=True) as person:
        person.designer.select_link(1)
        await person.press("minus")
        assert "##" in person.seen()


def test_without_gpus_before_and_after_there_is_nothing_to_tell() -> None:
    nobody = figure(Wanted(Design(), Request()), load_catalog(), None).outcome
    assert nobody is not None
    assert effect(None, nobody, UNICODE) == effect(nobody, nobody, UNICODE) == []


def test_the_first_workload_of_a_design_says_its_figure_before_what_it_leaves_unchanged(
    before: FigureSet,
) -> None:
    served = replace(before, workload=WorkloadFigure("tokens/s", "13,682"))
    assert effect(before, served, UNICODE) == [
        "tokens/s 13,682",
        "all-reduce and all-to-all unchanged",
    ]
