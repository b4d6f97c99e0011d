"""Bills whose quantities are published or counted by hand."""

from __future__ import annotations

from typing import Any

from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.templates import new_design


def bill_of(design: Design | dict[str, Any]) -> Bill:
    catalog = load_catalog()
    read = design if isinstance(design, Design) else Design.model_validate(design)
    return make_bill(plan_design(read, catalog), catalog)


def superpod(su: int) -> Design:
    return new_design("leaf-spine", {"su": su, "empty_slots": 1}, catalog=load_catalog())


def test_one_scalable_unit_of_dgx_h100_is_what_nvidia_publishes() -> None:
    # RA-11333-001, Table 4, first row: 31 nodes, 8 + 4 switches, 252 - 4 (UFM) and 256 cables.
    bill = bill_of(superpod(1))
    assert bill.quantity("node") == 31
    assert bill.quantity("switch") == 12
    assert [(link.link, link.connections) for link in bill.links] == [
        ("node.compute - leaf", 248),
        ("leaf - spine", 256),
    ]


def test_cables_modules_and_cages_of_a_scalable_unit_are_three_counts() -> None:
    # A leaf has 31 + 32 ports in 16 + 16 twin cages, a spine 64 ports in 32, a node 8 in 4.
    bill = bill_of(superpod(1))
    counts = {end.end: (end.cages, end.modules) for end in bill.ends}
    assert counts == {"node.compute": (124, 124), "leaf": (256, 256), "spine": (128, 128)}
    assert bill.quantity("fibre") == 504
    assert bill.quantity("transceiver") == 508


def test_nics_that_a_node_is_sold_with_are_no_lines() -> None:
    bill = bill_of(superpod(1))
    assert bill.lines_of("nic") == []
    (node,) = bill.lines_of("node")
    assert "built in: 8 x ConnectX-7" in node.description
    assert "(compute)" in node.description


def test_nics_fitted_into_open_slots_are_lines() -> None:
    values = {"node": "hgx-h100-8", "nic": "connectx-7-ndr", "nics": 8, "nodes": 4}
    bill = bill_of(new_design("single-switch", values, catalog=load_catalog()))
    (nic,) = bill.lines_of("nic")
    assert (nic.part, nic.quantity, nic.used_by) == ("connectx-7-ndr", 32, ("node.compute",))


def test_one_module_serves_two_links_of_a_switch() -> None:
    # Three ports to spine a and one to spine b: 4 ports, 2 twin modules at the leaf, 2 + 1 above.
    bill = bill_of(
        {
            "groups": {name: {"part": "qm9700"} for name in ("leaf", "a", "b")},
            "links": [
                {"between": ("leaf", "a"), "cables": 3},
                {"between": ("leaf", "b"), "cables": 1},
            ],
        }
    )
    counts = {end.end: (end.cages, end.modules) for end in bill.ends}
    assert counts == {"leaf": (2, 2), "a": (2, 2), "b": (1, 1)}


def test_one_splitter_serves_nodes_of_two_groups() -> None:
    node = {"part": "a100-pcie-4", "nics": {"compute": {"part": "connectx-6-hdr100", "count": 1}}}
    bill = bill_of(
        {
            "groups": {"one": node, "other": node, "leaf": {"part": "qm8700"}},
            "links": [
                {"between": ("one", "leaf"), "length": 2},
                {"between": ("other", "leaf"), "length": 2},
            ],
        }
    )
    assert [(line.part, line.quantity) for line in bill.lines_of("cable")] == [("mcp7h50-h", 1)]
    assert {end.end: end.cages for end in bill.ends}["leaf"] == 1


def test_what_failed_is_still_bought_and_what_is_absent_is_not() -> None:
    design = superpod(1)
    whole = bill_of(design.model_copy(update={"absent": ()}))
    failed = bill_of(design.model_copy(update={"absent": (), "down": ("node[su=0,node=3]",)}))
    assert failed.lines == whole.lines
    assert bill_of(design).quantity("node") == whole.quantity("node") - 1


def test_an_absent_leaf_takes_its_cables_and_modules_with_it() -> None:
    design = superpod(1).model_copy(update={"absent": ("leaf[rail=7]",)})
    bill = bill_of(design)
    assert bill.quantity("switch") == 11
    assert [link.connections for link in bill.links] == [7 * 32, 7 * 32]
    # Ports 7 and 4 of a node share a cage, so all 4 of its modules stay.
    assert {end.end: end.modules for end in bill.ends}["node.compute"] == 4 * 32


def test_a_total_names_what_it_lacks() -> None:
    bill = bill_of({"groups": {"leaf": {"part": "qm8700", "count": 3}}})
    assert bill.power_w.known == 0
    assert bill.power_w.lines_without == ("qm8700",)
    assert not bill.power_w.complete
    assert (bill.rack_units.known, bill.rack_units.complete) == (3, True)
    (line,) = bill.lines
    assert line.power_w is None


def test_power_is_that_of_every_part() -> None:
    # 31 nodes of 10,200 W, 12 switches of 1,720 with the modules in their cages, 124 modules of 17
    # at nodes; fibres draw nothing.
    bill = bill_of(superpod(1))
    assert bill.power_w.complete
    assert bill.power_w.known == 31 * 10_200 + 12 * 1_720 + 124 * 17


def test_a_part_that_the_catalog_lacks_makes_the_bill_incomplete() -> None:
    bill = bill_of({"groups": {"leaf": {"part": "qm9701"}, "spine": {"part": "qm9700"}}})
    assert not bill.listed
    assert [line.part for line in bill.lines] == ["qm9700"]
    assert bill.findings[0].code == "unknown-part"


def test_an_empty_design_has_an_empty_bill() -> None:
    bill = bill_of(Design())
    assert bill.lines == ()
    assert bill.listed
    assert bill.power_w.known == 0


def test_a_bill_of_65536_gpus_is_counted_without_expanding_it() -> None:
    bill = bill_of(new_design("three-tier", {"su": 256}, catalog=load_catalog()))
    assert bill.quantity("node") == 8_192
    assert [link.connections for link in bill.links] == [65_536] * 3
    assert {end.end: end.modules for end in bill.ends}["node.compute"] == 4 * 8_192
