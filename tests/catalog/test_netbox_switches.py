"""Switches out of NetBox device types, and what is wrong with those that people write.

The files are written here after the patterns of the device type library: one interface for a cage,
one for each port of a twin-port cage, InfiniBand under Ethernet types, forgotten interfaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from toposmith.catalog import Switch, load_catalog, read_catalog
from toposmith.catalog.imported import Imported, ImportRefused
from toposmith.catalog.netbox_switches import PORT_TYPES, import_netbox

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


def test_what_the_file_does_not_say_stays_unknown(tmp_path: Path) -> None:
    part = switch(imported(tmp_path, *interfaces(numbered("swp", 32), "400gbase-x-qsfpdd")))
    unknown = (part.power_w, part.capacity_gbit, part.asic, part.buffer_mb, part.power_supplies)
    assert unknown == (None,) * 5
    assert (part.weight_kg, part.part_number, part.unverified) == (None, None, ())


def test_weights_may_be_in_pounds(tmp_path: Path) -> None:
    listed = interfaces(numbered("swp", 32), "100gbase-x-qsfp28")
    assert switch(imported(tmp_path, *listed, weight=20, weight_unit="lb")).weight_kg == 9.07
    found = imported(tmp_path, *listed, weight=2, weight_unit="stone")
    assert switch(found).weight_kg is None
    assert said(found) == ["weight in 'stone', kg, g, lb or oz is wanted; left out"]


@pytest.mark.parametrize(
    ("kind", "gbit", "cage"),
    [
        ("infiniband-qdr", 40, "qsfp+"),
        ("infiniband-fdr", 56, "qsfp+"),
        ("infiniband-edr", 100, "qsfp28"),
        ("infiniband-hdr", 200, "qsfp56"),
    ],
)
def test_infiniband_types_name_one_lane_of_four(
    tmp_path: Path, kind: str, gbit: int, cage: str
) -> None:
    part = switch(imported(tmp_path, *interfaces(numbered("P", 40), kind)))
    assert (part.ports, part.native.speed_gbit, part.cages.cage) == (40, gbit, cage)
    assert part.protocol == "infiniband"


@pytest.mark.parametrize(("kind", "gbit"), [("infiniband-ndr", 400), ("infiniband-xdr", 800)])
def test_the_fastest_infiniband_ports_are_two_to_a_cage(
    tmp_path: Path, kind: str, gbit: int
) -> None:
    found = imported(tmp_path, *interfaces(numbered("P", 64), kind))
    cages = switch(found).cages
    assert (cages.count, cages.lanes, cages.modes[0].ports) == (32, 8, 2)
    assert cages.modes[0].speed_gbit == gbit
    assert switch(found).unverified == ("cages",)
    assert said(found) == ["64 ports taken for 32 twin-port OSFP cages"]


def test_every_type_makes_a_switch_that_the_checks_let_pass(tmp_path: Path) -> None:
    for kind, port in PORT_TYPES.items():
        part = switch(imported(tmp_path, *interfaces(numbered("swp", 32), kind)))
        assert part.native.speed_gbit == port.gbit, kind


def test_names_with_two_numbers_are_ports_of_a_twin_cage(tmp_path: Path) -> None:
    names = [f"sw{cage}p{port}" for cage in range(1, 73) for port in (1, 2)]
    found = imported(
        tmp_path, {"name": "fnm1", "type": "infiniband-xdr"}, *interfaces(names, "infiniband-xdr")
    )
    part = switch(found)
    assert (part.ports, part.cages.count, part.more_cages) == (144, 72, ())
    assert said(found) == [
        "fnm1 differ from the other ports; left out",
        "144 ports taken for 72 twin-port OSFP cages",
    ]


def test_a_line_card_is_no_cage(tmp_path: Path) -> None:
    part = switch(imported(tmp_path, *interfaces(numbered("Ethernet1/", 36), "100gbase-x-qsfp28")))
    assert (part.cages.count, part.native.ports) == (36, 1)
    names = [f"Ethernet{number}/1" for number in range(1, 65)]
    part = switch(imported(tmp_path, *interfaces(names, "800gbase-x-osfp")))
    assert (part.cages.count, part.native.ports) == (64, 1)


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


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ([n for n in numbered("swp", 64) if n != "swp33"], "swp33"),
        ([f"Ethernet{n}/1" for n in range(1, 65) if n not in (5, 9)], "Ethernet5/1, Ethernet9/1"),
    ],
)
def test_a_number_that_is_skipped_is_told(tmp_path: Path, names: list[str], missing: str) -> None:
    found = imported(tmp_path, *interfaces(names, "400gbase-x-osfp"))
    assert switch(found).ports == 64
    assert f", {missing} missing from their numbers; counted as 64" in said(found)[0]


def test_numbers_far_apart_are_no_gap(tmp_path: Path) -> None:
    names = [f"swp{number}" for number in range(1, 16)] + ["swp1000"]
    found = imported(tmp_path, *interfaces(names, "400gbase-x-osfp"))
    assert (switch(found).ports, found.notes) == (16, ())


def test_fewer_ports_than_the_catalog_knows_are_told(tmp_path: Path) -> None:
    listed = interfaces(numbered("P", 38), "infiniband-hdr")
    found = imported(tmp_path, *listed, model="QM8700", slug="nvidia-qm8700")
    assert "the catalog's qm8700 has 40 x 200 Gb/s, this file 38 x 200 Gb/s" in said(found)


def test_fewer_ports_than_name_or_comments_say_are_told(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        *interfaces(numbered("swp", 62), "800gbase-x-osfp"),
        model="AC-64D",
        comments="64 ports, up to 51.2 Tbps of throughput",
    )
    assert said(found) == [
        "AC-64D sounds like 64 ports, not 62",
        "comments speak of 51.2 Tb/s, the ports make 49.6",
    ]
    assert [note.split(":")[1] for note in found.notes] == ["6", "131"]


def test_a_capacity_with_both_directions_added_is_no_contradiction(tmp_path: Path) -> None:
    listed = interfaces(numbered("P", 40), "infiniband-hdr")
    assert said(imported(tmp_path, *listed, comments="16 Tb/s")) == []
    assert said(imported(tmp_path, *listed, comments="8 Tb/s")) == []


def test_infiniband_under_ethernet_types_is_seen_by_its_names(tmp_path: Path) -> None:
    found = imported(tmp_path, *interfaces(numbered("IB1/", 40), "200gbase-x-qsfp56"))
    assert switch(found).protocol == "infiniband"
    assert switch(found).unverified == ("protocol",)
    assert said(found) == [
        "Ethernet types, but the name is that of an InfiniBand switch; taken as InfiniBand"
    ]


@pytest.mark.parametrize("kind", ["56gbase-x-qsfp+", "40gbase-x-qsfpp", "infiniband-fdr"])
def test_an_sx6036_runs_fdr_whatever_type_its_file_gives(tmp_path: Path, kind: str) -> None:
    # Mellanox SX6036: 36 QSFP+ ports of FDR, 56 Gb/s.
    part = switch(imported(tmp_path, *interfaces(numbered("IB1/", 36), kind), model="SX6036"))
    assert (part.protocol, part.ports, part.native.speed_gbit) == ("infiniband", 36, 56)


def test_an_sx1036_stays_an_ethernet_switch_of_40_gbit(tmp_path: Path) -> None:
    listed = interfaces(numbered("Eth1/", 36), "40gbase-x-qsfpp")
    part = switch(imported(tmp_path, *listed, model="MSX1036B-1SFS"))
    assert (part.protocol, part.native.speed_gbit) == ("ethernet", 40)


def test_cages_of_another_kind_go_beside_the_main_ones(tmp_path: Path) -> None:
    part = switch(
        imported(
            tmp_path,
            MANAGEMENT,
            *interfaces(numbered("swp", 48), "25gbase-x-sfp28"),
            *interfaces([f"swp{n}" for n in range(49, 57)], "100gbase-x-qsfp28"),
        )
    )
    assert (part.cages.cage, part.cages.count) == ("sfp28", 48)
    (more,) = part.more_cages
    assert (more.cage, more.count, more.modes[0].speed_gbit) == ("qsfp28", 8, 100)


def test_a_management_switch_has_sockets_for_copper(tmp_path: Path) -> None:
    part = switch(
        imported(
            tmp_path,
            *interfaces(numbered("swp", 48), "1000base-t"),
            *interfaces([f"swp{n}" for n in range(49, 53)], "100gbase-x-qsfp28"),
        )
    )
    assert (part.cages.cage, part.native.speed_gbit) == ("rj45", 1)
    assert part.more_cages[0].count == 4


def test_sockets_for_management_are_no_ports(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        {"name": "Management1", "type": "1000base-t"},
        *interfaces(numbered("SFP", 2), "25gbase-x-sfp28"),
        *interfaces(numbered("Ethernet", 32), "800gbase-x-osfp"),
    )
    assert switch(found).ports == 32
    assert [cages.cage for cages in switch(found).more_cages] == ["sfp28"]
    assert said(found) == ["Management1 taken for management sockets; left out"]


def test_up_to_four_sockets_of_copper_manage_a_switch(tmp_path: Path) -> None:
    cages = interfaces(numbered("Ethernet", 32), "800gbase-x-osfp")
    few = imported(tmp_path, *interfaces([f"X{n}" for n in range(4)], "1000base-t"), *cages)
    assert switch(few).more_cages == ()
    many = imported(tmp_path, *interfaces([f"X{n}" for n in range(5)], "1000base-t"), *cages)
    assert "management" not in " ".join(said(many))


def test_a_cage_listed_lane_by_lane_is_one_port(tmp_path: Path) -> None:
    names = [f"Ethernet{cage}/{lane}" for cage in range(1, 33) for lane in range(1, 5)]
    found = imported(tmp_path, *interfaces(names, "100gbase-x-qsfp28"))
    assert (switch(found).ports, switch(found).native.speed_gbit) == (32, 100)
    assert said(found) == ["4 interfaces for each QSFP28 cage; counted as one port"]


def test_types_that_the_catalog_has_no_cage_for_are_told(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        *interfaces(numbered("swp", 32), "400gbase-x-osfp"),
        *interfaces(numbered("cfp", 2), "400gbase-x-cfp8"),
        {"name": "vlan1", "type": "virtual"},
    )
    assert said(found) == ["2 x '400gbase-x-cfp8' left out: the catalog has no such cage"]


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
    found = imported(tmp_path, *listed, {"name": "x", "type": "\x1b[2J"})
    assert said(found) == [r"1 x '\x1b[2J' left out: the catalog has no such cage"]


def test_an_id_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    listed = interfaces(numbered("P", 40), "infiniband-hdr")
    assert switch(imported(tmp_path, *listed, slug="qm8700")).id == "qm8700-2"
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
