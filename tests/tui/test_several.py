"""Several groups at once, the history as a list, search, and what the file keeps of M."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Offset

from tests.tui.person import OpenApp, Person
from toposmith.analysis.jobs.communicator import Job, job_of
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.fabric.leaf_networks import dealt_ports, dealt_to, network_of
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import FOLDER
from toposmith.tui.canvas.canvas import GroupItem, LinkItem
from toposmith.tui.flows.measurements import communicator_block
from toposmith.tui.questions import Choice, matching

SUPERPOD = FOLDER / "dgx-h100-superpod-4su.yaml"


async def mark(person: Person, *names: str) -> None:
    for name in names:
        person.designer.select_group(name)
        await person.press("space")


async def test_marked_groups_are_counted_changed_and_deleted_as_one_step(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        await mark(person, "leaf", "spine")
        assert person.seen().count(" marked ") == 2
        await person.press("R")
        await person.answer("qm9790")
        assert bench.history == ["leaf, spine: part qm9790"]
        await person.press("x")
        assert list(bench.design.groups) == ["node"]
        assert bench.history[-1] == "delete leaf, spine"
        await person.press("u", "u")
        person.designer.select_link(1)
        await person.press("c")
        await person.type("8")  # room for more on leaves and spine
        await person.press("enter")
        await mark(person, "node", "spine")
        await person.press("plus")
        assert bench.history[-1] == "node, spine: one device more each"
        await person.press("u", "minus")
        assert "spine has only one" in person.message
        await person.press("escape")
        assert person.designer.canvas.marked == ()
        await mark(person, "node", "leaf")
        await person.press("c")
        await person.answer("4")
        assert [group.count for group in bench.design.groups.values()] == [4, 4, 1]


async def test_a_click_with_control_marks_and_a_second_one_unmarks(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        canvas = person.designer.canvas
        anchor = canvas.scene.anchor(GroupItem("leaf"))
        assert anchor is not None
        place = Offset(anchor.x - canvas.scroll_offset.x + 1, anchor.y - canvas.scroll_offset.y + 1)
        await person.pilot.click("#canvas", offset=place, control=True)
        assert canvas.marked == ("leaf",)
        await person.pilot.click("#canvas", offset=place, control=True)
        assert canvas.marked == ()


async def test_groups_go_from_one_design_to_another(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("P")
        assert "nothing was copied yet" in person.message
        await mark(person, "node", "leaf")
        await person.press("y", "N")
        assert list(person.designer.workbench.design.groups) == []
        await person.press("P")
        pasted = person.designer.workbench.design
        assert list(pasted.groups) == ["node", "leaf"]
        assert [link.between for link in pasted.links] == [("node.compute", "leaf")]
        assert person.designer.canvas.marked == ("node", "leaf")


async def test_a_duplicate_that_has_no_ports_is_offered_without_links(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        person.designer.select_group("spine")
        await person.press("d")  # leaves are full: 32 down, 32 up
        assert "wired like its original it would be refused" in person.seen()
        await person.press("a")
        assert "spine2" in bench.design.groups
        assert len(bench.design.links) == 2
        assert person.designer.selected_group == "spine2"


async def test_the_history_is_a_list_that_goes_anywhere_and_survives_saving(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        await person.press("H")
        assert "no steps yet" in person.message
        person.designer.select_group("node")
        await person.press("minus", "minus", "s", "minus")
        await person.press("H")
        seen = person.seen()
        assert "node: count 6, saved" in seen
        assert "GB/s  node: count 5" in seen
        assert "▸   3  " in seen
        await person.press("home", "down", "enter")
        assert bench.design.groups["node"].count == 7
        assert bench.undone == ["node: count 6", "node: count 5"]
        await person.press("H")
        assert "node: count 5, undone" in person.seen()
        await person.press("end", "enter")
        assert bench.design.groups["node"].count == 5


async def test_a_few_letters_find_a_group_or_a_link(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("g")
        await person.answer("spi")
        assert person.designer.selected_group == "spine"
        await person.press("g")
        await person.answer("link dgx")
        assert person.designer.canvas.selected == LinkItem(0)
        await person.press("g")
        await person.type("zzz")
        assert "nothing here has 'zzz'" in person.seen()
        await person.press("enter", "escape")
        assert person.designer.canvas.selected == LinkItem(0)


async def test_who_takes_part_is_kept_in_the_file_and_can_be_undone(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        await person.press("J")
        assert "says so already" in person.message
        await person.press("M", "down", "down")
        await person.type("tp=8,dp=8")
        await person.press("enter", "J", "s")
        assert bench.design.communicator == {"layout": "tp=8,dp=8"}
        text = two_tier.read_text()
        assert "# kept" in text
        await person.press("u")
        assert bench.design.communicator is None
    assert job_of(load_file(two_tier).design.communicator) == Job(parse_layout("tp=8,dp=8"))


@pytest.mark.parametrize(
    "job",
    [
        Job(),
        Job(parse_layout("tp=8,pp=4,dp=4"), "pp"),
        Job(parse_layout("tp=8,dp=16"), placement="striped"),
        Job(placement="scattered", seed=3),
    ],
)
def test_a_job_reads_back_from_its_block(job: Job) -> None:
    block = {key: value for key, value in communicator_block(job).items() if value is not None}
    assert job_of(block) == job


async def test_a_part_is_replaced_wherever_it_is_with_its_effect_in_sight(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        await person.press("R", "enter")  # the part of the selected group is proposed
        await person.type("qm9790")
        assert "unchanged" in person.seen()
        await person.press("enter")
        parts = [group.part for group in person.designer.workbench.design.groups.values()]
        assert parts == ["dgx-h100", "qm9790", "qm9790"]


async def test_a_template_asks_back_and_leaves_what_is_there_only_when_told(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "T")
        assert "has changes that are not saved" in person.seen()
        await person.press("c")
        assert person.designer.workbench.design.groups["node"].count == 7
        await person.press("T", "d")
        assert "begin with" in person.seen()
        await person.press("down", "down", "enter", "escape", "escape")
        assert not person.designer.asking
        assert person.designer.workbench.design.groups["node"].count == 7


async def test_a_node_with_open_slots_is_asked_for_its_nics(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("enter", "T", "enter")
        await person.answer("hgx h100")
        assert "NICs for the open slots" in person.seen()
        await person.answer("connectx-7 400")
        assert "how many NICs in each node, of 8 slots" in person.seen()
        await person.press("down", "down", "enter")
        assert "how many nodes: 4" in person.seen()
        await person.press("enter")
        await person.answer("qm9700")
        assert "out-of-band network" in person.seen(), "no storage slots: nothing else is asked"
        await person.press("enter")
        design = person.designer.workbench.design
        assert list(design.groups) == ["node", "switch"]
        assert design.groups["node"].nics["compute"].count == 6


async def test_a_template_asks_for_the_switches_of_every_tier(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("enter", "T", "down", "enter")
        await person.type("dgx h100")
        await person.press("enter", "enter")
        assert "leaf switches" in person.seen()
        await person.answer("qm9790")
        assert "spine switches" in person.seen()
        assert "speaks Ethernet, the ports InfiniBand" in person.seen(), "judged by the leaves"
        await person.type("qm9700")
        assert "GB/s" in person.seen(), "the figures of each answer are shown"
        await person.press("enter", "escape", "escape")
        assert "leaf switches" in person.seen()
        await person.type("qm8790")  # what was said of the spines went with the other leaves
        await person.press("enter", "enter")
        await person.type("4")
        await person.press("enter")
        assert "node slots of an SU: 32" in person.seen(), "32 ports down and 8 up are 4:1"
        await person.press("enter", "enter")
        await person.press("enter", "enter", "enter")  # no storage, in-band or out-of-band network
        groups = person.designer.workbench.design.groups
        # 32 of the 40 ports go down, 8 up: 32 leaves with 8 uplinks take 256 ports of 40
        assert [(one.part, one.count) for one in groups.values()] == [
            ("dgx-h100", 32),
            ("qm8790", 1),
            ("qm8790", 8),
        ]


async def test_a_template_draws_storage_and_management_networks(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("enter", "T", "enter")
        await person.answer("xe9680 h100")
        await person.type("connectx-7 400")
        await person.press("enter", "enter", "enter")
        await person.answer("qm9700")
        assert "storage appliances" in person.seen()
        await person.answer("2")
        assert "NICs for the open storage slots" in person.seen()
        await person.answer("connectx-7 ndr200")
        assert "in-band network" in person.seen()
        await person.press("escape")
        assert "NICs for the open storage slots" in person.seen(), "one question back"
        await person.press("escape")
        assert "storage appliances" in person.seen(), "and one more"
        await person.press("enter", "enter")
        await person.answer("sn4700")
        await person.answer("sn2201")
        assert "two switches that the uplinks" in person.seen()
        await person.answer("sn4600c")
        design = person.designer.workbench.design
        assert list(design.groups)[2:] == [
            *("store", "store-leaf", "in-band", "out-of-band", "out-of-band-core")
        ]
        assert "node.management" in [link.between[0] for link in design.links]


def test_letters_find_what_holds_them_words_first() -> None:
    choices = [Choice("a", "QM9700 NDR switch"), Choice("b", "SN5600 switch"), Choice("c", "leaf")]
    assert [one.id for one in matching(choices, "switch ndr")] == ["a"]
    assert [one.id for one in matching(choices, "qmndr")] == ["a"]
    assert [one.id for one in matching(choices, "")] == ["a", "b", "c"]
    assert matching(choices, "xyz") == []


def test_the_network_of_a_superpod_is_its_leaves_and_spines() -> None:
    plan = plan_design(load_file(SUPERPOD).design, load_catalog())
    for chosen in ((), ("node",), ("leaf",), ("spine",)):
        network = network_of(plan, chosen)
        assert network is not None
        assert (network.node, network.leaf, network.ports) == ("node", "leaf", 8)
        assert network.switches == ("leaf", "spine")
    assert network.nodes_of_a_rack == 4  # 4 x 8 ports fill half of a switch with 64
    assert dealt_ports(plan) == {0: 8}
    assert dealt_to(plan, "leaf") == {0: 1}
    assert dealt_to(plan, "spine") == {}
