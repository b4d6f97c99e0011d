"""Which parts build a link. Expected parts are NVIDIA's own recipes (LinkX product line overview,
QM97x0 and QM87xx user manuals), worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design


def bill_of(data: dict[str, Any], catalog: Catalog | None = None) -> Bill:
    known = catalog or load_catalog()
    plan = plan_design(Design.model_validate(data), known)
    return make_bill(plan, known)


def pair(a: dict[str, Any], b: dict[str, Any], **link: Any) -> Bill:
    end = "a.compute" if "count" in a and a["part"].startswith(("dgx", "hgx", "a100")) else "a"
    return bill_of({"groups": {"a": a, "b": b}, "links": [{"between": (end, "b"), **link}]})


def cabling(bill: Bill) -> dict[str, int]:
    kinds = ("cable", "transceiver", "fibre")
    return {line.part: line.quantity for line in bill.lines if line.kind in kinds}


QM9700 = {"part": "qm9700"}
TWO_CX7 = {
    "part": "hgx-h100-8",
    "count": 2,
    "nics": {"compute": {"part": "connectx-7-ndr", "count": 1}},
}


def test_two_ndr_ports_between_switches_are_one_twin_copper_cable() -> None:
    assert cabling(pair(QM9700, QM9700, cables=2, length=1)) == {"mcp4y10-n": 1}


def test_two_ndr_ports_between_switches_in_light_are_two_modules_and_two_fibres() -> None:
    assert cabling(pair(QM9700, QM9700, cables=2, length=20)) == {"mma4z00-ns": 2, "mfp7e10": 2}


def test_a_lone_ndr_port_between_switches_cannot_use_the_twin_copper_cable() -> None:
    bill = pair(QM9700, QM9700, cables=1, length=1)
    assert cabling(bill) == {"mma4z00-ns": 2, "mfp7e10": 1}


def test_two_single_port_adapters_share_one_copper_splitter() -> None:
    assert cabling(pair(TWO_CX7, QM9700, length=1.2)) == {"mcp7y00-n": 1}


def test_two_single_port_adapters_in_light_share_the_switch_s_module_only() -> None:
    expected = {"mma4z00-ns": 1, "mma4z00-ns400": 2, "mfp7e10": 2}
    assert cabling(pair(TWO_CX7, QM9700, length=20)) == expected


def test_a_dgx_h100_takes_four_flat_twin_modules_and_eight_fibres() -> None:
    bill = pair({"part": "dgx-h100", "count": 1}, QM9700, length=1)
    assert cabling(bill) == {"mma4z00-ns": 4, "mma4z00-ns-flt": 4, "mfp7e10": 8}


def test_forty_hdr100_nodes_take_twenty_splitters_on_twenty_cages() -> None:
    nodes = {"part": "a100-pcie-4", "count": 40}
    nodes["nics"] = {"compute": {"part": "connectx-6-hdr100", "count": 1}}
    bill = pair(nodes, {"part": "qm8700"}, length=2)
    assert cabling(bill) == {"mcp7h50-h": 20}
    assert {end.end: end.cages for end in bill.ends} == {"a.compute": 40, "b": 20}
    assert bill.links[0].connections == 40


def test_an_odd_hdr100_node_takes_a_splitter_of_its_own() -> None:
    nodes = {"part": "a100-pcie-4", "count": 39}
    nodes["nics"] = {"compute": {"part": "connectx-6-hdr100", "count": 1}}
    assert cabling(pair(nodes, {"part": "qm8700"}, length=10)) == {"mfs1s50-h": 20}


def test_four_ndr200_adapters_share_one_cage_by_copper_or_by_splitter_fibres() -> None:
    nodes = {"part": "hgx-h100-8", "count": 4}
    nodes["nics"] = {"compute": {"part": "connectx-7-ndr200", "count": 1}}
    assert cabling(pair(nodes, QM9700, length=2)) == {"mcp7y50-n": 1}
    expected = {"mma4z00-ns": 1, "mma4z00-ns400": 4, "mfp7e20": 2}
    assert cabling(pair(nodes, QM9700, length=30)) == expected


def test_one_800_gigabit_port_is_two_fibres_between_twin_modules() -> None:
    spectrum = {"part": "sn5600"}
    assert cabling(pair(spectrum, spectrum, cables=3, length=30)) == {
        "mma4z00-ns": 6,
        "mfp7e10": 6,
    }
    assert cabling(pair(spectrum, spectrum, cables=3, length=2)) == {"mcp4y10-n": 3}


def test_hdr_takes_the_active_optical_cable_that_is_still_sold() -> None:
    # NVIDIA's interconnect page of 2026-09-17 has no MCP1650 and no MFS1S00-H ending in E any more.
    qm8700 = {"part": "qm8700"}
    assert cabling(pair(qm8700, qm8700, length=2)) == {"mfs1s00-v": 1}
    (line,) = pair(qm8700, qm8700, length=4).lines_of("cable")
    assert (line.length_m, line.part_number) == (5, "980-9I45D-00H005")


def test_what_is_sold_no_more_is_taken_where_nothing_else_joins_and_its_line_says_so() -> None:
    known = load_catalog()
    sold = {"mcp1650-h", "mfs1s00-h"}
    parts = [part for part in known if part.id in sold or part.kind not in ("cable", "transceiver")]
    qm8700 = {"part": "qm8700"}
    data = {"groups": {"a": qm8700, "b": qm8700}, "links": [{"between": ("a", "b"), "length": 2}]}
    (line,) = bill_of(data, Catalog(parts)).lines_of("cable")
    assert line.part == "mcp1650-h"
    assert line.notes == ("no longer sold by its maker as of 2026-09-17",)


def test_an_hdr100_adapter_on_an_edr_switch_takes_a_qsfp28_cable() -> None:
    nodes = {"part": "a100-pcie-4", "count": 1}
    nodes["nics"] = {"compute": {"part": "connectx-6-hdr100", "count": 1}}
    assert cabling(pair(nodes, {"part": "sb7800"}, length=1)) == {"mcp1600-e": 1}


def test_xdr_takes_active_copper_as_far_as_it_is_sold() -> None:
    # NVIDIA's list: MCA4K50 to 3 m between switches, MCA7K10 to 2 m from a switch to two adapters.
    x800, node = {"part": "q3400-ra"}, {"part": "dgx-b300", "count": 1}
    assert cabling(pair(x800, x800, cables=2, length=2.5)) == {"mca4k50-x": 1}
    assert cabling(pair(x800, x800, cables=2, length=3.5)) == {"2xdr4-1600g-xdr": 2, "mfp7e30": 2}
    (line,) = pair(node, x800, length=1.5).lines_of("cable")
    assert (line.part, line.quantity, line.part_number) == ("mca7k10-x", 4, "980-9IAO5-00X01A")


@pytest.mark.parametrize(
    ("length", "modules", "fibre"),
    [
        (50, "mma4z00-ns", "mfp7e10"),
        (51, "mms4x00-ns", "mfp7e30"),
        (101, "mms4x00-nm", "mfp7e30"),
        (501, "mms4x50-nm", "lc-duplex-singlemode"),
    ],
)
def test_optics_reach_just_far_enough(length: float, modules: str, fibre: str) -> None:
    assert cabling(pair(QM9700, QM9700, cables=2, length=length)) == {modules: 2, fibre: 2}


def test_the_next_length_on_sale_is_ordered() -> None:
    bill = pair(QM9700, QM9700, cables=2, length=1.2)
    assert [line.length_m for line in bill.lines_of("cable")] == [1.5]


def test_a_fibre_is_ordered_in_the_next_length_that_is_sold() -> None:
    # The MFP7E10 comes in 3, 5, 7, 10, 15, 20, 25, 30, 35, 40 and 50 m.
    bill = pair(QM9700, QM9700, cables=2, length=7.5)
    (line,) = bill.lines_of("fibre")
    assert (line.length_m, line.part_number) == (10, "MFP7E10-N010")


def test_a_fibre_longer_than_any_on_sale_is_a_trunk_as_long_as_the_link() -> None:
    (line,) = pair(QM9700, QM9700, cables=2, length=151.5).lines_of("fibre")
    assert (line.part, line.length_m) == ("mpo12-singlemode", 151.5)


def test_without_a_length_light_is_taken_and_the_line_says_so() -> None:
    bill = pair(QM9700, QM9700, cables=2)
    (fibre,) = bill.lines_of("fibre")
    assert fibre.length_m is None
    assert fibre.notes == ("length not given; reaches 50 m",)
    assert bill.listed


def test_lengths_of_one_cable_are_lines_of_their_own() -> None:
    links = [{"between": ("a", "b"), "cables": 2, "length": n} for n in (1, 2)]
    bill = bill_of({"groups": {"a": QM9700, "b": QM9700}, "links": links})
    lines = [(line.part, line.length_m, line.quantity) for line in bill.lines_of("cable")]
    assert lines == [("mcp4y10-n", 1, 1), ("mcp4y10-n", 2, 1)]


def test_too_far_is_a_finding_and_the_bill_is_incomplete() -> None:
    bill = pair(QM9700, QM9700, cables=2, length=5000)
    (finding,) = bill.findings
    assert finding.code == "no-cable"
    assert "5,000 m are too far; the parts that fit reach 2,000 m" in finding.text
    assert not bill.listed
    assert bill.links[0].cables is None
    assert cabling(bill) == {}


def test_cages_that_nothing_joins_are_a_finding_that_names_both() -> None:
    nodes = {"part": "hgx-a100-8", "count": 1}
    nodes["nics"] = {"compute": {"part": "connectx-6-hdr", "count": 1}}
    short = Catalog(part for part in load_catalog() if part.id not in ("mcp7y60-h", "mfa7u10-h"))
    data = {"groups": {"a": nodes, "b": QM9700}, "links": [{"between": ("a.compute", "b")}]}
    bill = bill_of(data, short)
    (finding,) = bill.findings
    assert finding.code == "no-cable"
    assert "a QSFP56 cage (a.compute)" in finding.text
    assert "an OSFP cage of 2 ports, finned (b) at 200 Gb/s, InfiniBand" in finding.text
    assert not bill.listed


def test_where_only_copper_fits_a_length_is_asked_for() -> None:
    catalog = Catalog(part for part in load_catalog() if part.kind != "transceiver")
    data = {
        "groups": {"a": QM9700, "b": QM9700},
        "links": [{"between": ("a", "b"), "cables": 2}],
    }
    (finding,) = bill_of(data, catalog).findings
    assert "only copper fits, up to 5 m; say the link's length" in finding.text


def test_a_module_with_the_wrong_heat_sink_is_listed_with_a_finding() -> None:
    flat = ("-flt", "-ftf", "-hgx")
    catalog = Catalog(part for part in load_catalog() if not part.id.endswith(flat))
    data = {
        "groups": {"a": {"part": "dgx-h100"}, "b": QM9700},
        "links": [{"between": ("a.compute", "b")}],
    }
    bill = bill_of(data, catalog)
    (finding,) = (one for one in bill.findings if one.code == "heat-sink")
    assert "mms4x50-nm at a.compute is finned, its cage takes flat modules" in finding.text
    assert {"optics-not-listed"} == {one.code for one in bill.findings} - {"heat-sink"}
    assert bill.listed
