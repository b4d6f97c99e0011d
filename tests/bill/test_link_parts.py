"""Which parts build a link. Expected parts are NVIDIA's own recipes (LinkX product line overview,
QM97x0 and QM87xx user manuals), worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

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


RECIPES = yaml.safe_load(Path(__file__).with_name("link_parts.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["says"])
def test_a_link_is_built_by_the_recipe_of_its_maker(recipe: dict[str, Any]) -> None:
    a: dict[str, Any] = {"part": recipe["a"]}
    if "count" in recipe:
        a["count"] = recipe["count"]
    if "nic" in recipe:
        a["nics"] = {"compute": {"part": recipe["nic"], "count": 1}}
    bill = pair(a, {"part": recipe["b"]}, **recipe["link"])
    assert cabling(bill) == recipe["parts"]
    sold = [line for line in bill.lines if line.kind in ("cable", "fibre")]
    for key, found in (
        ("lengths", [line.length_m for line in sold]),
        ("numbers", [line.part_number for line in sold]),
    ):
        assert recipe.get(key, found) == found


def test_forty_hdr100_nodes_take_twenty_splitters_on_twenty_cages() -> None:
    nodes = {"part": "a100-pcie-4", "count": 40}
    nodes["nics"] = {"compute": {"part": "connectx-6-hdr100", "count": 1}}
    bill = pair(nodes, {"part": "qm8700"}, length=2)
    assert cabling(bill) == {"mcp7h50-h": 20}
    assert {end.end: end.cages for end in bill.ends} == {"a.compute": 40, "b": 20}
    assert bill.links[0].connections == 40


def test_what_is_sold_no_more_is_taken_where_nothing_else_joins_and_its_line_says_so() -> None:
    known = load_catalog()
    sold = {"mcp1650-h", "mfs1s00-h"}
    parts = [part for part in known if part.id in sold or part.kind not in ("cable", "transceiver")]
    qm8700 = {"part": "qm8700"}
    data = {"groups": {"a": qm8700, "b": qm8700}, "links": [{"between": ("a", "b"), "length": 2}]}
    (line,) = bill_of(data, Catalog(parts)).lines_of("cable")
    assert line.part == "mcp1650-h"
    assert line.notes == ("no longer sold by its maker as of 2026-09-17",)


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
