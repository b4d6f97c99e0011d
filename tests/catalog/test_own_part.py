"""A part of one's own is the nearest one with other figures and their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.every import for_every
from toposmith.catalog import Catalog, CatalogError, Part, load_catalog
from toposmith.catalog.kinds import part_adapter
from toposmith.catalog.own_part import copy_of, figures_of, write_own

CATALOG = load_catalog(user=False)
SAID = "a quote of Acme, 2026-11-02"


@for_every([*CATALOG, *CATALOG.facility], lambda part: part.id)
def test_every_part_can_be_copied_and_keeps_all_its_figures(part: Part) -> None:
    entry = copy_of(part, "acme-own", {}, SAID, CATALOG)
    made = part_adapter().validate_python(entry)
    apart = {"id", "note"}
    assert made.model_dump(exclude=apart) == part.model_dump(exclude=apart)


def test_other_figures_are_those_typed_and_name_their_source() -> None:
    given = {"power_w": "1500", "part_number": "12345", "name": "Acme 64"}
    entry = copy_of(CATALOG["qm9700"], "acme-64", given, SAID, CATALOG)
    assert (entry["power_w"], entry["part_number"], entry["name"]) == (1500, "12345", "Acme 64")
    assert entry["sources"]["power_w"] == entry["sources"]["part_number"] == SAID
    assert "power_w" not in entry.get("unverified", ())
    assert entry["note"] == "Copied from qm9700 with other figures."


def test_a_figure_can_become_unknown() -> None:
    assert "power_w" not in copy_of(CATALOG["qm9700"], "acme-64", {"power_w": ""}, SAID, CATALOG)


@pytest.mark.parametrize(
    ("part_id", "given", "said"),
    [
        ("Acme 64", {}, "id: small letters"),
        ("acme-64", {"power_w": "much"}, "power_w"),
        ("acme-64", {"power_w": "-3"}, "power_w"),
    ],
)
def test_what_makes_no_part_is_said_by_its_field(
    part_id: str, given: dict[str, str], said: str
) -> None:
    with pytest.raises(CatalogError, match=said):
        copy_of(CATALOG["qm9700"], part_id, given, SAID, CATALOG)


def test_known_figures_are_asked_for_first() -> None:
    figures = figures_of(CATALOG["qm9700"])
    texts = [figure.text for figure in figures]
    assert texts.index("") > 3 and not any(texts[texts.index("") :])
    assert {"power_w", "part_number"} <= {figure.field for figure in figures}


def test_it_is_written_behind_what_is_there_and_read_as_ones_own(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = copy_of(CATALOG["qm9700"], "acme-64", {"power_w": "1500"}, SAID, CATALOG)
    file = write_own(first)
    file.write_text("# ours\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    write_own(copy_of(CATALOG["sn5600"], "acme-96", {}, SAID, CATALOG))
    assert file.read_text(encoding="utf-8").startswith("# ours\n")
    found = load_catalog()
    assert found.own == {"acme-64", "acme-96"} and not found.faults
    assert found["acme-64"].power_w == 1500
    assert load_catalog().own == found.own  # from what is kept between runs, too
    with pytest.raises(CatalogError, match="already"):
        write_own(first)


def test_a_file_that_is_no_list_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own-parts.yaml").write_text("power: [", encoding="utf-8")
    entry = copy_of(CATALOG["qm9700"], "acme-64", {}, SAID, CATALOG)
    with pytest.raises(CatalogError):
        write_own(entry, tmp_path)
    assert (tmp_path / "own-parts.yaml").read_text(encoding="utf-8") == "power: ["


def test_parts_of_the_program_are_nobodys_own() -> None:
    assert CATALOG.own == frozenset()
    assert Catalog(CATALOG, own=["qm9700"]).own == {"qm9700"}
