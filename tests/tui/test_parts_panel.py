"""Parts in the app: what fits comes first, cards open whole, two lie side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.catalog import load_catalog
from toposmith.catalog.card import part_card
from toposmith.catalog.search import find_parts, newest_first
from toposmith.tui.screens.part_card import PartCardScreen
from toposmith.tui.widgets.parts_panel import PartsPanel

HOSTILE = """\
- kind: switch
  id: acme-64
  name: "[red]Acme 64"
  vendor: "[link=x]Acme[/]"
  protocol: infiniband
  cages: {count: 32, cage: osfp, lanes: 8, modes: [{ports: 2, speed_gbit: 400}]}
  source: "[bold]somewhere[/bold]"
  unverified: [cages]
  conflicts: {protocol: "the manual says [blink]Ethernet"}
"""


def panel(person: Person) -> PartsPanel:
    return person.designer.query_one(PartsPanel)


@pytest.fixture
def user_parts(own_home: Path) -> Path:
    folder = own_home / "config" / "toposmith" / "catalog"
    folder.mkdir(parents=True)
    return folder


async def test_what_fits_the_selected_group_comes_first_and_what_does_not_says_why(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(200, 50)) as person:
        person.designer.select_link(1)
        await person.press("slash")
        await person.type("copper")
        seen = person.seen()
        assert panel(person).current is not None
        assert "OSFP" in seen.partition("Name:")[0]
        assert "fits leaf - spine" in seen
        assert "plug, the cages are OSFP" in seen
        await person.press("enter", "end")
        assert "does not fit leaf - spine" in person.seen()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_a_card_opens_whole_and_closes_again(
    open_app: OpenApp, two_tier: Path, size: tuple[int, int]
) -> None:
    async with open_app(two_tier, size=size) as person:
        await person.press("i")
        assert isinstance(person.app.screen, PartCardScreen)
        assert "DGX H100" in person.seen()
        assert all(len(line) <= size[0] for line in person.seen().splitlines())
        await person.press("escape", "slash")
        await person.type("qm9700")
        await person.press("enter", "right")
        assert isinstance(person.app.screen, PartCardScreen)
        assert "QM9700 NDR switch" in person.seen()
        await person.press("left")
        assert person.app.screen is person.designer.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_parts_are_shown_while_one_is_chosen_and_fold_again(
    open_app: OpenApp, two_tier: Path, size: tuple[int, int]
) -> None:
    async with open_app(two_tier, size=size) as person:
        assert panel(person).current is None  # nothing is written that nobody can see
        assert "▾ " not in person.seen()
        await person.press("a")
        assert panel(person).current is not None
        assert "▾ " in person.seen()
        await person.press("escape")
        assert "▾ " not in person.seen()
        await person.press("a", "b")
        await person.press("escape", "escape", "b")
        assert "▾ " not in person.seen()


async def test_an_empty_design_opens_with_the_parts(open_app: OpenApp, work_dir: Path) -> None:
    (work_dir / "empty.yaml").write_text("toposmith: 1\ngroups: {}\nlinks: []\n", encoding="utf-8")
    async with open_app(work_dir / "empty.yaml", size=(120, 36)) as person:
        assert "▾ Nodes" in person.seen()


def test_the_newest_of_what_is_sold_come_first() -> None:
    parts = load_catalog()
    found = find_parts(parts, "", newest_first(parts))
    nodes = [part for part in found if part.kind == "node"]
    places = {part.id: at for at, part in enumerate(nodes)}
    assert places["dgx-b300"] < places["dgx-h200"] < places["dgx-a100"] < places["dgx-1-v100"]
    assert all(part.end_of_sale is None for part in nodes[: places["dgx-h100"]])
    switches = [part.id for part in found if part.kind == "switch"]
    assert switches.index("qm9700") < switches.index("qm8700") < switches.index("sb7800")


def test_a_card_says_what_a_part_does_before_how_it_is_ordered(two_tier: Path) -> None:
    parts = load_catalog()
    for part in parts:
        labels = [label for label, _, _ in part_card(part, parts)]
        assert labels[0] == "Name"
        body = labels[: labels.index("Source")]
        ordered = [at for at, label in enumerate(body) if label in ("Vendor", "Part number")]
        facts = [
            at for at, label in enumerate(body) if label in ("Ports", "GPUs", "Port speed, Gb/s")
        ]
        assert not facts or max(facts) < min(ordered), part.id


async def test_two_parts_lie_side_by_side_with_their_differences_marked(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("slash")
        await person.type("qm9700")
        await person.press("enter", "space")
        assert "marked QM9700" in person.message
        await person.press("equals_sign")
        assert "select another part" in person.message
        await person.press("slash")
        await person.type("qm8700")
        await person.press("enter", "equals_sign")
        seen = [line.strip("│ ") for line in person.seen().splitlines()]
        assert any(line.startswith("≠ Native ports, Gb/s") for line in seen)
        assert any(line.startswith("Vendor") for line in seen)


async def test_groups_are_compared_from_the_canvas(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("C")
        assert "marked DGX H100" in person.message
        person.designer.select_group("leaf")
        await person.press("C")
        assert isinstance(person.app.screen, PartCardScreen)
        assert "DGX H100 and QM9700" in person.seen()


async def test_the_mouse_opens_the_card_and_the_keys_of_the_footer(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("p")
        await person.pilot.click("#part-card-area", offset=(3, 2), times=2)
        await person.settle()
        assert isinstance(person.app.screen, PartCardScreen)
        await person.press("escape")
        column = person.seen().splitlines()[-1].index("= compare")
        await person.pilot.click("#keys", offset=(column, 0))
        await person.settle()
        assert "marked" in person.message


async def test_texts_of_a_part_file_are_neither_markup_nor_obeyed(
    open_app: OpenApp, two_tier: Path, user_parts: Path
) -> None:
    (user_parts / "mine.yaml").write_text(HOSTILE, encoding="utf-8")
    async with open_app(two_tier) as person:
        await person.press("slash")
        await person.type("acme")
        assert "[red]Acme 64" in person.seen()
        await person.press("enter", "right")
        seen = person.seen()
        for text in ("[red]Acme 64", "[link=x]Acme[/]", "[bold]somewhere[/bold]", "[blink]"):
            assert text in seen
        assert "unverified" in seen
        assert "Disagrees" in seen


async def test_faults_of_part_files_are_told_and_listed(
    open_app: OpenApp, two_tier: Path, user_parts: Path
) -> None:
    (user_parts / "mine.yaml").write_text("- kind: switch\n  id: acme\n", encoding="utf-8")
    async with open_app(two_tier, size=(200, 50)) as person:
        assert "faults in part files" in person.message
        assert "mine.yaml:1" in person.message
        await person.press("a")
        assert "in part files (f)" in person.seen()
        await person.press("escape", "f")
        assert "name: missing" in person.seen()


async def test_a_part_file_that_is_no_text_leaves_the_parts_of_the_program(
    open_app: OpenApp, two_tier: Path, user_parts: Path
) -> None:
    (user_parts / "mine.yaml").write_bytes(b"\xff\xfe\x00")
    async with open_app(two_tier) as person:
        assert "qm9700" in person.designer.workbench.catalog
        assert "mine.yaml" in person.message
