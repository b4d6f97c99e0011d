"""Exports from the app: form, file, a question before anything is replaced, and Escape to stop."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import threading
from pathlib import Path

import pytest
import yaml

from tests.tui.person import PATIENCE_S, OpenApp, Person
from toposmith.exports.forms import Made
from toposmith.tui.flows.path_questions import spared_words


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


async def written(person: Person) -> None:
    """Wait until nothing is being written and that was said."""
    jobs = person.designer.designer.exports
    await person.until(lambda: not jobs.busy and "writing" not in person.message)


async def export(person: Person, words: str, name: str) -> None:
    await person.press("E")
    await person.answer(words)
    await person.press("ctrl+u")
    await person.answer(name)
    await own_names(person)


async def own_names(person: Person) -> None:
    """Keep the design's names, where a form that has names of devices asks for a map."""
    if "map of names" in person.seen():
        await person.press("enter")


async def test_one_form_calls_devices_by_a_map_of_names(open_app: OpenApp, two_tier: Path) -> None:
    Path("map.yaml").write_text("toposmith-names: 1\ndevices: {spine-0: core-a, ghost: x}\n")
    async with open_app(two_tier) as person:
        await person.press("E")
        await person.type("cable schedule")
        await person.press("enter", "ctrl+u")
        await person.answer("cables.csv")
        assert "map of names" in person.seen()
        await person.answer("map.yaml")
        await written(person)
        assert "10 devices keep their own name" in person.message
    text = Path("cables.csv").read_text()
    assert "core-a" in text and "spine-0" not in text


async def test_the_cable_schedule_is_written_from_the_app(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await export(person, "cable schedule", "cables.csv")
        await written(person)
        assert "wrote cables.csv" in person.message
    rows = list(csv.DictReader(Path("cables.csv").read_text().splitlines()))
    assert len(rows) == len({(row["A-Node"], row["A-Port"]) for row in rows}) > 0


FORMS = [
    ("report", "r.html", b"<!doctype html>"),
    ("bill excel", "b.xlsx", b"PK"),
    ("bill markdown", "b.md", b"# Bill of materials"),
    ("screen", "s.svg", b"<svg"),
    ("elevations text", "r.txt", b""),
    ("fabric png", "f.png", b"\x89PNG"),
]


async def test_every_kind_of_form_is_written(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        for words, name, begins in FORMS:
            await export(person, words, name)
            await written(person)
            raw = Path(name).read_bytes()
            assert raw.lstrip().startswith(begins), words
            assert len(raw) > 100, words


async def test_several_forms_are_handed_over_in_one_folder_with_checksums(
    open_app: OpenApp, two_tier: Path
) -> None:
    Path("map.yaml").write_text("toposmith-names: 1\ndevices: {spine-0: core-a}\n")
    async with open_app(two_tier) as person:
        await export_to_folder(person, "slurm-tree nosuch")
        assert "no form is called 'nosuch'" in person.seen()
        await person.press("ctrl+u")
        await person.type("slurm-tree, netbox")
        await person.press("enter", "ctrl+u")
        await person.answer("given")
        await person.answer("nowhere.yaml")
        assert "nowhere.yaml" in person.seen() and not Path("given").exists()
        await person.press("ctrl+u")
        await person.answer("map.yaml")
        await written(person)
        assert "wrote given; not carried" in person.message
    assert "core-a" in Path("given/two-tier.topology-tree.conf").read_text() + "".join(
        one.read_text() for one in Path("given/netbox").iterdir()
    )
    assert json.loads(Path("given/manifest.json").read_text())["names"] == "map.yaml"
    sums = Path("given/SHA256SUMS").read_text().splitlines()
    for line in sums:
        digest, name = line.split("  ")
        assert hashlib.sha256((Path("given") / name).read_bytes()).hexdigest() == digest
    names = {line.split("  ")[1] for line in sums}
    assert {"manifest.json", "two-tier.topology-tree.conf", "netbox/README.md"} <= names


async def export_to_folder(person: Person, forms: str) -> None:
    await person.press("E")
    await person.type("hand-over")
    await person.press("enter", "ctrl+u")
    await person.answer(forms)


async def test_the_bill_is_written_in_the_form_of_its_name(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("B")
        await person.press("ctrl+u")
        await person.answer("out.yaml")
        await written(person)
    assert yaml.safe_load(Path("out.yaml").read_text())["toposmith_bill"] == 4


async def test_a_file_that_is_there_is_replaced_only_after_a_question(
    open_app: OpenApp, two_tier: Path
) -> None:
    Path("mine.dot").write_text("mine")
    async with open_app(two_tier) as person:
        await export(person, "graphviz", "mine.dot")
        assert "exists already" in person.seen()
        await person.press("c")
        assert "stays unchanged" in person.message
        assert Path("mine.dot").read_text() == "mine"
        await export(person, "graphviz", "mine.dot")
        await person.press("r")
        await own_names(person)
        await written(person)
    assert Path("mine.dot").read_text().startswith("graph")


async def test_a_folder_that_is_not_there_is_said(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await export(person, "cable schedule, point", "no/such/x.csv")
        await written(person)
        assert "there is no directory" in person.message


async def test_escape_stops_a_long_export_and_leaves_no_part_of_it(
    open_app: OpenApp, two_tier: Path
) -> None:
    begun = threading.Event()

    def endless(progress):
        def pieces():
            done = 0
            while True:
                done += 1
                progress(done, 1_000_000)
                begun.set()
                yield b"row\n"

        return Made(pieces())

    async with open_app(two_tier) as person:
        screen = person.designer
        screen.start_export(Path("long.csv"), "long.csv", endless)
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        screen.action_unselect()
        await person.until(lambda: "stopped" in person.message)
        assert "nothing was written to long.csv" in person.message
    assert list(Path().glob("*.csv")) == []
    assert list(Path().glob(".toposmith-*")) == []


async def test_a_line_of_the_bill_lights_up_where_its_part_is_used(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(200, 50)) as person:
        await person.press("b")
        canvas = person.designer.canvas
        lit = set(canvas.lit)
        assert {getattr(item, "name", None) for item in lit} == {"node"}
        assert " here " in person.seen()
        await person.press("down")
        assert canvas.lit and canvas.lit != lit
        await person.press("escape")
        assert canvas.lit == frozenset()


@pytest.mark.parametrize("key", ["E", "B"])
async def test_an_export_never_replaces_the_design_that_it_is_made_from(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.chdir(two_tier.parent)
    Path("same.yaml").hardlink_to(two_tier)
    Path("link.yaml").symlink_to(two_tier)
    before = two_tier.read_bytes()
    async with open_app(two_tier) as person:
        for name in ("two-tier.yaml", "./two-tier.yaml", "same.yaml", "link.yaml"):
            if key == "E":
                await export(person, "report", name)
            else:
                await person.press("B")
                await person.answer(name)
            assert person.designer.asking, name
            assert "is the design itself" in person.seen(), name
            await person.press(*["escape"] * (2 if key == "E" else 1))  # the form, then nothing
            assert not person.designer.asking
            assert two_tier.read_bytes() == before, name


async def test_an_export_never_replaces_the_review_beside_the_design(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(two_tier.parent)
    beside = two_tier.with_name("two-tier.review")
    async with open_app(two_tier) as person:
        await export(person, "report", beside.name)
        assert "the review of this design" in person.seen()
    assert not beside.exists()


def test_a_file_is_spared_by_whatever_name_it_is_reached(two_tier: Path) -> None:
    spared = (two_tier, two_tier.with_name("two-tier.review"))
    link = two_tier.with_name("link.yaml")
    link.symlink_to(two_tier)
    for name in (two_tier, link, two_tier.parent / ".." / two_tier.parent.name / two_tier.name):
        assert "the design itself" in spared_words(str(name), spared)
    assert "the review" in spared_words(str(spared[1]), spared)
    assert spared_words(str(two_tier.with_name("other.yaml")), spared) == ""
    spared[1].mkdir()
    assert "the review" in spared_words(str(spared[1] / "new.yaml"), spared)
    assert spared_words(str(two_tier), ()) == ""
    assert spared_words("a\0b", spared) == ""
