"""Fibres as they are ordered: polarity, gender, grade, and what is made to measure by quote."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bill.test_link_parts import QM9700, bill_of, cabling, pair
from toposmith.bill.link_parts import TRUNK_LENGTHS_M
from toposmith.catalog import Catalog, Fibre, load_catalog
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.saved_designs import saved_path

CATALOG = load_catalog(user=False)
MODULE = "mma4z00-ns"


def changed(part: str, **fields: Any) -> Catalog:
    """The catalog with one part that is otherwise."""
    parts = (*CATALOG, *CATALOG.facility)
    return Catalog(
        type(one).model_validate({**dict(one), **fields}) if one.id == part else one
        for one in parts
    )


def between(catalog: Catalog, length: float, **link: Any) -> Any:
    groups = {"a": QM9700, "b": QM9700}
    links = [{"between": ("a", "b"), "cables": 2, "length": length, **link}]
    return bill_of({"groups": groups, "links": links}, catalog)


def test_every_fibre_of_the_catalog_says_polarity_and_parallel_ones_gender() -> None:
    for fibre in CATALOG.of_kind("fibre"):
        assert isinstance(fibre, Fibre)
        assert fibre.polarity == ("B" if fibre.connector.startswith("MPO") else "A-B")
        assert (fibre.genders is not None) == fibre.connector.startswith("MPO")
        assert fibre.grades and fibre.fibres


def test_a_line_of_fibres_says_how_it_is_ordered() -> None:
    (line,) = pair(QM9700, QM9700, cables=2, length=20).lines_of("fibre")
    assert "12 fibres, polarity B, female to female" in line.description


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"polarity": "A"}, "a plug that does not cross joins transmitters"),
        ({"genders": ("female", "male")}, "pins meet pins at one end"),
        ({"genders": ("male", "male")}, "pins meet pins at both"),
    ],
)
def test_a_fibre_that_does_not_fit_both_modules_is_not_taken(
    fields: dict[str, Any], why: str
) -> None:
    bill = between(changed("mfp7e10", **fields), 20)
    assert "mfp7e10" not in cabling(bill), why


# 100 Gb/s a lane (IEEE 802.3db): 30 m over OM3, 50 m over OM4; 25 and 50 reach 70 and 100 m.
@pytest.mark.parametrize(
    ("grades", "length", "taken"),
    [
        ({50: "OM3"}, 30, True),
        ({50: "OM3"}, 31, False),
        ({50: "OM4"}, 50, True),
        ({30: "OM3", 50: "OM4"}, 50, True),
    ],
)
def test_how_far_a_module_reaches_goes_by_the_grade(
    grades: dict[float, str], length: float, taken: bool
) -> None:
    bill = between(changed("mfp7e10", grades=grades), length, module=MODULE)
    assert ("mfp7e10" in cabling(bill)) == taken


def test_25_gbit_reach_70_m_over_om3() -> None:
    module, fibre = CATALOG["mma2p00-as"], CATALOG["lc-duplex-multimode"]
    assert module.reach_over(fibre) == 70  # type: ignore[union-attr]
    assert CATALOG["sr-10g-sfp-plus"].reach_over(fibre) == 300  # type: ignore[union-attr]


@pytest.mark.parametrize("field", ["series", "jacket", "polarity", "fibres", "genders", "grades"])
def test_a_part_made_to_measure_is_ordered_by_quote_if_it_says_all(field: str) -> None:
    whole = between(CATALOG, 200)
    (line,) = whole.lines_of("fibre")
    assert (line.part, line.length_m, line.part_number) == ("mpo12-singlemode", 200, None)
    assert line.orderable
    assert "by quote" in line.description
    empty: Any = {} if field == "grades" else None
    bare = between(changed("mpo12-singlemode", **{field: empty}), 200)
    (line,) = bare.lines_of("fibre")
    assert not line.orderable
    assert any(f"its part lacks {field}" in note for note in line.notes)


def test_trunks_come_in_few_lengths_none_short() -> None:
    path = saved_path("b200-131072gpu-fabric-per-rail")
    assert path is not None
    design = load_file(path).design
    evaluated = EvaluatedDesign(design, CATALOG)
    trunks = [one for one in evaluated.bill.lines_of("fibre") if one.configured]
    assert {one.length_m for one in trunks} <= set(TRUNK_LENGTHS_M)
    exact = sum(run.connections for run in evaluated.planned.runs)
    assert sum(link.connections for link in evaluated.bill.links) == exact
