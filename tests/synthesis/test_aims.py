"""What fixes lift beside the measured figure: what a failure leaves, and a workload's margin."""

from __future__ import annotations

from functools import cache

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.saved_designs import saved_path
from toposmith.synthesis.needs import FAILURE, WORKLOAD
from toposmith.synthesis.next_change import fixes_as_data, now_words, why_none
from toposmith.synthesis.ranked_fixes import RankedFixes, ranked_fixes
from toposmith.workloads.assess import assess_block

CATALOG = load_catalog()
EXCHANGE = Request(collective="all_to_all")


def racks_of_two(workload: dict[str, object] | None = None) -> Design:
    """Four racks of two nodes of eight 200GbE NICs, a leaf each, two spines by four cables."""
    path = saved_path("hgx-a100-64gpu-roce-2to1")
    assert path is not None
    return load_file(path).design.model_copy(update={"workload": workload})


@cache
def lifted_after_a_failure() -> RankedFixes:
    return ranked_fixes(EvaluatedDesign(racks_of_two(), CATALOG, EXCHANGE), FAILURE)


def without_each(design: Design) -> float:
    """All-to-all with each switch down in its turn, as a file says it, times the GPUs left."""
    left = []
    whole = EvaluatedDesign(design, CATALOG, EXCHANGE).analysis.busbw_GBps
    assert whole is not None
    leaves = [(f"leaf[rack={rack}]", 48) for rack in range(4)]
    spines = [(f"spine[spine={spine}]", 64) for spine in range(design.groups["spine"].count)]
    for down, gpus in leaves + spines:
        nodes = [down.replace("leaf", "node")] if down.startswith("leaf") else []
        broken = design.model_copy(update={"down": (down, *nodes)})
        found = EvaluatedDesign(broken, CATALOG, EXCHANGE).analysis.busbw_GBps
        assert found is not None
        left.append(min(found, whole) * gpus / 64)
    return min(left)


def test_one_of_two_spines_lost_leaves_half_of_an_exchange_that_the_spines_limit() -> None:
    """Uplinks limit: 4 cables to each of 2 spines are 8, and 4 of them are left."""
    found = lifted_after_a_failure()
    whole = EvaluatedDesign(racks_of_two(), CATALOG, EXCHANGE).analysis.busbw_GBps
    assert found.now.amount.value == pytest.approx(whole / 2, rel=1e-3)
    assert "one switch of spine" in now_words(found)


def test_what_a_fix_leaves_after_a_failure_is_what_files_with_each_switch_down_leave() -> None:
    found = lifted_after_a_failure()
    assert any("3 spines" in fix.label for fix in found.fixes)
    kept = [fix for fix in found.fixes if fix.design.groups["leaf"].count == 1]
    kept = [fix for fix in kept if "rail" not in fix.label]  # a rack has its leaf as before
    assert len(kept) >= 3
    for fix in kept:
        assert fix.after.value > fix.before.value
        assert abs(without_each(fix.design) / fix.after.value - 1) < 1e-9, fix.label
    assert "busbw_after_failure_GBps" in fixes_as_data(found, None)["now"]


TRAINED = {
    "model": "llama3-8b",
    "layout": {"tp": 8, "zero": 1},
    "training": {"batch": 64, "sequence": 4096},
}


def least_share(design: Design) -> float:
    """Available of required busbw, of the communication between nodes that gets least."""
    plan = EvaluatedDesign(design, CATALOG).plan
    step = assess_block(plan, CATALOG, design.workload).step
    assert step is not None
    return min(
        each.busbw_GBps / each.needed_GBps
        for each in step.communication
        if each.nodes > 1 and each.needed_GBps
    )


def test_the_least_margin_of_a_workload_is_lifted_to_what_its_assessment_says_then() -> None:
    design = racks_of_two(TRAINED)
    nodes = design.groups["node"]
    few = nodes.model_copy(
        update={"nics": {"compute": nodes.nics["compute"].model_copy(update={"count": 2})}}
    )
    design = design.model_copy(update={"groups": {**design.groups, "node": few}})
    found = ranked_fixes(EvaluatedDesign(design, CATALOG), WORKLOAD)
    assert found.now.amount.value == least_share(design)
    assert found.now.amount.words.endswith("of required")
    assert found.fixes
    for fix in found.fixes:
        assert fix.after.value == least_share(fix.design) > fix.before.value
    data = fixes_as_data(found, None)
    assert data["lift"] == "workload"
    assert "busbw_GBps" not in data["now"]


def test_a_workload_that_cannot_run_has_no_margin_to_lift() -> None:
    found = ranked_fixes(EvaluatedDesign(racks_of_two(), CATALOG), WORKLOAD)
    assert not found.fixes
    assert "no training workload" in why_none(found)
