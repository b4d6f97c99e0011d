"""Bills of the release before, in form 2, still verify: nothing of theirs is a false difference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toposmith.bill.bill import Bill
from toposmith.bill.bill_reader import read_bill
from toposmith.bill.placed import placed_bill
from toposmith.bill.terms import CablingPolicy, Terms
from toposmith.bill.verification import differences
from toposmith.catalog import Catalog
from toposmith.catalog.kinds import part_adapter
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design

FOLDER = Path(__file__).parents[1] / "data" / "bills"
FILES = sorted(FOLDER.glob("two-switches-form-2.*"))

OSFP = {"cage": "osfp", "heat_sink": "finned"}
PARTS = [
    {
        "kind": "switch",
        "id": "leaf-32",
        "name": "Leaf of 32",
        "part_number": "AC-32",
        "rack_units": 1,
        "power_w": 500,
        "weight_kg": 10,
        "protocol": "infiniband",
        "platform": "acme",
        "power_includes_modules": True,
        "cages": {**OSFP, "count": 32, "lanes": 8, "modes": [{"ports": 2, "speed_gbit": 400}]},
    },
    {
        "kind": "transceiver",
        "id": "sr8",
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
    {
        "kind": "fibre",
        "id": "om4",
        "name": "Fibre",
        "family": "MFP7E10-N",
        "power_w": 0,
        "weight_kg": 0.2,
        "fibre": "multimode",
        "connector": "MPO-12/APC",
        "reach_m": 50,
    },
]


def bill(cables: int = 4) -> Bill:
    """Two switches joined over 20 m, as the files have it."""
    adapter = part_adapter()
    made = {"vendor": "Acme", "source": "made up"}
    catalog = Catalog([adapter.validate_python({**part, **made}) for part in PARTS])
    design = {
        "name": "two",
        "groups": {"a": {"part": "leaf-32"}, "b": {"part": "leaf-32"}},
        "links": [{"between": ("a", "b"), "cables": cables, "length": 20}],
    }
    plan = plan_design(Design.model_validate(design), catalog)
    return placed_bill(plan, catalog, Terms(policy=CablingPolicy("cheapest")))


def found(text: str, name: str, bill_: Bill) -> list[str]:
    told = differences(read_bill(text, name), bill_)
    return [one.where for one in told if one.counts]


def test_the_files_are_of_every_form_that_is_read_back() -> None:
    assert [file.suffix for file in FILES] == [".csv", ".json", ".yaml"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.suffix)
def test_a_bill_of_form_2_holds_and_says_what_was_not_compared(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "MFP7E10-Nxxx" in text
    assert found(text, file.name, bill()) == []
    notes = [one for one in differences(read_bill(text, file.name), bill()) if not one.counts]
    assert notes[0].where == "toposmith_bill"
    assert "findings" in notes[0].text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.suffix)
def test_what_a_bill_of_form_2_orders_otherwise_is_named(file: Path) -> None:
    # Two more cables take one module and one cage more at each end.
    told = found(file.read_text(encoding="utf-8"), file.name, bill(cables=6))
    assert {"lines[sr8].quantity", "lines[om4 20 m].quantity"} <= set(told)


def test_a_tampered_figure_of_form_2_is_named() -> None:
    data = json.loads((FOLDER / "two-switches-form-2.json").read_text(encoding="utf-8"))
    data["totals"]["power_w"]["known"] = 1000
    data["lines"][0]["part_number"] = "AC-33"
    data["complete"] = False
    told = found(json.dumps(data), "b.json", bill())
    assert told == ["complete", "lines[leaf-32].part_number", "totals.power_w.known"]
