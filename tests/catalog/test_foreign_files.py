"""Files of other tools are distinguished by how their names end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.test_netbox_switches import device_type, interfaces, numbered
from toposmith.catalog import load_catalog
from toposmith.catalog.nccl_xml import import_file
from toposmith.catalog.own_part import ImportRefused

CATALOG = load_catalog()


def test_a_yaml_file_is_a_switch(tmp_path: Path) -> None:
    file = device_type(tmp_path, *interfaces(numbered("swp", 32), "400gbase-x-osfp"))
    assert import_file(file, CATALOG, part_id="lab").main.kind == "switch"
    with pytest.raises(ImportRefused, match="only topology files of machines take a GPU"):
        import_file(file, CATALOG, gpu="h100-sxm5")


def test_any_other_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"x\.csv:1: an NCCL topology file \(\.xml\) or a"):
        import_file(tmp_path / "x.csv", CATALOG)
