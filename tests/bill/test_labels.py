"""What a bill says of itself in every form: its scope, what can be ordered, what is unsettled."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from typing import Any, get_args

import openpyxl
import pytest

from tests.expansion import expand
from toposmith.bill.bill import Bill, placed_bill
from toposmith.bill.sheet_form import BILL_ENDINGS, bill_bytes
from toposmith.bill.terms import Terms
from toposmith.bill.unsettled_items import TOPICS, What
from toposmith.catalog import Catalog, Node, load_catalog
from toposmith.catalog.kinds import part_adapter
from toposmith.catalog.part_numbers import is_whole
from toposmith.catalog.prices import PriceList
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.report.design_report import bill_section
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

CATALOG = load_catalog()
HOLE = re.compile(r"[A-Z0-9-]x{2,}|X{3,}")


@cache
def designs() -> dict[str, Design]:
    saved = {
        one.name: parse_design(one.path.read_text("utf-8"), one.name) for one in saved_designs()
    }
    made = {name: new_design(name, {}, catalog=CATALOG) for name in TEMPLATES}
    odd = {
        "unknown power": {
            "groups": {"node": {"part": "xe9680-h100", "count": 32}},
        },
        "storage on the leaf": {
            "groups": {
                "node": {"part": "dgx-h100", "count": 4},
                "leaf": {"part": "qm9700"},
                "store": {"part": "ddn-ai400x2", "count": 2},
            },
            "links": [
                {"between": ["node.compute", "leaf"]},
                {"between": ["store", "leaf"], "speed": 200},
            ],
        },
        "trays of an NVLink rack": {
            "groups": {
                "tray": {"part": "gb200-nvl72-tray", "count": 18},
                "leaf": {"part": "qm9700"},
            },
            "links": [{"between": ["tray.compute", "leaf"]}],
        },
        "part of an NVLink rack": {"groups": {"tray": {"part": "gb200-nvl72-tray", "count": 16}}},
        "a cloud": {"groups": {"node": {"part": "p5-48xlarge", "count": 2}}},
        "nothing": {},
    }
    return {**saved, **made, **{name: Design.model_validate(data) for name, data in odd.items()}}


@cache
def plan_of(name: str) -> Plan:
    return plan_design(designs()[name], CATALOG)


@cache
def bill_of(name: str) -> Bill:
    return placed_bill(plan_of(name), CATALOG)


def words(bill: Bill, form: str) -> str:
    """All text of a bill in one of its forms."""
    raw = bill_bytes(bill, form)
    if form != "xlsx":
        text = raw.decode()
        return text.replace("\\", "") if form == "md" else text
    book = openpyxl.load_workbook(io.BytesIO(raw))
    cells = (cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row)
    return "\n".join(str(cell) for cell in cells if cell is not None)


@pytest.mark.parametrize("form", BILL_ENDINGS)
@pytest.mark.parametrize("name", designs())
def test_every_bill_says_its_scope_and_what_can_be_ordered(name: str, form: str) -> None:
    bill, text = bill_of(name), words(bill_of(name), form)
    if form == "csv" and not bill.lines:
        return  # a table without rows says nothing
    assert bill.scope.words in text
    assert re.search(r"orderable: \d+ of \d+ lines?", text)
    assert not HOLE.search(text)


@pytest.mark.parametrize("name", designs())
def test_the_report_and_its_schedule_say_the_same(name: str) -> None:
    if sum(bill_of(name).quantity(kind) for kind in ("node", "switch")) > 500:
        return  # the schedule of a large fabric takes long and shows nothing more
    handover = EvaluatedDesign(plan_of(name).design, CATALOG)
    page = bill_section(bill_of(name), handover.bought)
    assert bill_of(name).scope.words in page
    assert bill_of(name).orderable_words in page
    assert not HOLE.search(page)
    for row in handover.schedule:
        assert not HOLE.search(f"{row.part_number} {row.a.module} {row.z.module}")


@pytest.mark.parametrize("name", designs())
def test_uncabled_ports_are_those_that_the_fabric_written_out_leaves_free(name: str) -> None:
    plan = plan_of(name)
    if sum(group.instances for group in plan.groups.values()) > 500:
        return
    graph = expand(plan, without_down=False)
    there = {vertex[1:] for vertex in graph if vertex[0] == "device"}
    expected: dict[str, int] = {}
    for group_name, group in plan.groups.items():
        devices = sum(1 for one in there if one[0] == group_name)
        for slots, ports in group.port_groups.items():
            if group.host is None or ports.nic is None or ports.nic.cage == "virtual":
                continue
            links = {
                link.index
                for link in plan.links
                for end in (link.a, link.b)
                if (end.group, end.ports) == (group_name, slots)
            }
            taken = sum(1 for _, _, data in graph.edges(data=True) if data.get("link") in links)
            if free := devices * ports.ports - taken:
                expected[f"{group_name}.{slots}"] = free
    assert {one.end: one.ports for one in bill_of(name).scope.uncabled} == expected


def test_a_scalable_unit_says_how_many_of_its_ports_stay_without_a_cable() -> None:
    # 31 nodes with two dual-port cards for storage and in-band.
    scope = bill_of("dgx-h100-superpod-1su").scope
    assert scope.words == (
        "compute fabric as drawn; not on it: 124 uncabled ports (node.storage), storage, "
        "management (43 ports), racks, PDUs"
    )


def test_what_is_drawn_is_not_said_to_be_missing() -> None:
    scope = bill_of("storage on the leaf").scope
    assert scope.covers == "compute and storage fabrics as drawn"
    # two nodes, a leaf and four appliances, not all of whose ports are known
    assert scope.lacking[:1] == ("management (at least 7 ports)",)
    assert "NVLink switch trays" in bill_of("part of an NVLink rack").scope.lacking
    assert "NVLink switch trays" not in bill_of("trays of an NVLink rack").scope.lacking
    assert bill_of("a cloud").scope.uncabled == ()
    data = {
        "groups": {"node": {"part": "dgx-h100", "count": 2}, "mgmt": {"part": "qm9700"}},
        "links": [{"between": ["node.storage", "mgmt"], "speed": 200}],
        "placement": {"rack": "apc-ar3300", "feeds": {"pdu": "apc-ap8888", "count": 2}},
    }
    plan = plan_design(Design.model_validate(data), CATALOG)
    assert placed_bill(plan, CATALOG).scope.lacking == ("storage",)


@pytest.mark.parametrize(
    ("name", "orderable"),
    [
        # whole numbers that no part calls unverified, counted in the part files line by line
        ("a100-rack-1x100gbe", "4 of 4"),
        ("hgx-a100-64gpu-roce-2to1", "5 of 5"),
        ("dgx-a100-su", "3 of 4"),
        ("dgx-h100-superpod-1su", "8 of 9"),
        ("dgx-h100-superpod-4su", "8 of 9"),
        ("dgx-b200-superpod-64su", "18 of 18"),
        ("b200-131072gpu-fabric-per-rail", "28 of 28"),
    ],
)
def test_orderable_lines_are_those_with_a_whole_number_from_a_source(
    name: str, orderable: str
) -> None:
    assert bill_of(name).orderable_words == f"orderable: {orderable} lines"


@pytest.mark.parametrize("name", designs())
def test_no_bill_is_complete_over_something_unknown(name: str) -> None:
    bill = bill_of(name)
    parts = [CATALOG[line.part] for line in bill.lines if line.part in CATALOG]
    lacking = [
        part
        for part in parts
        if part.power_w is None or part.part_number is None or "part_number" in part.unverified
    ]
    assert not (bill.complete and lacking)
    data = json.loads(bill_bytes(bill, "json"))
    assert data["complete"] == (not data["to_settle"])
    told = {each["what"] for each in data["to_settle"]}
    assert all(
        total["complete"] or key in told
        for key, total in data["totals"].items()
        if "price" not in key
    )
    assert data["racks"]["complete"] or "racks" in told
    devices = [part for part in parts if isinstance(part, Node)]
    assert not (data["racks"]["complete"] and any(part.power_w is None for part in devices))


OSFP = {"cage": "osfp", "heat_sink": "finned"}
KNOWN: dict[str, dict[str, Any]] = {
    "leaf-32": {
        "kind": "switch",
        "name": "Leaf",
        "part_number": "AC-32",
        "rack_units": 1,
        "power_w": 500,
        "power_includes_modules": False,
        "weight_kg": 10,
        "protocol": "infiniband",
        "platform": "acme",
        "cages": {**OSFP, "count": 32, "lanes": 8, "modes": [{"ports": 2, "speed_gbit": 400}]},
    },
    "sr8": {
        "kind": "transceiver",
        "name": "Module",
        "part_number": "AC-SR8",
        **OSFP,
        "power_w": 17,
        "weight_kg": 0.1,
        "ports": 2,
        "speed_gbit": 400,
        "reach_m": 50,
        "fibre": "multimode",
        "connector": "MPO-12/APC",
        "protocols": ["infiniband"],
        "platforms": ["acme"],
    },
    "om4": {
        "kind": "fibre",
        "name": "Fibre",
        "family": "AC-F",
        "part_numbers": {20: "AC-F20"},
        "power_w": 0,
        "weight_kg": 0.2,
        "fibre": "multimode",
        "connector": "MPO-12/APC",
        "reach_m": 50,
    },
    "rack-42": {
        "kind": "rack",
        "name": "Rack",
        "part_number": "AC-R",
        "units": 42,
        "weight_kg": 100,
        "width_mm": 600,
        "depth_mm": 1200,
    },
    "pdu-9": {
        "kind": "pdu",
        "name": "PDU",
        "part_number": "AC-P",
        "phases": 3,
        "rating_w": 9000,
        "outlets": {"C13": 20},
        "weight_kg": 5,
    },
}


def two_switches(part: str = "", link: dict[str, Any] | None = None, **fields: Any) -> Bill:
    """Two switches of which everything is known, in a rack of which everything is said."""
    adapter = part_adapter()
    parts = [
        {
            "id": id_,
            "vendor": "Acme",
            "source": "made up",
            **data,
            **(fields if id_ == part else {}),
        }
        for id_, data in KNOWN.items()
    ]
    catalog = Catalog([adapter.validate_python(data) for data in parts])
    given = {"length": 20} if link is None else link
    design = {
        "groups": {"a": {"part": "leaf-32"}, "b": {"part": "leaf-32"}},
        "links": [{"between": ("a", "b"), "cables": 4, **given}],
        "placement": {"rack": "rack-42", "max_power_w": 9000, "feeds": {"pdu": "pdu-9"}},
    }
    return placed_bill(plan_design(Design.model_validate(design), catalog), catalog)


def test_a_bill_of_which_everything_is_known_is_complete() -> None:
    bill = two_switches()
    assert bill.complete and bill.listed
    assert bill.orderable_words == "orderable: 5 of 5 lines"
    assert bill.racks is not None and bill.racks.state == "complete"
    # 2 switches of 500 W and the 4 modules of 17 W that their figure leaves out
    assert bill.power_w.known == 2 * 500 + 4 * 17


@pytest.mark.parametrize(
    ("part", "fields", "expected"),
    [
        ("leaf-32", {"power_w": None}, {("power_w", "unknown"), ("racks", "assumed")}),
        ("leaf-32", {"rack_units": None}, {("rack_units", "unknown"), ("racks", "assumed")}),
        ("leaf-32", {"weight_kg": None}, {("weight_kg", "unknown")}),
        ("leaf-32", {"part_number": None}, {("part_number", "unknown")}),
        ("leaf-32", {"unverified": ("part_number",)}, {("part_number", "unverified")}),
        ("leaf-32", {"power_includes_modules": None}, {("power_w", "at most")}),
        ("leaf-32", {"power_includes_modules": True}, set()),
        ("leaf-32", {"platform": "other"}, {("optics", "unknown")}),
        ("leaf-32", {"platform": None}, {("optics", "unknown")}),
        ("sr8", {"platforms": ()}, {("optics", "unknown")}),
        ("om4", {"part_numbers": {}}, {("part_number", "unknown")}),
        ("om4", {"reach_m": 10}, {("parts", "missing")}),
        ("rack-42", {"units": None}, {("racks", "assumed")}),
    ],
)
def test_each_thing_that_is_not_known_is_to_be_settled(
    part: str, fields: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    bill = two_switches(part, **fields)
    assert {(each.what, each.label) for each in bill.to_settle} == expected
    assert bill.complete == (not expected)
    assert bill.listed == (("parts", "missing") not in expected)


def test_lengths_along_racks_rest_on_what_nobody_gave() -> None:
    bill = two_switches(link={})
    (each,) = [one for one in bill.to_settle if one.what == "length_m"]
    assert each.label == "assumed"
    assert each.text.endswith("assumed: trays 0.3 m above racks, 0.5 m of slack")


def test_modules_in_a_switch_whose_power_includes_them_are_not_added_to_it() -> None:
    bill = two_switches("leaf-32", power_includes_modules=True)
    (module,) = bill.lines_of("transceiver")
    assert (module.quantity, module.in_switch_power, module.power_w) == (4, 4, 68)
    assert bill.power_w.known == 2 * 500
    assert "the power of 4 of 4 is in that of their switches" in words(bill, "md")
    assert "power with modules in its cages" in words(bill, "md")


def test_passive_fibre_has_no_power_to_say_where_it_is_counted() -> None:
    bill = two_switches("leaf-32", power_includes_modules=True)
    assert any(line.in_switch_power for line in bill.lines_of("fibre"))
    assert not [line for line in bill.lines_of("fibre") if line.power_notes]


def test_modules_at_nodes_are_added_whatever_the_switch_includes() -> None:
    # QM9700 with modules: of 4 x 31 + 16 x 8 modules those at the 31 nodes remain.
    bill = bill_of("dgx-h100-superpod-1su")
    found = {line.part: line for line in bill.lines_of("transceiver")}
    assert found["mma4z00-ns-flt"].in_switch_power == 0
    assert found["mma4z00-ns"].in_switch_power == found["mma4z00-ns"].quantity == 128


def test_a_list_of_prices_that_lacks_some_is_to_be_settled_and_no_list_is_not() -> None:
    plan = plan_of("dgx-h100-superpod-1su")
    told = [each.what for each in placed_bill(plan, CATALOG, Terms(prices=PriceList())).to_settle]
    assert "price" in told
    assert "price" not in [each.what for each in bill_of("dgx-h100-superpod-1su").to_settle]


def test_a_total_of_unknown_parts_says_what_they_have_at_least() -> None:
    # 32 nodes of 8 GPUs of 700 W; 14 kW is the most, and no figure of a total.
    bill = bill_of("unknown power")
    assert (bill.power_w.known, bill.power_w.at_least) == (0, 32 * 5600)
    assert "- Power: at least 179,200 W; incomplete: 1 of 1 line has no power" in words(bill, "md")
    assert bill.racks is not None
    # two of 14 kW in 40.8 kW
    assert (bill.racks.count, bill.racks.complete) == (16, False)
    assert "full power supplies of xe9680-h100" in bill.racks.state
    assert "16 (assumed) of 42 U" in words(bill, "md")


def test_part_numbers_of_bills_are_whole_or_none() -> None:
    for name in designs():
        for line in bill_of(name).lines:
            assert line.part_number is None or is_whole(line.part_number)
            assert line.orderable <= (line.part_number is not None or line.configured)


def test_all_that_may_be_to_settle_has_words() -> None:
    assert set(TOPICS) == set(get_args(What))
