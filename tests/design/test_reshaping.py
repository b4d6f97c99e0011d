"""Whole-fabric edits: rails, racks, planes, more SUs, halves and copies; counts worked out by hand.

The tables of NVIDIA's DGX SuperPOD reference architecture (RA-11333-001, Table 4) are the oracle
for more SUs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from toposmith.analysis.analyse import analyse
from toposmith.catalog import load_catalog
from toposmith.design import edits
from toposmith.design.document import Design, Group
from toposmith.design.edits.edit import altered, changed
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.saved_designs import FOLDER
from toposmith.templates import new_design

CATALOG = load_catalog()
SUPERPOD = load_file(FOLDER / "dgx-h100-superpod-4su.yaml").design
DEALT = (0,)


def counts(design: Design) -> tuple[int, ...]:
    """Devices of each group, then cables of each link; a design with errors has none."""
    plan = plan_design(design, CATALOG)
    errors = [f.text for f in (*plan.findings, *port_findings(plan)) if f.severity == "error"]
    assert errors == []
    return (*device_counts(plan).values(), *cable_counts(plan).values())


def leaf_oversubscription(design: Design) -> float | None:
    return analyse(plan_design(design, CATALOG), CATALOG).tiers[0].oversubscription


@pytest.mark.parametrize(
    ("su", "row"),
    [
        # nodes, leaves, spines, node cables (less 4 of UFM), spine cables
        (1, (31, 8, 4, 248, 256)),
        (2, (63, 16, 8, 504, 512)),
        (3, (95, 24, 16, 760, 768)),
        (4, (127, 32, 16, 1016, 1024)),
    ],
)
def test_one_su_repeated_is_the_row_of_the_dgx_h100_table(su: int, row: tuple[int, ...]) -> None:
    one = new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG)
    edit = edits.repeat_groups(one, ["node", "leaf"], "su", su, dealt=DEALT)
    assert counts(edit.design) == row


RESHAPED = yaml.safe_load(Path(__file__).with_name("reshaped.yaml").read_text(encoding="utf-8"))


def edit_of(design: Design, name: str, *given: Any) -> edits.Edit:
    """An edit with what it is given; options come last."""
    options = given[-1] if isinstance(given[-1], dict) else {}
    edit: edits.Edit = getattr(edits, name)(design, *given[: len(given) - bool(options)], **options)
    return edit


@pytest.mark.parametrize("case", RESHAPED, ids=lambda case: case["says"])
def test_a_fabric_is_reshaped_as_worked_out_by_hand(case: dict[str, Any]) -> None:
    start = parse_design(f"toposmith: 1\n{case['of']}", "of") if "of" in case else SUPERPOD
    faults = {key: tuple(places) for key, places in case.get("faults", {}).items()}
    design = start.model_copy(update=faults)
    *earlier, last = case["edits"]
    for one in earlier:
        design = edit_of(design, *one).design
    if "refused" in case:
        with pytest.raises(EditError, match=case["refused"]):
            edit_of(design, *last)
        return
    done = edit_of(design, *last)
    after = done.design
    found = {
        "axes": after.axes,
        "absent": list(after.absent),
        "down": list(after.down),
        "cables": [link.cables for link in after.links],
        "between": [list(link.between) for link in after.links],
        "label": done.label,
        "unchanged": after == start,
    }
    assert {key: of for key, of in found.items() if key in case} == {
        key: case[key] for key in found if key in case
    }
    assert "counts" not in case or counts(after) == tuple(case["counts"])


def test_racks_of_four_nodes_have_one_leaf_each_and_the_same_ratio() -> None:
    racks = edits.make_top_of_rack(SUPERPOD, "leaf", "node", nodes=4, dealt=DEALT).design
    assert counts(racks) == (127, 32, 16, 1016, 1024)  # 4 x 8 ports down a leaf, 32 up, as before
    assert leaf_oversubscription(racks) == pytest.approx(1016 / 1024)
    assert racks.axes == {"su": 4, "rack": 8}, "no rails are left"
    assert racks.absent == ("node[su=3,rack=7,node=3]",), "node 31 is the last of the last rack"


def test_planes_keep_the_one_cable_that_a_link_without_a_number_has() -> None:
    thin = altered(SUPERPOD.links[1], cables=None)
    single = changed(SUPERPOD, links=(SUPERPOD.links[0], thin))
    planes = edits.add_planes(single, ["leaf", "spine"], 2, ports={0: 8}).design
    # 32 leaves with a cable to each of 16 spines, then with two to each of 8 in their plane
    assert (counts(single)[-1], counts(planes)[-1]) == (512, 512)
    assert planes.links[1].cables == 2


def test_racks_made_rail_optimised_one_by_one_thin_out_the_uplinks_of_each_leaf() -> None:
    racks = new_design("top-of-rack", {"racks": 8}, catalog=CATALOG)
    rails = edits.make_rail_optimised(racks, "leaf", "node", rails=8, dealt=DEALT).design
    # 64 leaves instead of 8, with 4 ports down and 1 up to each of 4 spines: still 256 cables
    assert counts(rails) == (32, 64, 4, 256, 256)


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        (8, r"ports maps each link .* such as \{0: 8\}, found 8"),
        ([0], r"ports maps each link .* found \[0\]"),
        ({"node.compute": 8}, "by their places, 0 for the first, found 'node.compute'"),
        ({7: 8}, "there is no link 7; the design has 2"),
        ({0: "8"}, "a number, at least 1, found '8'"),
        ({0: 0}, "a number, at least 1, found 0"),
    ],
)
def test_ports_of_planes_that_are_none_are_refused(ports: Any, words: str) -> None:
    with pytest.raises(EditError, match=words):
        edits.add_planes(SUPERPOD, ["leaf", "spine"], 2, ports=ports)


@pytest.mark.parametrize("dealt", [0, "0", ["node"], [9]])
def test_links_that_are_dealt_and_are_none_are_refused(dealt: Any) -> None:
    with pytest.raises(EditError, match=r"dealt has links|there is no link 9"):
        edits.make_top_of_rack(SUPERPOD, "leaf", "node", dealt=dealt)
    with pytest.raises(EditError, match=r"dealt has links|there is no link 9"):
        edits.make_rail_optimised(SUPERPOD, "leaf", "node", rails=8, dealt=dealt)
    with pytest.raises(EditError, match=r"dealt has links|there is no link 9"):
        edits.repeat_groups(SUPERPOD, ["node"], "su", 8, dealt=dealt)


@settings(max_examples=25, deadline=None)
@given(nodes=st.sampled_from([1, 2, 4, 8, 16]), su=st.integers(0, 3), data=st.data())
def test_a_fault_stays_with_its_node_through_other_racks(
    nodes: int, su: int, data: st.DataObject
) -> None:
    low = data.draw(st.integers(0, 31))
    high = data.draw(st.integers(low, 31))
    broken = SUPERPOD.model_copy(update={"down": (f"node[su={su},node={low}..{high}]",)})
    racks = edits.make_top_of_rack(broken, "leaf", "node", nodes=nodes, dealt=DEALT).design
    plan = plan_design(racks, CATALOG)
    down = {
        (s, rack * nodes + node)
        for s in range(4)
        for rack in range(32 // nodes)
        for node in range(nodes)
        if any(one.first.matches({"su": s, "rack": rack, "node": node}) for one in plan.down)
    }
    assert down == {(su, node) for node in range(low, high + 1)}
    back = edits.make_rail_optimised(racks, "leaf", "node", rails=8, nodes=32, dealt=DEALT)
    again = plan_design(back.design, CATALOG).down
    assert {
        (s, node)
        for s in range(4)
        for node in range(32)
        if any(one.first.matches({"su": s, "node": node}) for one in again)
    } == down


@pytest.mark.parametrize(
    ("name", "first"), [("node", 16), ("node", 31), ("spine", 8), ("spine", 1)]
)
def test_a_group_split_and_merged_is_what_it_was(name: str, first: int) -> None:
    faulty = SUPERPOD.model_copy(update={"down": ("node[su=0]", "spine[spine=2..9]")})
    split = edits.split_group(faulty, name, first).design
    halves = device_counts(plan_design(split, CATALOG))
    assert halves[name] + halves[f"{name}2"] == device_counts(plan_design(faulty, CATALOG))[name]
    merged = edits.merge_groups(split, name, f"{name}2").design
    assert counts(merged) == counts(faulty)
    plans = [plan_design(design, CATALOG) for design in (merged, faulty)]
    for values in ({"su": s, "node": n} for s in range(4) for n in range(32)):
        was, now = (
            any(one.first.group == "node" and one.first.matches(values) for one in plan.down)
            for plan in plans
        )
        assert was == now


def test_groups_pasted_into_an_empty_design_are_what_was_copied() -> None:
    copied = edits.copy_groups(SUPERPOD, ["node", "leaf"])
    pasted = edits.paste(Design(), copied)
    assert counts(pasted.design) == (128, 32, 1024)
    assert pasted.label == "paste node, leaf with 1 link"


def test_an_axis_of_another_size_is_pasted_under_a_new_name() -> None:
    copied = edits.copy_groups(SUPERPOD, ["node", "leaf"])
    other = Design(axes={"su": 2, "rail": 8}, groups={"node": Group(part="dgx-h100", per=("su",))})
    pasted = edits.paste(other, copied).design
    assert pasted.axes == {"su": 2, "rail": 8, "su2": 4}
    assert pasted.groups["node2"].per == ("su2",)
    assert pasted.groups["leaf"].per == ("su2", "rail")
    assert pasted.links[0].between == ("node2.compute", "leaf")


def test_nothing_copied_is_nothing_to_paste() -> None:
    with pytest.raises(EditError, match="nothing was copied yet"):
        edits.paste(SUPERPOD, Design())


def test_a_part_is_replaced_wherever_it_is() -> None:
    edit = edits.replace_part(SUPERPOD, "qm9700", "qm9790")
    assert [group.part for group in edit.design.groups.values()] == ["dgx-h100", "qm9790", "qm9790"]
    assert edit.label == "replace qm9700 by qm9790 in leaf, spine"
    fitted = edits.fit_nics(SUPERPOD, "node", "compute", "connectx-7-ndr-dgx", 4).design
    other = edits.replace_part(fitted, "connectx-7-ndr-dgx", "connectx-6-hdr").design
    assert other.groups["node"].nics["compute"].part == "connectx-6-hdr"
    assert other.groups["node"].nics["compute"].count == 4
    with pytest.raises(EditError, match="no group uses"):
        edits.replace_part(SUPERPOD, "sn5600", "qm9700")


def test_an_empty_canvas_is_filled_once_and_keeps_its_name() -> None:
    filled = edits.fill(Design(name="mine"), SUPERPOD, "template").design
    assert filled.name == "mine"
    assert counts(filled) == counts(SUPERPOD)
    with pytest.raises(EditError, match="not empty"):
        edits.fill(filled, SUPERPOD, "template")


def test_whose_collectives_a_design_is_for_is_one_block() -> None:
    edit = edits.set_communicator(SUPERPOD, {"layout": "tp=8,dp=127", "group": None, "seed": None})
    assert edit.design.communicator == {"layout": "tp=8,dp=127"}
    assert edit.label == "communicator: layout tp=8,dp=127"
    assert edits.set_communicator(edit.design, {}).design.communicator is None


COMMENTED = """\
toposmith: 1
name: Two units  # ordered in May
axes: {su: 2, rail: 8}
groups:
  # the nodes come first
  node:  {part: dgx-h100, per: [su], count: 32}
  leaf:  {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}   # the spares lie in the store
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}  # 1:1
"""


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: edits.repeat_groups(d, ["node", "leaf"], "su", 4, dealt=DEALT),
        lambda d: edits.make_top_of_rack(d, "leaf", "node", nodes=4, dealt=DEALT),
        lambda d: edits.add_planes(d, ["leaf", "spine"], 2, ports={0: 8}),
        lambda d: edits.split_group(d, "spine", 4),
        lambda d: edits.duplicate_groups(d, ["node"]),
        lambda d: edits.replace_part(d, "qm9700", "qm9790"),
        lambda d: edits.set_empty_places(d, "node", 1),
        lambda d: edits.set_communicator(d, {"layout": "tp=8,dp=64"}),
    ],
)
def test_comments_stay_through_every_edit(edit, tmp_path: Path) -> None:
    before = parse_design(COMMENTED, "two.yaml")
    after = edit(before).design
    text = design_text(after, COMMENTED)
    assert parse_design(text, "two.yaml") == after
    for comment in ("# ordered in May", "# the nodes come first", "# the spares lie in the store"):
        assert comment in text
