"""Program and oracle see the same in random designs, refused links, and the saved designs.

A few designs each; `python -m tests.oracle.compare --designs 1000` holds them to many.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.oracle import compare, program
from tests.oracle.compare import disagreements
from tests.oracle.designs import along_design, rack_design, random_design, refused_design
from tests.oracle.expansion import CannotExpand, expand
from tests.oracle.known import known_as

HERE = Path(__file__).parent
SAVED = HERE.parents[1] / "toposmith" / "saved_designs"

WIRING = (
    compare.devices,
    compare.cables,
    compare.switch_ports,
    compare.schedule,
    compare.running,
    compare.counts,
    compare.billed_devices,
)
LOADS = (compare.rings, compare.exchanges, compare.tier_counts, compare.bisection)
BOUNDS = (compare.all_gather_bound, compare.all_reduce_bounds, compare.all_to_all_bound)


def _unknown(design: str | compare.Case, *checks) -> list[str]:
    case = compare.Case(design) if isinstance(design, str) else design
    return [
        f"{one.check}: {one.text}"
        for one in disagreements(case, *checks)
        if known_as(case.text, one) is None
    ]


@pytest.mark.parametrize("seed", [*range(1000, 1014), 1017])
def test_every_cable_and_load_is_the_same(seed):
    assert _unknown(random_design(seed), *WIRING, *LOADS) == []


@pytest.mark.parametrize("seed", [2000, 2003, 2004, 2011, 2013, 2014, 2018, 2019])
def test_bounds_are_those_of_max_flows_over_every_gpu(seed):
    case = compare.Case(random_design(seed, 24))
    assert case.is_cut  # others are held to no bound
    assert _unknown(case, *BOUNDS) == []


@pytest.mark.parametrize("seed", range(4000, 4014))
def test_racks_of_nvlink_trays_are_one_node_each(seed):
    assert _unknown(rack_design(seed), compare.counts, *LOADS, *BOUNDS) == []


@pytest.mark.parametrize("seed", range(5000, 5008))
def test_switches_joined_along_axes_are_the_same(seed):
    assert _unknown(along_design(seed, 64), *WIRING, *LOADS) == []


@pytest.mark.parametrize("seed", range(3000, 3008))
def test_a_design_that_expands_has_no_error_but_for_its_figures(seed):
    assert _unknown(random_design(seed, 24), compare.errors) == []


REFUSALS = {
    "uneven-ports",
    "too-few-ports",
    "ports-overused",
    "which-slots",
    "no-nic",
    "unknown-slots",
    "nodes-meshed",
    "speed-mismatch",
    "protocol-mismatch",
}


@pytest.mark.parametrize("seed", range(12))
def test_a_link_that_cannot_be_cabled_is_an_error_in_both(seed):
    text = refused_design(seed)
    with pytest.raises(CannotExpand):
        expand(text)
    errors = {one["code"] for one in program.findings(text) if one["severity"] == "error"}
    assert errors & REFUSALS


@pytest.mark.parametrize(
    "name",
    [
        "a100-rack-1x100gbe",
        "dgx-a100-su",
        "dgx-h100-superpod-1su",
        "dgx-h100-superpod-4su",
        "hgx-a100-64gpu-roce-2to1",
    ],
)
def test_saved_designs_are_cabled_alike(name):
    text = (SAVED / f"{name}.yaml").read_text(encoding="utf-8")
    assert disagreements(text, compare.devices, compare.cables, compare.counts) == []


@pytest.mark.parametrize("name", ["a100-rack-1x100gbe", "dgx-a100-su", "hgx-a100-64gpu-roce-2to1"])
def test_saved_designs_are_loaded_alike(name):
    text = (SAVED / f"{name}.yaml").read_text(encoding="utf-8")
    assert disagreements(text, compare.rings, compare.bisection) == []


def test_the_oracle_shares_no_line_with_the_program():
    ours = {"toposmith"}
    for file in HERE.glob("*.py"):
        imported = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
        shared = {name for name in imported if name.split(".")[0] in ours}
        allowed = {"toposmith.command.main"} if file.name == "program.py" else set()
        assert shared == allowed, file.name
        tests = {name for name in imported if name.startswith("tests.")}
        assert all(name.startswith("tests.oracle") for name in tests), file.name
