"""Fixes, and fabrics found by search: previewed, then one step of the history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.collectives import COLLECTIVES
from toposmith.saved_designs import find_saved


@pytest.fixture
def thin() -> Path:
    """Eight nodes on leaves at 2:1."""
    saved = find_saved("hgx-a100-64gpu-roce-2to1")
    assert saved is not None
    return saved.path


async def measure_all_to_all(person: Person) -> None:
    """Go on to the exchange at once: the figures of what is passed by are not waited for."""
    await person.press_at_once(*"m" * list(COLLECTIVES).index("all_to_all"))
    assert person.designer.workbench.request.collective == "all_to_all"


async def test_a_fix_is_previewed_then_one_step_that_undo_takes_back(
    open_app: OpenApp, thin: Path
) -> None:
    async with open_app(thin) as person:
        await measure_all_to_all(person)
        await person.press("I")
        view = person.designer.view_of("fixes")
        assert view.shown_rows[0].cells[0].text == "5 cables instead of 4 for each leaf - spine"
        before = person.designer.workbench.design
        await person.press("enter")
        assert person.designer.workbench.design is before
        assert "19.7" in person.seen()
        await person.press("enter")
        assert person.designer.workbench.design.links[1].cables == 5
        assert len(person.designer.workbench.history) == 1
        await person.press("escape", "u")
        assert person.designer.workbench.design == before


async def test_both_lists_say_in_which_order_they_stand(open_app: OpenApp, thin: Path) -> None:
    async with open_app(thin, size=(80, 24)) as person:
        await measure_all_to_all(person)
        await person.press("I")
        view = person.designer.view_of("fixes")
        assert len(view.shown_rows) > 1
        order = "the smallest first: by switches to buy, then NICs, then cables and fibres"
        assert any(text.startswith(order) for text, _ in view.table.head)
        assert "Enter preview" in person.seen()
        await person.press("v")
        await person.settle()
        said = any(text.startswith("the greatest saving first") for text, _ in view.table.head)
        assert said == (len(view.shown_rows) > 1)


HYPERX = """\
toposmith: 2
axes: {x: 3, y: 3}
groups:
  node: {part: gh200-quad, per: [x, y], count: 2}
  sw: {part: slingshot-64p, per: [x, y]}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {x: other}}
  - {between: [sw, sw], along: {y: other}}
"""


async def test_a_routing_is_previewed_as_other_fixes_are(open_app: OpenApp, tmp_path: Path) -> None:
    design = tmp_path / "hyperx.yaml"
    design.write_text(HYPERX, encoding="utf-8")
    async with open_app(design) as person:
        await person.press("I")
        view = person.designer.view_of("fixes")
        assert "detour" in view.shown_rows[0].cells[0].text
        bench = person.designer.workbench
        await person.press("enter")
        assert not bench.history
        assert "make this change?" in person.seen()
        await person.press("enter")
        assert bench.history == ["routing: detour"]
        assert bench.request.routing.mode == "detour"


async def test_the_panel_says_the_first_fix_and_a_finding_below_the_policy_makes_it(
    open_app: OpenApp, thin: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six cables of 4 give 23.6 of 15.7 GB/s, five give 19.7: only six meet 22."""
    policy = own_home / "policy.yaml"
    policy.write_text("toposmith-policy: 1\nlimits: {busbw_GBps: 22}\n", encoding="utf-8")
    monkeypatch.setattr("toposmith.evaluation.here.user_policy", lambda: policy)
    async with open_app(thin, fixes=True) as person:
        await measure_all_to_all(person)
        fixes = person.designer.measurement.figures.next
        assert fixes.fix.label == "5 cables instead of 4 for each leaf - spine"
        assert "fix " in person.seen() and "5 cables instead of 4" in person.seen()
        await person.press("f")
        view = person.designer.view_of("findings")
        at = [row.key.split()[1] for row in view.shown_rows].index("below-required")
        await person.press(*["down"] * at)
        assert "fix: 6 cables instead of 4" in person.seen()
        await person.press("enter", "enter")
        assert person.designer.workbench.design.links[1].cables == 6
        assert len(person.designer.workbench.history) == 1
        assert "below-required" not in {one.code for one in person.designer.measurement.findings}


async def test_what_a_failure_leaves_is_lifted_by_a_key_and_then_the_workload_says_it_has_none(
    open_app: OpenApp, thin: Path
) -> None:
    async with open_app(thin) as person:
        await measure_all_to_all(person)
        await person.press("I", "l")
        view = person.designer.view_of("fixes")
        assert "after any one failure" in view.border_title
        assert view.shown_rows[0].cells[1].text == "9.84 GB/s"  # five of ten uplinks are left
        await person.press("l")
        assert not view.shown_rows
        assert "no training workload" in view.table.empty


async def test_a_network_that_does_not_limit_says_what_could_go(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("I")
        view = person.designer.view_of("fixes")
        assert not view.shown_rows
        assert "holds with less" in view.table.empty
        await person.press("v")
        assert "left out" in person.seen()
        assert view.shown_rows


async def test_a_fabric_is_found_from_three_answers_and_taken_as_one_step(
    open_app: OpenApp,
) -> None:
    async with open_app(None) as person:
        await person.press("asterisk")
        await person.press("enter")  # the usual node
        await person.answer("8")
        await person.answer("all_to_all=20")
        await person.answer("switch=qm9700 shape=rail-optimised,one-switch")
        view = person.designer.view_of("fabrics")
        assert view.shown_rows, person.seen()
        assert "one switch" in view.shown_rows[0].cells[0].text
        await person.press("enter", "enter")
        assert person.designer.workbench.design.groups["node"].count == 8
        assert len(person.designer.workbench.history) == 1


async def test_a_limit_that_cannot_be_read_is_said_while_typing(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("asterisk", "enter", "enter", "enter")
        await person.type("budget=many")
        assert "write an amount and its currency" in person.seen()


async def test_the_palette_finds_an_action_by_another_word(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("colon")
        await person.type("price")
        assert "BOM: the bill of materials" in person.seen()


async def test_an_oversubscription_is_typed_on_a_link_and_the_spines_follow(
    open_app: OpenApp, thin: Path
) -> None:
    async with open_app(thin) as person:
        person.designer.select_link(1)
        await person.press("e", "r", "ctrl+u")
        await person.type("1:1")
        assert "leaf oversubscription 2:1" in person.seen()
        await person.press("enter")
        assert person.designer.workbench.design.links[1].cables == 8
