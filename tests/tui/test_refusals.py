"""What is refused is said in words, and what was on the screen stays."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.saved_designs import find_saved
from toposmith.tui.app import ToposmithApp
from toposmith.tui.keeping.session import open_session
from toposmith.tui.screens.welcome import WelcomeScreen

BROKEN = """\
toposmith: 1
groups:
  node: {part: dgx-h100, cuont: 8}
  leaf: {part: qm9700, count: -2}
"""


async def test_a_link_to_itself_is_refused_in_words(open_app: OpenApp, work_dir: Path) -> None:
    loop = work_dir / "loop.yaml"
    loop.symlink_to("loop.yaml")
    async with open_app(loop) as person:
        assert person.app.return_code == 2
        assert "the link leads back to itself" in "".join(person.app.farewell)


async def test_an_edit_that_over_uses_ports_is_refused_with_its_reason(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(0)
        before = person.designer.workbench.design
        await person.press("plus")
        assert person.message.startswith("refused: ")
        assert "links ask for" in person.message
        assert person.designer.workbench.design is before
        assert "GB/s per GPU" in person.seen()


async def test_a_refusal_goes_when_something_else_is_asked(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("spine")
        await person.press("plus")
        assert person.message.startswith("refused")
        await person.press("c")
        assert person.message == ""
        assert "refused" not in person.seen()


async def test_what_was_done_is_read_once_something_else_is_done(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus")
        assert "node" in person.message
        await person.press("b")
        assert person.message == ""
        await person.press("escape", "plus", "ctrl+s")
        assert person.message.startswith("saved")
        await person.press("f")
        assert person.message == ""


async def test_the_figures_of_another_design_do_not_stand_beside_this_one(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        assert "per GPU" in person.seen()
        other = open_session(find_saved("dgx-h100-superpod-4su").path)
        person.designer.screen.designer.workspace.open(other)
        await person.pilot.pause(0)
        seen = person.seen()
        assert "1,024" in seen or "4 SU" in seen
        assert "per GPU" not in seen and "computing" in seen


async def test_an_action_that_lacks_its_object_says_what_to_do(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("escape", "w")
        assert "select a group or a link first" in person.message


async def test_an_answer_that_would_be_refused_says_so_before_it_is_given(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(1)
        await person.press("c")
        await person.type("33")
        assert "would be refused" in person.seen()
        await person.press("enter")
        assert person.designer.asking, "what is refused is asked for again, as it was typed"
        assert "would be refused" in person.seen() and "33" in person.seen()
        await person.press("escape")
        assert not person.designer.asking
        assert not person.designer.workbench.dirty


async def test_an_unreadable_file_named_on_the_command_line_ends_the_app_with_every_problem(
    work_dir: Path,
) -> None:
    path = work_dir / "broken.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    app = ToposmithApp(path)
    async with app.run_test() as pilot:
        while app.return_code is None:
            await pilot.pause(0.05)
    assert app.return_code == 2
    assert [line.split("broken.yaml:")[1][:2] for line in app.farewell] == ["3:", "4:"]


async def test_every_problem_of_an_unreadable_file_is_listed_with_line_and_column(
    open_app: OpenApp, work_dir: Path
) -> None:
    (work_dir / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    async with open_app() as person:
        assert isinstance(person.app.screen, WelcomeScreen)
        await person.press("o")
        await person.answer("broken.yaml")
        seen = person.seen()
        assert "broken.yaml:3:" in seen
        assert "broken.yaml:4:" in seen
        assert "did you mean" in seen or "count" in seen


async def test_opening_an_unreadable_file_keeps_the_design_on_the_screen(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    (work_dir / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    async with open_app(two_tier) as person:
        design = person.designer.workbench.design
        await person.press("o")
        await person.answer("broken.yaml")
        assert "broken.yaml:3:" in person.seen()
        assert "what was here stays" in person.message
        await person.press("escape")
        assert person.designer.workbench.design is design
        assert person.designer.session.path == two_tier


async def test_a_failed_save_is_said_and_the_work_stays_unsaved(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "S")
        await person.answer("nowhere/x.yaml")
        assert person.message.startswith("failed: ")
        assert "nowhere" in person.message
        assert person.designer.workbench.dirty


async def test_an_unknown_part_in_a_file_is_a_finding_and_not_a_crash(
    open_app: OpenApp, work_dir: Path
) -> None:
    path = work_dir / "odd.yaml"
    path.write_text("toposmith: 1\ngroups:\n  node: {part: dgx-h1000}\n", encoding="utf-8")
    async with open_app(path) as person:
        await person.press("f")
        assert "the catalog has no part 'dgx-h1000'" in person.seen()
        await person.press("enter")
        assert person.designer.selected_group == "node"


async def test_a_refusal_goes_when_something_else_is_selected(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("spine")
        await person.settle()
        await person.press("plus")
        assert person.message.startswith("refused")
        await person.press("down")
        assert person.message == ""


async def test_below_80_by_24_it_is_said_where_parts_and_keys_are(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(60, 20)) as person:
        assert person.message == "below 80 x 24 cells: parts are behind p, all keys behind :"
        await person.press("p")
        assert "Parts" in person.seen()


async def test_a_wire_that_is_given_up_leaves_no_words(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        await person.press("w", "escape")
        assert person.message == ""


async def test_a_refusal_goes_when_another_place_is_gone_to(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        for key in ("enter", "b"):
            await person.press("escape")
            person.designer.select_group("leaf")
            await person.press("n")
            assert person.message.startswith("refused: select a group of nodes first")
            await person.press(key)
            assert "refused" not in person.message
