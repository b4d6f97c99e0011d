"""The bill takes the place of the fabric and follows the design."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.tui.person import OpenApp, Person
from toposmith.catalog import load_catalog
from toposmith.design.writer import design_text
from toposmith.saved_designs import FOLDER, find_saved
from toposmith.templates import new_design
from toposmith.tui.canvas.canvas import GroupItem


@pytest.fixture
def superpod() -> Path:
    """127 DGX H100 in four SUs."""
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    return saved.path


SIZES = [(80, 24), (120, 36), (200, 50)]


async def test_the_bill_lists_nodes_and_switches_with_their_numbers(
    open_app: OpenApp, superpod: Path
) -> None:
    async with open_app(superpod, size=SIZES[0]) as person:
        await person.press("b")
        for size in SIZES:
            await person.resize(size)
            lines = person.seen().splitlines()
            for quantity, part in (("127", "DGX H100"), ("48", "QM9700 NDR switch")):
                assert any(quantity in line and part in line for line in lines), size
        await person.press("b")
        assert person.designer.view is None


async def test_a_node_fewer_is_off_the_bill_at_once(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("b")
        view = person.designer.view_of("bill")
        before = int(view.shown_rows[0].cells[0].text)
        await person.press("minus")
        assert int(view.shown_rows[0].cells[0].text) == before - 1, person.seen()


async def test_a_line_leads_to_where_its_part_is_used(open_app: OpenApp, superpod: Path) -> None:
    async with open_app(superpod) as person:
        await person.press("b", "slash", *"dgx", "enter", "enter")
        assert person.designer.view is None
        assert person.designer.canvas.selected == GroupItem("node")


async def test_the_filter_leaves_what_has_its_words(open_app: OpenApp, superpod: Path) -> None:
    async with open_app(superpod) as person:
        await person.press("b", "slash", *"flat")
        view = person.designer.view_of("bill")
        assert [row.cells[6].text for row in view.shown_rows] == ["transceiver"]
        assert "lines have 'flat'" in person.seen()
        await person.press("enter", "escape")
        assert len(view.shown_rows) == len(view.table.rows) > 1


async def test_sorting_by_power_puts_the_nodes_last(open_app: OpenApp, superpod: Path) -> None:
    async with open_app(superpod, size=(200, 50)) as person:
        view = person.designer.view_of("bill")
        await person.press("b")
        titles = [column.title for column in view.table.columns]
        for _ in range(len(titles)):
            await person.press("greater_than_sign")
            if view._wish.column == titles.index("power W"):
                break
        powers = [row.cells[titles.index("power W")].order for row in view.shown_rows]
        assert powers == sorted(powers, key=lambda power: float(power or 0))
        await person.press("r")
        assert view.shown_rows[0].cells[1].text == "DGX H100"


async def test_w_writes_a_request_for_quotation_for_each_vendor(
    open_app: OpenApp, superpod: Path, tmp_path: Path
) -> None:
    async with open_app(superpod) as person:
        await person.press("b", "w", "c")
        await person.press("ctrl+u", *f"{tmp_path}/asked", "enter")
        await person.app.workers.wait_for_complete()
    assert [each.name for each in (tmp_path / "asked").iterdir()] == ["nvidia.csv"]


async def test_e_signs_the_bill(open_app: OpenApp, superpod: Path, tmp_path: Path) -> None:
    async with open_app(superpod, size=SIZES[0]) as person:
        await person.press("b", "e", "ctrl+u")
        await person.type("who=Ann")
        await person.press("enter")
        assert "expected one of date, revision" in person.seen()
        await person.press("ctrl+u")
        await person.type("author=Ann; date=2026-03-31")
        await person.press("enter")
        assert "Signed: date 2026-03-31, author Ann." in person.message
        words = [text for text, _ in person.designer.view_of("bill").table.head]
        assert "Signed: date 2026-03-31, author Ann." in words
        for name in ("a.yaml", "b.yaml"):  # from the bill, and from any other page
            await person.press(*(("w", "b") if name == "a.yaml" else ("escape", "B")))
            await person.press("ctrl+u", *f"{tmp_path}/{name}", "enter")
            await person.app.workers.wait_for_complete()
            bill = yaml.safe_load((tmp_path / name).read_text())
            assert bill["signed"] == {"date": "2026-03-31", "author": "Ann"}


async def test_another_design_is_not_signed_by_the_words_of_the_last(
    open_app: OpenApp, superpod: Path, two_tier: Path
) -> None:
    async with open_app(superpod) as person:
        await person.press("b", "e", "ctrl+u")
        await person.type("revision=C")
        await person.press("enter", "enter")
        assert "Signed: revision C." in person.seen()
        await person.press("escape", "o", "ctrl+u")
        await person.answer(str(two_tier))
        await person.press("b")
        view = person.designer.view_of("bill")
        assert not any(text.startswith("Signed") for text, _ in view.table.head)


async def test_what_has_no_price_is_said_in_lines_pieces_and_power(
    open_app: OpenApp, superpod: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = tmp_path / "config/toposmith/prices"
    lists.mkdir(parents=True)
    (lists / "mine.csv").write_text(
        "part,price,currency,date,valid_until,source\nqm9700,1,USD,2020-01-01,2020-02-02,mine\n"
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with open_app(superpod) as person:
        await person.press("b")
        words = [text for text, _ in person.designer.view_of("bill").table.head]
        assert any(text.startswith("no price: ") and " kW of " in text for text in words), words
        assert any("qm9700: the offer ended on 2020-02-02" in text for text in words), words


async def test_the_bill_of_a_whole_cluster_is_shown(open_app: OpenApp, tmp_path: Path) -> None:
    values = {"nodes": 2, "storage": 2, "in_band": "sn4700", "out_of_band": "sn2201"}
    path = tmp_path / "whole.yaml"
    path.write_text(design_text(new_design("single-switch", values, catalog=load_catalog())))
    async with open_app(path) as person:
        await person.press("b", "full_stop")
        assert "management ports assumed" in person.seen()


async def test_a_rack_that_is_sold_whole_is_one_line_with_its_contents_below(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "racks.yaml"
    path.write_text(
        "toposmith: 1\naxes: {rack: 2}\n"
        "groups: {tray: {part: gb300-nvl72-tray, per: [rack], count: 18}}\n"
    )
    async with open_app(path) as person:
        await person.press("b")
        (row,) = person.designer.view_of("bill").shown_rows
        assert [row.cells[0].text, row.cells[1].text] == ["2", "GB300 NVL72 rack"]
        assert any("36 x GB300 NVL72 compute tray, 18 with each" in one for one in row.detail)
        for size in SIZES:
            await person.resize(size)
            assert "included: 36 x GB300 NVL72" in person.seen(), size


def read_by_pages(person: Person) -> str:
    """What a screen of 80 columns says in the place of the table."""
    lines = [line[1:51] for line in person.seen().splitlines()]
    return " ".join(" ".join(lines).replace("│", " ").split())


@pytest.mark.parametrize("filtered", [False, True])
async def test_all_that_is_said_of_a_bill_can_be_read_on_the_smallest_screen(
    open_app: OpenApp, superpod: Path, filtered: bool
) -> None:
    async with open_app(superpod, size=(80, 24)) as person:
        await person.press("b", "e")
        await person.answer("date=2026-03-31; revision=3; author=Ann; approver=Bob")
        view = person.designer.view_of("bill")
        if filtered:
            await person.press("slash", *"dgx", "enter")
        assert view.selected is not None
        table = person.seen()
        assert "DGX H100  " in table, "the line that the cursor is on is in sight"
        said = [text for text, _ in view.table.head] + list(view.selected.detail)
        assert sum(len(text) for text in said) > 700
        read, pages = "", 0
        while True:
            await person.press("full_stop")
            if "(. " not in person.seen():
                break
            pages += 1
            read += " " + read_by_pages(person)
            if pages == 1:  # the line of messages comes and goes
                await person.pilot.resize_terminal(80, 21)
                await person.settle()
                await person.pilot.resize_terminal(80, 24)
                await person.settle()
        assert pages > 1
        for text in said:
            # word by word: a sentence may go on over two pages
            assert all(word in read for word in text.split("; ")[0].split()), text
        assert person.designer.view is view


async def test_a_page_says_which_of_how_many_lines_it_shows(
    open_app: OpenApp, superpod: Path
) -> None:
    async with open_app(superpod, size=(80, 24)) as person:
        await person.press("b", "full_stop")
        assert re.search(r"lines 1 to 1\d of 2\d \(\. goes on\)", person.seen())
        await person.press("full_stop")
        assert re.search(r"lines 1\d to (2\d) of \1 \(\. shows the table\)", person.seen())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_table_comes_first_and_what_is_missing_below_it(
    open_app: OpenApp, size: tuple[int, int]
) -> None:
    async with open_app(FOLDER / "a100-rack-1x100gbe.yaml", size=size) as person:
        await person.press("b")
        lines = [line.strip("│ ") for line in person.seen().splitlines()]
        above = next(at for at, line in enumerate(lines) if "Bill of materials" in line)
        assert re.match("pieces +part", lines[above + 1])
        cable = person.designer.view_of("bill").shown_rows[-1].words[1][:8]
        last = next(at for at, line in enumerate(lines) if re.match(rf"8 +{cable}", line))
        summary = next(at for at, line in enumerate(lines) if line.startswith("orderable: 4 of 4"))
        assert last < summary
        assert any(re.match(r"and \d+ lines more \(\.\)", line) for line in lines[summary:])
        await person.press("full_stop")
        assert "orderable: 4 of 4" in person.seen()
