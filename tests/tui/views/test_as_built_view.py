"""What is really cabled in the place of the fabric: accepted, marked, gone to, put right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.as_built.fabrics import TAPERED, tapered_dumps
from tests.tui.person import OpenApp, Person
from toposmith.command.main import main
from toposmith.lock.lock_file import lock_text


@pytest.fixture
def pod(work_dir: Path) -> Path:
    """A pod whose uplinks limit it, a dump with faults, and one after half of the work."""
    (work_dir / "pod.yaml").write_text(TAPERED)
    for name, text in tapered_dumps().items():
        (work_dir / f"{name}.out").write_text(text)
    return work_dir / "pod.yaml"


async def opened(person: Person, name: str) -> str:
    await person.press("o")
    await person.press("ctrl+u")
    await person.answer(name)
    return " ".join(person.seen().split())


async def test_a_difference_is_accepted_undone_and_marked(open_app: OpenApp, pod: Path) -> None:
    async with open_app(pod) as person:
        await person.press("at")
        assert "Nothing is compared yet" in person.seen()
        page = await opened(person, "faults.out")
        assert "cables as designed" in page and "as built" in page
        view = person.designer.view_of("as_built")
        before = person.designer.designer.editing.design
        await person.press("a")
        after = person.designer.designer.editing.design
        assert after.slow and not before.slow  # what costs most comes first: a slow cable
        assert any("accepted" in row.cells[1].text for row in view.table.rows)
        await person.press("u")
        assert person.designer.designer.editing.design == before
        assert not any("accepted" in row.cells[1].text for row in view.table.rows)
        await person.press("m")
        assert any("once what is marked" in line for line, _ in view.table.head)
        await person.press("A")
        assert person.designer.designer.editing.design.cables
        assert "to move" not in view.table.rows[0].text
        first = view.table.head[0][0]
        assert "6 differences accepted into the design" in first
        assert "to move" not in first and "to lay" not in first


async def test_every_collective_says_what_a_difference_costs_and_a_job_what_it_gates(
    open_app: OpenApp, pod: Path
) -> None:
    """Crossed rails cost an all-reduce nothing, and an all-to-all a fifth."""
    async with open_app(pod) as person:
        await person.press("at")
        await opened(person, "faults.out")
        view = person.designer.view_of("as_built")
        titles = [column.title for column in view.table.columns]
        at = [titles.index(name) for name in ("all-reduce", "all-to-all")]
        crossed = next(row for row in view.table.rows if row.cells[0].text == "swapped")
        assert [crossed.cells[each].text for each in at] == ["no loss", "-12.0 GB/s"]
        assert "gates the rings of every job with node-5" in view.table.rows[0].detail
        await person.press("j")
        await person.answer("train: node[node=4..6], all_reduce")
        assert "gates the rings of train" in view.table.rows[0].detail
        await person.press("u")
        assert "gates the rings of every job with node-5" in view.table.rows[0].detail


async def test_a_second_dump_says_what_was_done(open_app: OpenApp, pod: Path) -> None:
    async with open_app(pod) as person:
        await person.press("at")
        await opened(person, "faults.out")
        page = await opened(person, "later.out")
        assert "since faults.out: 2 put right" in page
        view = person.designer.view_of("as_built")
        assert sum(row.key.startswith("done") for row in view.table.rows) == 2


async def test_enter_goes_to_the_port_and_says_there_what_differs(
    open_app: OpenApp, pod: Path
) -> None:
    async with open_app(pod) as person:
        await person.press("at")
        await opened(person, "faults.out")
        await person.press("enter")
        assert person.designer.designer.panels.view is person.designer.designer.panels.depths
        assert "as built:" in person.seen()
        assert "! cabled otherwise" in person.seen()
        await person.press("enter")  # the switch itself: one stands on the same port
        assert "as built:" in person.seen()
        await person.press("enter")  # and the node at its other end, on the NIC
        assert "node=5" in person.seen() and "as built:" in person.seen()


async def test_the_check_list_is_written_and_other_files_are_refused(
    open_app: OpenApp, pod: Path
) -> None:
    async with open_app(pod) as person:
        await person.press("at")
        page = await opened(person, "pod.yaml")
        assert "of no known form" in page
        await person.press("escape")
        await opened(person, "faults.out")
        await person.press("l")
        await person.press("ctrl+u")
        await person.answer("list.csv")
        await person.until((pod.parent / "list.csv").exists)
    assert (pod.parent / "list.csv").read_text().startswith("Done,Rack,U,Kind")


async def test_a_dump_of_another_fabric_says_so_and_a_map_settles_names(
    open_app: OpenApp, pod: Path
) -> None:
    """Leaves that are called crosswise: by names every cable differs, by the map none of these."""
    text = (pod.parent / "later.out").read_text()
    crossed = text.replace("leaf-rail6", "x").replace("leaf-rail7", "leaf-rail6")
    (pod.parent / "crossed.csv").write_text(crossed.replace("x,", "leaf-rail7,"))
    (pod.parent / "names.txt").write_text("leaf-rail6 = leaf-rail7\nleaf-rail7 = leaf-rail6\n")
    (pod.parent / "other.csv").write_text("A-Node,A-Port,Z-Node,Z-Port\nsw1,1,h1,eth1\n")
    async with open_app(pod) as person:
        await person.press("at")
        view = person.designer.view_of("as_built")
        page = await opened(person, "other.csv")
        assert "another fabric" in page
        await opened(person, "crossed.csv")
        before = len(view.table.rows)
        await person.press("n")
        await person.answer("names.txt")
        assert len([row for row in view.table.rows if not row.key.startswith("done")]) < before


async def test_what_was_read_becomes_the_lock_after_a_look_and_undo_takes_it_back(
    open_app: OpenApp, pod: Path
) -> None:
    assert main(("lock", str(pod))) == 0
    lock = pod.with_suffix(".lock")
    bound = lock.read_text()
    assert main(("asbuilt", str(pod), str(pod.with_name("faults.out")), "--accept")) in (0, 1)
    lies = lock.read_text()
    assert lies != bound
    lock.write_text(bound)
    async with open_app(pod) as person:
        await person.press("at")
        await opened(person, "faults.out")
        editing = person.designer.designer.editing
        before = editing.design
        await person.press("L")
        assert "where they were" in person.seen()
        await person.press("n")
        assert person.message == "not bound"
        assert editing.design is before
        await person.press("L")
        await person.press("y")
        assert person.message.startswith("bound: ")
        assert lock.read_text() == bound  # until it is saved
        await person.press("s")
        assert lock.read_text() == lies
        await person.press("u")
        assert editing.design.lock is not None
        assert lock_text(editing.design.lock) == bound


async def test_a_first_lock_that_was_saved_goes_with_undo(open_app: OpenApp, pod: Path) -> None:
    lock = pod.with_suffix(".lock")
    async with open_app(pod) as person:
        await person.press("at")
        await opened(person, "faults.out")
        await person.press("L")
        await person.press("y", "s")
        assert lock.read_text().startswith("toposmith-lock\t1\n")
        await person.press("u", "s")
        assert not lock.exists()
        await person.press("U", "s")
        assert lock.exists()
        lock.write_text("of another")
        await person.press("u", "s")
        assert lock.read_text() == "of another"
