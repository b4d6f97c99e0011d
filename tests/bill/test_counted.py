"""Bills and fabrics whose counts are published, or reckoned by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from toposmith.analysis.analyse import analyse
from toposmith.bill.bill import make_bill
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.counts import device_counts
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved
from toposmith.templates import new_design

CATALOG = load_catalog()
COUNTED = yaml.safe_load(Path(__file__).with_name("counted.yaml").read_text(encoding="utf-8"))


def design_of(case: dict[str, Any]) -> Design:
    if "saved" in case:
        found = find_saved(case["saved"])
        assert found is not None
        return load_file(found.path).design
    if "template" in case:
        made = new_design(case["template"], case["settings"], catalog=CATALOG)
        return made.model_copy(update={key: tuple(of) for key, of in case.get("with", {}).items()})
    return parse_design(f"toposmith: 1\n{case['design']}", "counted")


def total(of: object, expected: dict[str, Any]) -> dict[str, Any]:
    """What a total says of what is expected of it; lines that lack a figure in any order."""
    found = {name: getattr(of, name) for name in expected}
    if "lines_without" in found:
        found["lines_without"] = sorted(found["lines_without"])
    return found


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case["says"])
def test_counts_are_those_that_are_published_or_reckoned_by_hand(case: dict[str, Any]) -> None:
    plan = plan_design(design_of(case), CATALOG)
    bill = make_bill(plan, CATALOG)
    errors = [finding.code for finding in plan.findings if finding.severity == "error"]
    assert not errors or case.get("unsound")
    parts: Counter[str] = Counter()
    numbers: Counter[str | None] = Counter()
    for line in bill.lines:
        parts[line.part] += line.quantity
        numbers[line.part_number] += line.quantity
    ends = {end.end: end for end in bill.ends}
    found = {
        "lines": dict(parts),
        "numbers": dict(numbers),
        "among": {part: parts[part] for part in case.get("among", ())},
        "kinds": {kind: bill.quantity(kind) for kind in case.get("kinds", ())},
        "cages": {end: ends[end].cages for end in case.get("cages", ())},
        "modules": {end: ends[end].modules for end in case.get("modules", ())},
        "devices": device_counts(plan),
        "power": total(bill.power_w, case.get("power", {})),
        "rack_units": total(bill.rack_units, case.get("rack_units", {})),
        "listed": bill.listed,
        "findings": [finding.code for finding in bill.findings],
    }
    for what, of in found.items():
        assert case.get(what, of) == of, what
    for link, expected in zip(bill.links, case.get("connections", ()), strict=False):
        assert expected in ("*", link.connections), link.link
    assert len(case.get("connections", bill.links)) == len(bill.links)
    if "ratios" in case or "gpus" in case:
        analysis = analyse(plan, CATALOG)
        assert analysis.gpus == case.get("gpus", analysis.gpus)
        for tier, ratio in zip(analysis.tiers, case["ratios"], strict=True):
            assert tier.oversubscription == (None if ratio is None else pytest.approx(ratio))


def superpod(**more: Any) -> Design:
    made = new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG)
    return made.model_copy(update=more)


def test_nics_that_a_node_is_sold_with_are_no_lines() -> None:
    (node,) = make_bill(plan_design(superpod(), CATALOG), CATALOG).lines_of("node")
    assert "built in: 8 x ConnectX-7" in node.description
    assert "(compute)" in node.description


def test_what_failed_is_still_bought_and_what_is_absent_is_not() -> None:
    designs = superpod(absent=()), superpod(absent=(), down=("node[su=0,node=3]",)), superpod()
    whole, failed, absent = (make_bill(plan_design(one, CATALOG), CATALOG) for one in designs)
    assert failed.lines == whole.lines
    assert absent.quantity("node") == whole.quantity("node") - 1
