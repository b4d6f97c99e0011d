"""Slow cables, swapped ones and sets, said in the app."""

from __future__ import annotations

from pathlib import Path

from tests.fabric_texts import on_rails
from tests.tui.person import OpenApp

FABRIC = on_rails(4).replace("toposmith: 2", "toposmith: 1")


async def test_a_nic_at_half_rate_halves_the_figure_and_comes_back(
    open_app: OpenApp, tmp_path: Path
) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(FABRIC)
    async with open_app(file, size=(120, 36)) as person:
        person.designer.select_group("node")
        before = person.designer._figures.analysis
        await person.press("X", "s")
        await person.press("enter")  # the first node
        assert "speed of node[node=0]" in person.seen()
        await person.press("enter")
        design = person.designer.workbench.design
        assert (dict(design.slow), design.toposmith) == ({"node[node=0]": "50 %"}, 2)
        after = person.designer._figures.analysis
        assert before is not None and after is not None
        assert before.busbw_GBps is not None and after.busbw_GBps is not None
        assert after.busbw_GBps < 0.6 * before.busbw_GBps
        await person.press("X", "f", "enter")
        assert person.designer.workbench.design.slow == {}


async def test_two_ports_are_swapped_put_back_and_a_set_is_named(
    open_app: OpenApp, tmp_path: Path
) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(FABRIC)
    async with open_app(file, size=(120, 36)) as person:
        person.designer.select_group("node")
        await person.press("X", "w")
        assert "it goes to leaf[rail=0,leaf=0]" in person.seen()
        await person.press("enter")
        assert "it goes to leaf[rail=1,leaf=0]" in person.seen()
        await person.press("enter")
        cables = person.designer.workbench.design.cables
        assert [(cable.a, cable.z) for cable in cables] == [
            ("node[node=0].compute[0]", "leaf[rail=1,leaf=0]"),
            ("node[node=0].compute[1]", "leaf[rail=0,leaf=0]"),
        ]
        await person.press("X", "b", "enter")
        assert len(person.designer.workbench.design.cables) == 1
        await person.press("X", "n", "enter", *"row", "enter")
        assert person.designer.workbench.design.sets == {"row": ("node[node=0]",)}
        await person.press("X", "d", "enter")
        assert person.designer.workbench.design.sets == {}


async def test_among_the_failures_only_what_can_be_taken_out_is_listed(
    open_app: OpenApp, tmp_path: Path
) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(FABRIC)
    async with open_app(file, size=(120, 36)) as person:
        await person.press("F")
        view = person.designer.view_of("failures")

        def kinds() -> set[str]:
            return {row.cells[0].text for row in view.shown_rows}

        everything = kinds()
        assert {"node", "spine", "leaf"} <= everything
        await person.press("percent_sign", "enter")
        assert "Can be taken out now, at least 90 % kept" in person.seen()
        assert "spine" in kinds()
        assert not kinds() & {"node", "NIC", "leaf"}
        await person.press("percent_sign")
        assert kinds() == everything
