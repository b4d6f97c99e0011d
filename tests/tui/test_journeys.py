"""From the empty canvas to a DGX SuperPOD of 4 SUs: by keys alone, and by the mouse alone.

Devices and cables are those of RA-11333-001, Table 4.
"""

from __future__ import annotations

from textual.widgets import OptionList

from tests.tui.person import OpenApp, Person
from toposmith.fabric.counts import cable_counts, device_counts

SUPERPOD = {"node": 127, "leaf": 32, "spine": 16}


async def click(person: Person, text: str, *, last: bool = False) -> None:
    """Click on words that are on the screen."""
    lines = list(enumerate(person.seen().splitlines()))
    for row, line in reversed(lines) if last else lines:
        if text in line:
            await person.pilot.click(offset=(line.index(text) + len(text) // 2, row))
            await person.settle()
            return
    raise AssertionError(f"{text!r} is not on the screen:\n{person.seen()}")


async def scroll_to(person: Person, text: str) -> None:
    """Turn the wheel over a list until words are in sight."""
    listing = next(one for one in person.app.screen.query(OptionList) if one.region)
    for _ in range(60):
        if text in person.seen():
            return
        listing.scroll_relative(y=3, animate=False)
        await person.settle()
    raise AssertionError(f"{text!r} does not come into sight")


async def test_a_superpod_of_four_su_by_keys_alone(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("enter")
        await person.add("dgx h100", 32)
        await person.add("qm9700", 8)
        await person.wire("node", "leaf")
        await person.add("qm9700", 4)
        await person.wire("leaf", "spine")
        person.designer.select_group("leaf")
        await person.press("A", "r", "enter")
        bench = person.designer.workbench
        assert bench.design.groups["leaf"].per == ("rail",)
        await person.press("A", "s")
        await person.type("4")
        assert "GPUs 256 → 1,024" in " ".join(person.seen().split())
        await person.press("enter")
        person.designer.select_group("node")
        await person.press("A", "e", "enter")
        assert device_counts(bench.plan) == SUPERPOD
        assert cable_counts(bench.plan) == {0: 1016, 1: 1024}
        assert bench.evaluated.analysis.tiers[0].oversubscription == 1016 / 1024
        assert "world, 1,016 GPUs" in person.seen()
        assert bench.history == [
            "add node, 32 x dgx-h100",
            "add leaf, 8 x qm9700",
            "wire node.compute to leaf",
            "add spine, 4 x qm9700",
            "wire leaf to spine, 8 cables",
            "make leaf rail-optimised, 8 rails",
            "repeat node and leaf as 4 su; spine 4 to 16",
            "node: 1 empty place",
        ]
        for _ in bench.history:
            await person.press("u")
        assert bench.design.groups == {}


async def test_a_superpod_of_four_su_by_the_mouse_alone(open_app: OpenApp) -> None:
    async with open_app(size=(120, 44)) as person:
        await click(person, "empty canvas")
        assert "This canvas is empty" in person.seen()
        await click(person, ": do", last=True)
        await scroll_to(person, "Template: fill an empty canvas")
        await click(person, "Template: fill an empty canvas")
        await click(person, "leaf-spine (")
        await scroll_to(person, "│ DGX H100, no longer sold")
        await click(person, "│ DGX H100, no longer sold", last=True)
        await click(person, "Enter accept", last=True)  # 4 SU
        await scroll_to(person, "QM9700 NDR switch, managed")
        await click(person, "QM9700 NDR switch, managed", last=True)
        await click(person, "Enter choose", last=True)  # the spines as the leaves
        await click(person, "Enter accept", last=True)  # 1:1
        await click(person, "Enter accept", last=True)  # of 32 nodes
        await click(person, "Up +1", last=True)  # one slot stays empty
        await click(person, "Enter accept", last=True)
        await click(person, "Enter accept", last=True)  # no storage
        await click(person, "Enter choose", last=True)  # no in-band network
        await click(person, "Enter choose", last=True)  # no out-of-band network
        bench = person.designer.workbench
        assert device_counts(bench.plan) == SUPERPOD
        assert len(bench.history) == 1, "the whole template is one step"
        assert bench.history[0].startswith("leaf-spine: 128 node, 32 leaf, 16")
        await click(person, "undo", last=True)
        assert bench.design.groups == {}
