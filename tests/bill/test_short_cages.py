"""Check says where splitters with unused legs take more cages than a switch has."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.evaluation import EvaluatedDesign
from toposmith.templates import SettingValue, new_design

CATALOG = load_catalog()
HGX: dict[str, SettingValue] = {"node": "hgx-h100-8", "nic": "connectx-7-ndr200", "nics": 8}


@pytest.mark.parametrize(
    ("template", "values", "short"),
    [
        ("leaf-spine", {"su": 2, "nodes": 64, **HGX}, True),
        ("rail-only", {"su": 2, "nodes": 64, **HGX}, True),
        ("leaf-spine", {"su": 2, "nodes": 62, **HGX}, False),
        ("leaf-spine", {"su": 2, "nodes": 32}, False),
    ],
)
def test_check_says_what_ports_of_the_schedule_are_beyond_the_switch(
    template: str, values: dict[str, SettingValue], short: bool
) -> None:
    evaluated = EvaluatedDesign(new_design(template, values, catalog=CATALOG), CATALOG)
    beyond = {
        end.node
        for row in evaluated.schedule
        for end in (row.a, row.z)
        if end.kind == "Switch" and end.port.startswith("!")
    }
    said = [one for one in evaluated.findings if one.code == "cages-short"]
    assert bool(beyond) is short
    assert bool(said) is short
    assert all(evaluated.plan.groups[str(one.place.group)].switch for one in said)


def test_cables_beyond_all_ports_are_said_once() -> None:
    design = new_design("single-switch", {"nodes": 16, **HGX}, catalog=CATALOG)
    group = design.groups["node"].model_copy(update={"count": 20})
    more = design.model_copy(update={"groups": {**design.groups, "node": group}})
    codes = [one.code for one in EvaluatedDesign(more, CATALOG).findings]
    assert "ports-overused" in codes
    assert "cages-short" not in codes
