"""Part numbers are whole, or a family whose length is to be chosen; nobody can order an ``xxx``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.every import for_every
from toposmith.catalog import Cable, Fibre, check_part, load_catalog, part_card, part_warnings
from toposmith.catalog.part_numbers import family_of, ordered_as, whole_number

CATALOG = load_catalog()
PARTS = [*CATALOG, *CATALOG.facility]
ROOT = Path(__file__).parents[2]
# as makers print a length that is to be filled in: MCP4Y10-Nxxx, MFS1S50-V0xxE
HOLE = re.compile(r"[A-Z0-9-]x{2,}|X{3,}")


@for_every(PARTS, named=lambda part: part.id)
def test_no_part_is_ordered_by_a_number_with_a_hole(part) -> None:
    lengths = [None, 0.5, 1, 1.5, 3, 20, *getattr(part, "lengths_m", ())]
    for length in lengths:
        number, family = whole_number(part, length), family_of(part)
        for said in (number, family, ordered_as(number, family)):
            assert not HOLE.search(said or "")
    rows = {label: value for label, value, _ in part_card(part, CATALOG)}
    assert not HOLE.search(rows["Part number"] + rows.get("Of each length", ""))
    # Addresses of makers' pages are theirs, and stand in brackets.
    said = re.sub(
        r"\([^)]*\)", "", " ".join(word for row in part_card(part, CATALOG) for word in row)
    )
    assert not re.search(r"-[A-Z0-9]{0,2}x{2,}", said)


def test_a_cable_with_numbers_by_length_has_that_of_its_length_and_else_a_family() -> None:
    # NVIDIA's ordering page of the MCP7Y00: 01A is 1.5 m, 02A 2.5 m, 003 3 m.
    splitter = CATALOG["mcp7y00-n"]
    found = [whole_number(splitter, length) for length in (1.5, 2.5, 3, 4)]
    assert found == ["MCP7Y00-N01A", "MCP7Y00-N02A", "MCP7Y00-N003", None]
    assert ordered_as(None, family_of(splitter)) == "MCP7Y00-N; length to be chosen"
    # NVIDIA's ordering page of the MFP7E10 has 20 and 25 m, and nothing between.
    found = [whole_number(CATALOG["mfp7e10"], length) for length in (20, 22, 25)]
    assert found == ["MFP7E10-N020", None, "MFP7E10-N025"]


def test_the_family_of_a_number_with_a_hole_is_what_stands_around_it() -> None:
    old = CATALOG["mfp7e10"].model_copy(
        update={"family": None, "part_number": "AB1-HxxxE", "part_numbers": {}}
    )
    assert (whole_number(old, 3.0), family_of(old)) == (None, "AB1-H, ending in E")
    (warning,) = part_warnings(old, CATALOG)
    assert warning.startswith("part_number: names a family")


def test_numbers_by_length_are_whole_and_of_lengths_that_are_sold() -> None:
    cable = CATALOG["mcp7y00-n"]
    assert isinstance(cable, Cable)
    wrong = cable.model_copy(update={"part_numbers": {1.0: "MCP7Y00-Nxxx", 7.0: "MCP7Y00-N007"}})
    assert check_part(wrong, CATALOG) == [
        "part_numbers: 'MCP7Y00-Nxxx' is incomplete; family: takes a family's name",
        "part_numbers: 7 m is not one of lengths_m",
    ]


def test_cables_and_fibres_of_a_family_name_it() -> None:
    named = [part for part in PARTS if isinstance(part, Cable | Fibre) and part.family]
    assert len(named) > 20
    assert all(part.part_number is None for part in named)
    assert len({part.family for part in named}) == len(named)


UNPUBLISHED = re.compile(r"not published|unpublished|nobody (has )?publish", re.IGNORECASE)


@for_every(PARTS, named=lambda part: part.id)
def test_no_part_says_that_something_is_not_published(part) -> None:
    # That the catalog lacks it is all that is known, unless a source of the part says more.
    said = [value for row in part_card(part, CATALOG) for value in row]
    assert not UNPUBLISHED.search(" ".join([*said, *part.conflicts.values()]))


@pytest.mark.parametrize(
    "folder", ["toposmith/catalog", "docs", "toposmith/bill", "toposmith/racks"]
)
def test_no_page_and_no_message_takes_what_the_catalog_lacks_for_unpublished(folder: str) -> None:
    for file in (ROOT / folder).rglob("*"):
        if file.suffix in (".py", ".md", ".yaml"):
            assert not UNPUBLISHED.search(file.read_text(encoding="utf-8")), file


TRUNK = {
    "kind": "fibre",
    "id": "acme-trunk",
    "name": "Acme OS2 trunk",
    "vendor": "Acme",
    "power_w": 0,
    "fibre": "singlemode",
    "connector": "MPO-12/APC",
    "reach_m": 500,
    "source": "Acme price list of 2026-03-01",
}


def test_a_number_that_contains_its_length_is_one_number_for_each_length_on_sale() -> None:
    numbering = {"form": "AC-12A-{:03}M", "first": 10, "last": 300, "step": 10}
    trunk = Fibre.model_validate({**TRUNK, "numbering": numbering})
    # by hand: 10, 20, ... 300 m
    assert (len(trunk.lengths_m), trunk.lengths_m[:2], trunk.lengths_m[-1]) == (30, (10, 20), 300)
    found = [whole_number(trunk, length) for length in (10, 150, 155, 300, 310)]
    assert found == ["AC-12A-010M", "AC-12A-150M", None, "AC-12A-300M", None]
    assert check_part(trunk, CATALOG) == []
    rows = {label: value for label, value, _ in part_card(trunk, CATALOG)}
    assert rows["Of each length"] == "AC-12A-010M to AC-12A-300M, each 10 m"
    assert rows["Lengths, m"] == "10 to 300, each 10 m"


def test_lengths_in_feet_are_ordered_in_the_next_longer_foot() -> None:
    numbering = {"form": "G{:03}F", "unit": "ft", "first": 1, "last": 600}
    trunk = Fibre.model_validate({**TRUNK, "numbering": numbering})
    # 100 ft are 30.48 m; 155 m are 508.53 ft
    assert whole_number(trunk, 30.48) == "G100F"
    assert min(length for length in trunk.lengths_m if length >= 155) == pytest.approx(509 * 0.3048)


@pytest.mark.parametrize(
    ("numbering", "why"),
    [
        ({"form": "AC-12A", "first": 1, "last": 9}, "form"),
        ({"form": "AC-{}-{}", "first": 1, "last": 9}, "form"),
        ({"form": "AC-{:x}", "first": 1, "last": 9}, "form"),
        ({"form": "AC-{0.__class__}", "first": 1, "last": 9}, "form"),
        ({"form": "AC-{}", "first": 9, "last": 1}, "last"),
        ({"form": "AC-{}", "first": 1, "last": 9, "step": 0}, "step"),
    ],
)
def test_a_numbering_that_says_no_length_is_refused(numbering: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Fibre.model_validate({**TRUNK, "numbering": numbering})
