"""Building a cluster by keys alone, from the empty canvas to the bill of materials."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp
from toposmith.design.stored_files import load_file
from toposmith.saved_designs import FOLDER


async def test_a_two_tier_cluster_is_built_saved_billed_and_reopened_by_keys(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app() as person:
        await person.press("enter")  # the empty canvas is the first offer
        assert "This canvas is empty" in person.seen()

        await person.add("dgx h100", 8)
        await person.add("qm9700", 2)
        await person.add("qm9700", 1)
        assert list(person.designer.workbench.design.groups) == ["node", "leaf", "spine"]
        assert "unknown" in person.seen()

        await person.wire("node", "leaf")
        assert "GB/s per GPU" in person.seen()
        await person.wire("leaf", "spine")

        links = person.designer.workbench.plan.links
        assert [(link.label, link.cables_per_pair) for link in links] == [
            ("node.compute - leaf", 4),
            ("leaf - spine", 32),
        ]
        assert person.designer.workbench.evaluated.analysis.busbw_GBps is not None
        seen = person.seen()
        assert "fix " in seen or "limit " in seen
        assert "* unsaved" in seen

        await person.press("s")
        await person.answer("cluster.yaml")
        assert person.message == "saved cluster.yaml"
        assert "unsaved" not in person.seen()

        await person.press("B", "enter")
        assert person.message == "wrote cluster.bom.yaml"
        built = person.designer.workbench.design

    assert "qm9700" in (work_dir / "cluster.bom.yaml").read_text().lower()
    assert load_file(work_dir / "cluster.yaml").design == built
    async with open_app(work_dir / "cluster.yaml") as person:
        assert person.designer.workbench.design == built
        assert not person.designer.workbench.dirty


async def test_the_nics_that_are_proposed_are_as_many_as_the_leaf_has_ports_for(
    open_app: OpenApp,
) -> None:
    # 8 nodes on a leaf of 32 ports: 4 NICs each, though a node has 8 slots
    async with open_app(FOLDER / "a100-rack-1x100gbe.yaml") as person:
        person.designer.select_group("node")
        await person.press("n", "enter")
        assert "how many in the 8 slots" in person.seen()
        await person.press("enter")
        nics = person.designer.workbench.design.groups["node"].nics
        assert [fitted.count for fitted in nics.values()] == [4]


async def test_the_start_offers_templates_by_a_row_and_by_a_key(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app(size=(80, 24)) as person:
        assert "T template" in person.seen() and "G tour" in person.seen()
        await person.press("T")
        assert "leaf-spine (" in person.seen()
    async with open_app() as person:
        await person.press("down", "enter")
        assert "leaf-spine (" in person.seen()


async def test_wiring_to_spines_proposes_what_makes_the_leaves_1_to_1_and_says_so(
    open_app: OpenApp,
) -> None:
    async with open_app(None) as person:
        await person.press("N")
        await person.add("dgx-h100", 18)
        await person.add("qm9700", 8)
        await person.wire("node", "leaf")
        await person.add("qm9700", 3)
        person.designer.select_group("leaf")
        await person.press("w", "enter")
        # a cable of each of 18 nodes below, 3 x 6 above
        assert "cables from each leaf to each spine: 6" in person.seen()
        assert person.seen().count("leaf oversubscription 1:1") == 1
        await person.type("5")
        assert "leaf oversubscription 1.2:1" in person.seen()


async def test_a_selected_link_is_wired_on_from_the_group_above_it(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(0)  # node - leaf
        await person.press("w")
        assert person.designer.selection.picking
        await person.press("enter")
        assert "each leaf needs" in person.message  # of the leaf's ports, none is free


@pytest.mark.parametrize(("link", "above"), [(0, "nvswitch"), (1, "leaf"), (2, "spine")])
async def test_a_link_beside_nvlinks_is_wired_on_from_its_own_upper_end(
    open_app: OpenApp, link: int, above: str
) -> None:
    async with open_app(FOLDER / "gb200-nvl72-8-racks-ndr.yaml") as person:
        person.designer.select_link(link)
        await person.press("w")
        assert f"wire {above} to ..." in person.message
