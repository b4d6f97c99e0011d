"""Dumps of real fabrics, as their owners published them, and dumps that ibsim gave."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.as_built.fabrics import compared, design, plan_of
from toposmith.as_built.cable_list import Cabling, UnreadableError
from toposmith.as_built.reading.file_formats import read_bytes, read_files
from toposmith.as_built.regularity import irregularities

DATA = Path(__file__).parents[1] / "data" / "as_built"


def raw(name: str) -> bytes:
    packed = DATA / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (DATA / name).read_bytes()


def cabling(*names: str) -> Cabling:
    return read_files([(name, raw(name)) for name in names])


def test_an_hdr_fabric_of_5418_planned_cables_has_5414_of_them() -> None:
    plan = cabling("ufm/switch_to_host_topo1.ndt", "ufm/switch_to_switch_topo2.ndt")
    found = compared(plan, cabling("ufm/ibnetdiscover_director.txt"))
    assert (found.planned, found.agree) == (5418, 5414)
    about_plan = [one for one in found.differences if one.kind != "outside"]
    told = {
        f"{one.expected[0].device} {one.expected[0].port}": one
        for one in about_plan
        if one.expected
    }
    assert set(told) == {
        "sat111090201019 ibp213s0f0",
        "sat111090201019 ibp203s0f1",
        "sat111090201020 ibp213s0f0",
        "sat111090201021 ibp213s0f0",
    }
    moved = told["sat111090201019 ibp213s0f0"].instruction
    assert "port 16" in moved and "Port 17 holds sat11-0101-0902-02ufm HCA-1" in moved
    slip = told["sat111090201019 ibp203s0f1"].instruction
    assert "ibp203s0f0" in slip and "slip of the plan" in slip
    assert "not in the dump" in told["sat111090201020 ibp213s0f0"].instruction
    assert len(found.unnamed) == 103
    assert found.dump.ignored["links inside a chassis"] == 3200


def test_a_simulated_superpod_is_as_its_design() -> None:
    found = compared(
        plan_of(design("dgx-h100-superpod-1su")), cabling("made/su1-ibnetdiscover.out")
    )
    assert found.same and found.agree == found.planned == 504


@pytest.mark.parametrize("dump", ["su1-faults-ibnetdiscover.out", "su1-faults-iblinkinfo.out"])
def test_its_faults_take_four_moves_and_two_cables(dump: str) -> None:
    found = compared(plan_of(design("dgx-h100-superpod-1su")), cabling(f"made/{dump}"))
    assert (found.moves, found.add, found.remove) == (4, 2, 0)
    assert found.agree == 504 - 6
    assert len(found.differences) == 6
    laid = {one.expected for one in found.differences if one.add}
    # Leaves 5 and 6 lost port 36, which the schedule calls cage 18, port 2.
    assert {(a.device, a.port) for ends in laid if ends for a in ends if a.device != "spine-0"} == {
        ("leaf-su0-rail5", "18/2"),
        ("leaf-su0-rail6", "18/2"),
    }


def test_a_fabric_of_2014_has_hosts_on_a_spine_and_an_uplink_short() -> None:
    dump = cabling("loginoff/loginoff-fdr-qdr-2014.topo")
    assert len(dump.cables) == 192
    kinds = [device.kind for device in dump.devices.values()]
    assert kinds.count("switch") == 8
    found = irregularities(dump)
    assert len(found) == 2
    assert found[0].startswith("ib7: 3 host ports")
    assert found[1] == "ib1 - ib8: 3 of 4 cables"


@pytest.mark.parametrize(
    "name,devices,cables",
    [
        ("ibtopotool/ibtopotool-1.topo", 6, 7),
        ("ibtopotool/ibtopotool-2.topo", 3, 2),
        ("ibtopotool/ibtopotool-4.topo", 2, 1),
        ("ntc/ntc-arista_eos_show_lldp_neighbors2.raw", 2, 6),
        ("ntc/ntc-cisco_nxos_show_lldp_neighbors.raw", 4, 3),
        ("ntc/ntc-cisco_nxos_show_lldp_neighbors_multiline.raw", 9, 14),
        ("ntc/ntc-juniper_junos_show_lldp_neighbors_ae7.raw", 2, 4),
    ],
)
def test_small_dumps_are_read_whole(name: str, devices: int, cables: int) -> None:
    dump = cabling(name)
    assert (len(dump.devices), len(dump.cables)) == (devices, cables)


def test_neighbours_of_a_prompt_are_those_of_its_switch() -> None:
    dump = cabling("ntc/ntc-cisco_nxos_show_lldp_neighbors_multiline.raw")
    ends = {(one.a.device, one.a.port, one.z.device, one.z.port) for one in dump.cables}
    assert ("r1-services", "Ethernet1/3", "dx1", "Te1/1/1") in ends
    assert ("r1-services", "Ethernet4/24", "fw2-services", "ethernet1/24") in ends
    assert dump.ignored["ports of the management network"] == 1


def test_a_netq_topology_has_each_link_once() -> None:
    dump = cabling("topograph/netq-topologyGraph.json")
    ends = {one.ends() for one in dump.cables}
    assert len(ends) == len(dump.cables) == 79


@pytest.mark.parametrize(
    "name,words",
    [
        ("topograph/ibnetdiscover-bad.out", "ends here without a single cable"),
        ("ufm/garbage.ndt", "garbage.ndt:1: found 'cyber sport > usual sport'"),
        ("ufm/incorrect_columns.ndt", "without the column 'startport'"),
        ("ufm/incorrect_ports.ndt", "such as 'abra'"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(name: str, words: str) -> None:
    with pytest.raises(UnreadableError) as failed:
        read_bytes(name, raw(name))
    assert words in str(failed.value)
