"""Wrong data is caught: each slip that people make is said, with its field, and nothing else is."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.every import for_every
from toposmith.catalog import Catalog, Part, check_part, load_catalog, part_warnings
from toposmith.catalog.part_checks import CAGE_LANES
from toposmith.catalog.part_text import pcie_gbit
from toposmith.catalog.parts import Pcie

CATALOG = load_catalog()
SLIPS = yaml.safe_load(Path(__file__).with_name("slips.yaml").read_text(encoding="utf-8"))


def changed(part_id: str, changes: dict[str, Any]) -> Part:
    """A part of the catalog with other values at some of its places."""
    part = CATALOG[part_id]
    data = part.model_dump(mode="json")
    for place, value in changes.items():
        *ways, last = place.split(".")
        at = data
        for way in ways:
            at = at[int(way) if way.isdigit() else way]
        if isinstance(at, list):
            at[int(last) : int(last) + 1] = [value]
        else:
            at[last] = value
    return type(part).model_validate(data)


def said(found: list[str], patterns: list[str]) -> bool:
    return len(found) == len(patterns) and all(map(fnmatchcase, found, patterns))


@for_every(SLIPS, named=lambda slip: f"{slip['part']} with {slip['with']}")
def test_a_slip_is_said_and_nothing_else(slip: dict[str, Any]) -> None:
    part = changed(slip["part"], slip["with"])
    found = check_part(part, CATALOG)
    assert said(found, slip["faults"]), found
    warned = part_warnings(part, CATALOG)
    assert said(warned, slip.get("warnings", warned)), warned


@pytest.mark.parametrize(
    ("cage", "gbit"),
    [
        ("sfp28", 25), ("qsfp28", 100), ("qsfp56", 200), ("qsfp112", 400), ("qsfp-dd", 400),
        ("qsfp-dd800", 800), ("osfp", 1600),
    ],
)  # fmt: skip
def test_a_cage_carries_what_its_form_is_named_for(cage: str, gbit: int) -> None:
    lanes, each = CAGE_LANES[cage]  # type: ignore[index]
    assert lanes * each == gbit


@pytest.mark.parametrize(
    ("generation", "width", "gbit"),
    [(3, 16, 126), (4, 16, 252), (5, 16, 504), (6, 16, 968), (4, 8, 126)],
)
def test_pcie_carries_its_usable_rate_one_way(generation: int, width: int, gbit: float) -> None:
    assert pcie_gbit(Pcie(generation=generation, width=width)) == gbit


def test_checks_need_no_catalog_but_for_nodes() -> None:
    assert check_part(CATALOG["qm9700"], Catalog([])) == []
