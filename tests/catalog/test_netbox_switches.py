"""Switches out of NetBox device types, and what is wrong with those that people write.

The files are written here after the patterns of the device type library: one interface for a cage,
one for each port of a twin-port cage, InfiniBand under Ethernet types, forgotten interfaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.catalog.values import value_at
from toposmith.catalog import Switch, load_catalog, read_catalog
from toposmith.catalog.netbox_switches import PORT_TYPES, import_netbox
from toposmith.catalog.own_part import Imported, ImportRefused

CATALOG = load_catalog()


def interfaces(names: Iterable[str], kind: str) -> list[dict[str, object]]:
    return [{"name": name, "type": kind} for name in names]


def numbered(stem: str, count: int) -> list[str]:
    return [f"{stem}{number}" for number in range(1, count + 1)]


MANAGEMENT = {"name": "eth0", "type": "1000base-t", "mgmt_only": True}


def device_type(folder: Path, *listed: dict[str, object], **fields: object) -> Path:
    whole = {
        "manufacturer": "Acme",
        "model": "AC64",
        "slug": "acme-ac64",
        "u_height": 2,
        "interfaces": list(listed),
        **fields,
    }
    file = folder / "AC64.yaml"
    file.write_text("---\n" + yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    return file


def imported(folder: Path, *listed: dict[str, object], **fields: object) -> Imported:
    return import_netbox(device_type(folder, *listed, **fields), CATALOG)


def switch(found: Imported) -> Switch:
    assert isinstance(found.main, Switch)
    return found.main


def said(found: Imported) -> list[str]:
    """The notes without file and line."""
    return [note.split(": ", 1)[1] for note in found.notes]


def test_a_switch_has_its_cages_height_weight_and_number(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        MANAGEMENT,
        *interfaces(numbered("swp", 64), "800gbase-x-osfp"),
        part_number="920-1234",
        weight=23.5,
        weight_unit="kg",
    )
    part = switch(found)
    assert (part.id, part.name, part.vendor) == ("acme-ac64", "Acme AC64", "Acme")
    assert (part.rack_units, part.weight_kg, part.part_number) == (2, 23.5, "920-1234")
    assert (part.ports, part.native.speed_gbit, part.cages.cage) == (64, 800, "osfp")
    assert part.protocol == "ethernet"
    assert part.source == "NetBox device type AC64.yaml"
    assert found.notes == ()


def test_every_type_makes_a_switch_that_the_checks_let_pass(tmp_path: Path) -> None:
    for kind, port in PORT_TYPES.items():
        part = switch(imported(tmp_path, *interfaces(numbered("swp", 32), kind)))
        assert part.native.speed_gbit == port.gbit, kind


TYPES = yaml.safe_load(Path(__file__).with_name("netbox_types.yaml").read_text(encoding="utf-8"))


def spread(name: str) -> list[str]:
    """All names of ``sw[1-72]p[1-2]``."""
    pieces = re.split(r"\[(\d+)-(\d+)\]", name)
    runs = [range(int(a), int(b) + 1) for a, b in zip(pieces[1::3], pieces[2::3], strict=True)]
    between = pieces[::3]
    return [
        "".join(f"{stem}{number}" for stem, number in zip(between, [*numbers, ""], strict=True))
        for numbers in product(*runs)
    ]


@pytest.mark.parametrize("listed", TYPES, ids=lambda listed: listed["says"])
def test_a_device_type_becomes_a_part(tmp_path: Path, listed: dict[str, Any]) -> None:
    ports = [
        one for name, kind in listed["ports"].items() for one in interfaces(spread(name), kind)
    ]
    found = imported(tmp_path, *ports, **listed.get("with", {}))
    part = switch(found)
    assert {place: value_at(part, place) for place in listed["part"]} == listed["part"]
    notes, expected = said(found), listed.get("notes", [])
    if expected == "lacks management":
        assert "management" not in " ".join(notes)
    else:
        assert len(notes) == len(expected) and all(map(fnmatchcase, notes, expected)), notes
    lines = [note.split(":")[1] for note in found.notes]
    assert listed.get("lines", lines) == lines


def test_a_64_port_switch_that_lists_62_is_told(tmp_path: Path) -> None:
    names = [f"P{cage}.{port}" for cage in range(32) for port in (0, 1)]
    names.remove("P22.1")
    names.remove("P23.0")
    found = imported(tmp_path, *interfaces(names, "400gbase-x-osfp"), model="QM9700")
    part = switch(found)
    assert (part.ports, part.cages.count, part.protocol) == (64, 32, "infiniband")
    assert part.unverified == ("cages", "protocol")
    assert said(found)[0] == (
        "its list has 62 ports of 400 Gb/s, P22.1, P23.0 missing from their numbers; counted as 64"
    )
    assert "the catalog has this switch as qm9700; its id would replace it" in said(found)
    assert not any("the catalog's qm9700 has" in note for note in said(found))


def test_an_interface_listed_twice_counts_once(tmp_path: Path) -> None:
    listed = interfaces(numbered("swp", 32), "400gbase-x-osfp")
    found = imported(tmp_path, *listed, listed[3])
    assert switch(found).ports == 32
    assert said(found) == ["interface 'swp4' is listed twice; counted once"]


def test_the_draw_of_a_power_port_is_its_rating_and_no_consumption(tmp_path: Path) -> None:
    power = [{"name": f"PSU{n}", "type": "iec-60320-c20", "maximum_draw": 875} for n in range(8)]
    listed = interfaces(numbered("swp", 32), "400gbase-x-osfp")
    found = imported(tmp_path, *listed, **{"power-ports": power})
    part = switch(found)
    assert part.power_w is None
    assert part.power_supplies is not None
    assert (part.power_supplies.count, part.power_supplies.rating_w) == (8, 875)
    assert part.unverified == ("power_supplies",)
    assert "what the switch draws stays unknown" in said(found)[0]
    unlike = [*power[:1], {**power[0], "maximum_draw": 900}]
    assert switch(imported(tmp_path, *listed, **{"power-ports": unlike})).power_supplies is None


def test_a_server_is_refused_with_the_reason(tmp_path: Path) -> None:
    file = device_type(
        tmp_path,
        *interfaces(["LOM-1", "LOM-2"], "1000base-t"),
        {"name": "iDRAC9", "type": "1000base-t", "mgmt_only": True},
        **{"device-bays": [{"name": "Optional OCP NIC"}]},
    )
    with pytest.raises(ImportRefused) as refused:
        import_netbox(file, CATALOG)
    assert str(refused.value) == (
        f"{file}:6: no switch: 2 x 1 Gb/s RJ45, and a switch has 8 or more. Ports of servers and "
        "chassis are those of what sits in their bays: write a node part, or import the NCCL "
        "topology file of such a server"
    )


def test_a_device_without_interfaces_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="no switch: no network ports, and a switch has 8"):
        imported(tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- a list\n", "1: a NetBox device type was expected, found ['a list']"),
        ("model: x\n", "1: no NetBox device type: manufacturer missing"),
        ("model: x\nmodel: y\n", "2: 'model' is given twice"),
        ("a: [", "1: not readable as YAML"),
        ("- " * 5000, "1: nested more than 50 levels deep"),
        ("#" * 2_000_001, "1: more than the 2000000 bytes allowed"),
    ],
)
def test_a_file_that_is_no_device_type_is_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(text)
    with pytest.raises(ImportRefused) as refused:
        import_netbox(file, CATALOG)
    assert str(refused.value).startswith(f"{file}:{why}")


def test_texts_of_the_file_are_written_out(tmp_path: Path) -> None:
    listed = interfaces(numbered("swp", 32), "400gbase-x-osfp")
    with pytest.raises(ImportRefused, match=r"name: holds \\x1b"):
        imported(tmp_path, *listed, model="AC\x1b[2J")


def test_an_id_of_ones_own_holds_though_it_is_taken(tmp_path: Path) -> None:
    listed = interfaces(numbered("P", 40), "infiniband-hdr")
    file = device_type(tmp_path, *listed)
    assert import_netbox(file, CATALOG, part_id="qm8700").main.id == "qm8700"


def test_the_text_is_a_part_file_that_reads_back(tmp_path: Path) -> None:
    names = [f"P{cage}.{port}" for cage in range(32) for port in (0, 1) if (cage, port) != (22, 1)]
    found = imported(tmp_path, *interfaces(names, "400gbase-x-osfp"), weight=14.8)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.yaml").write_text(found.text, encoding="utf-8")
    back = read_catalog(tmp_path / "out")
    assert back.faults == ()
    assert list(back) == [found.main]
    assert found.text.startswith(f"# {tmp_path}/AC64.yaml:6: its list has 63 ports of 400 Gb/s")


def test_an_interface_whose_number_has_no_bound_is_refused_by_its_line(tmp_path: Path) -> None:
    ports = interfaces(["swp1", f"swp{'9' * 5000}"], "800gbase-x-osfp")
    with pytest.raises(ImportRefused, match=r":\d+: name: found 9{12}\.\.\. \(5,000 signs\)"):
        imported(tmp_path, *ports)
