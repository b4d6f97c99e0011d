"""The likeliest part comes first, whatever order the words come in."""

from __future__ import annotations

import pytest

from toposmith.catalog import Catalog, load_catalog
from toposmith.catalog.kinds import KINDS
from toposmith.catalog.search import find_parts


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(user=False)


@pytest.mark.parametrize(
    ("query", "vendor", "kind", "speed"),
    [("nv 400 sw", "NVIDIA", "switch", "400 Gb/s"), ("hdr nic", "NVIDIA", "nic", "200 Gb/s"),
     ("arista 800", "Arista", "switch", "800 Gb/s"), ("sw nv 400", "NVIDIA", "switch", "400 Gb/s")],
)  # fmt: skip
def test_the_first_part_has_all_the_words(
    catalog: Catalog, query: str, vendor: str, kind: str, speed: str
) -> None:
    from toposmith.catalog import one_line

    first = find_parts(catalog, query)[0]
    assert (first.vendor.partition(" ")[0], first.kind) == (vendor, kind)
    assert speed in one_line(first)


def test_a_name_said_whole_comes_before_names_that_begin_with_it(catalog: Catalog) -> None:
    assert find_parts(catalog, "dgx a100")[0].id == "dgx-a100"
    assert find_parts(catalog, "qm9700")[0].id == "qm9700"


def test_a_speed_of_its_own_comes_before_one_that_ports_are_split_into(catalog: Catalog) -> None:
    found = [part.id for part in find_parts(catalog, "400 switch nvidia")]
    assert found.index("qm9700") < found.index("sn5600")


def test_kinds_stay_together(catalog: Catalog) -> None:
    for query in ("", "400", "nvidia"):
        kinds = [part.kind for part in find_parts(catalog, query)]
        assert len(set(kinds)) == sum(a != b for a, b in zip(["", *kinds], kinds, strict=False))


def test_without_words_all_parts_come_in_the_order_of_the_kinds(catalog: Catalog) -> None:
    parts = [*catalog, *catalog.facility]
    found = find_parts(parts, " ")
    assert len(found) == len(parts)
    kinds = list(dict.fromkeys(part.kind for part in found))
    assert kinds == [kind for kind in KINDS if kind in kinds]


@pytest.mark.parametrize("query", ["zzz", "(", "[red]", "\x1b", "*"])
def test_signs_that_nothing_has_find_nothing(catalog: Catalog, query: str) -> None:
    assert find_parts(catalog, query) == []
