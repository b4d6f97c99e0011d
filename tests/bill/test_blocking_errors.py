"""Whatever makes a design impossible to build, its bill says: not listed, and to be settled."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import MISTAKES, Mistake
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign

CATALOG = load_catalog()
OF_FIGURES = {
    *("bad-communicator", "bad-job", "communicator-does-not-fit", "bad-workload", "unreachable"),
    *("no-channels", "cannot-run", "routing-does-not-fit", "too-large", "does-not-fit"),
    *("target-missed", "no-nvlink-up"),
}
"""Errors of what runs on a design, or of what is down in it; it can be bought and built."""

FULL = """\
toposmith: 1
groups:
  node: {part: xe9680-h200, count: 256, nics: {compute: {part: connectx-7-ndr200, count: 1}}}
  leaf: {part: sn5600, count: 1}
links:
  - {between: [node.compute, leaf]}
placement: {nodes_per_rack: 3, racks_per_row: 10}
"""
"""256 ports at a switch with 256, in racks of three nodes: splitters of four have legs left."""

UNLIKE = """\
toposmith: 1
groups:
  node: {part: xe9680-h200, count: 127, nics: {compute: {part: connectx-7-ndr200, count: 1}}}
  far: {part: xe9680-h200, count: 129, nics: {compute: {part: connectx-7-ndr200, count: 1}}}
  leaf: {part: sn5600, count: 1}
links:
  - {between: [node.compute, leaf], length: 3}
  - {between: [far.compute, leaf], length: 30}
"""
"""127 copper legs take 32 cages, 129 legs of fibre 33: 65 cages of 64."""

RACKED = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 2}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 3}
placement:
"""
_TAKEN = "{'node[node=0]': {rack: A01, unit: 1}, leaf: {rack: A01, unit: 3}}"
RACKS = {
    "a U taken twice": f"  devices: {_TAKEN}\n",
    "a box above the top": "  devices: {leaf: {rack: A01, unit: 60}}\n",
    "a rack that is not in the catalog": "  rack: nowhere-rack\n",
    "too much power": "  nodes_per_rack: 2\n  max_power_w: 5000\n",
}


def errors_of(text: str) -> tuple[EvaluatedDesign, set[str]]:
    evaluated = EvaluatedDesign(parse_design(text, "test"), CATALOG)
    errors = (one for one in evaluated.findings if one.severity == "error")
    return evaluated, {one.code for one in errors} - OF_FIGURES


def check_bill(text: str) -> set[str]:
    evaluated, errors = errors_of(text)
    bill = evaluated.bill
    assert errors <= {one.code for one in bill.findings}
    assert bill.listed is not bool(errors) or not errors
    said = " ".join(one.text for one in bill.to_settle if one.label == "missing")
    for one in evaluated.findings:
        if one.code in errors:
            assert one.text in said
    assert len(set(evaluated.findings)) == len(evaluated.findings), "each is said once"
    return errors


@pytest.mark.parametrize("text", [FULL, UNLIKE], ids=["legs left over", "unlike plugs"])
def test_cages_that_do_not_hold_all_plugs_keep_a_bill_from_being_listed(text: str) -> None:
    assert check_bill(text) == {"cages-short"}
    fits = text.replace("count: 256", "count: 240").replace("count: 129", "count: 128")
    assert check_bill(fits) == set()


@pytest.mark.parametrize("block", RACKS.values(), ids=RACKS.keys())
def test_racks_that_cannot_be_are_on_the_bill(block: str) -> None:
    assert check_bill(RACKED + block)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_every_error_of_a_design_is_on_its_bill(mistake: Mistake) -> None:
    check_bill(f"toposmith: 2\n{mistake.wrong}")
