"""Finding parts."""

from __future__ import annotations

import pytest

import toposmith.catalog as package
from toposmith.catalog import Catalog, CatalogError, UnknownPart, load_catalog
from toposmith.catalog.kinds import KINDS


def test_parts_are_found_by_kind() -> None:
    nodes = load_catalog().of_kind("node")
    assert {"dgx-a100", "dgx-h100", "dgx-b200"} <= {node.id for node in nodes}
    assert all(node.kind == "node" for node in nodes)


def test_a_misspelt_id_is_answered_with_its_neighbours() -> None:
    catalog = load_catalog()
    with pytest.raises(UnknownPart, match=r"no part 'dgx-h10' .*did you mean 'dgx-h100'"):
        catalog["dgx-h10"]
    assert catalog.get("dgx-h10") is None
    assert catalog.nearest("connectx7-ndr")[0] == "connectx-7-ndr"


def test_an_id_like_nothing_else_gets_no_advice() -> None:
    with pytest.raises(UnknownPart) as caught:
        load_catalog()["???"]
    assert str(caught.value) == "no part '???' in the catalog"


def test_an_unknown_part_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_catalog()["nothing"]


def test_a_part_of_another_kind_is_refused_by_name() -> None:
    catalog = load_catalog()
    with pytest.raises(UnknownPart, match="'qm9700' is a switch, no node"):
        catalog.node("qm9700")
    with pytest.raises(UnknownPart, match="'dgx-h100' is a node, no gpu"):
        catalog.gpu("dgx-h100")
    with pytest.raises(UnknownPart, match="no nic 'connectx-6-hrd'; did you mean 'connectx-6-hdr'"):
        catalog.nic("connectx-6-hrd")
    with pytest.raises(UnknownPart, match="no switch 'qm9800'; did you mean"):
        catalog.switch("qm9800")


def test_an_id_may_occur_once_only() -> None:
    part = load_catalog()["qm9700"]
    with pytest.raises(CatalogError, match="'qm9700': this id occurs more than once"):
        Catalog([part, part])


def test_a_catalog_yields_what_designs_are_made_of() -> None:
    catalog = load_catalog()
    kinds = {kind for kind, record in KINDS.items() if not record.model.FACILITY}
    assert {"gpu", "nic", "switch", "node", "cable"} < kinds
    assert {part.kind for part in catalog} == {kind for kind in kinds if catalog.of_kind(kind)}
    assert len(catalog) == len(list(catalog))


def test_racks_and_pdus_are_found_beside_it() -> None:
    catalog = load_catalog()
    assert {part.kind for part in catalog.facility} == {"rack", "pdu"}
    assert catalog["apc-ar3100"] in catalog.of_kind("rack")
    assert catalog.get("apc-ar3100") is catalog["apc-ar3100"]
    assert "apc-ar3100" in catalog
    assert catalog["apc-ar3100"] not in list(catalog)


def test_the_package_exports_what_it_lists() -> None:
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
