"""Each form that people paste is recognised by what stands in it, and read."""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile
from pathlib import Path
from time import process_time

import pytest

from tests.as_built.fabrics import (
    TAPERED,
    compared,
    design,
    design_of,
    dump_of,
    plan_of,
    text_of,
)
from toposmith.as_built.cable_list import Cabling, UnreadableError
from toposmith.as_built.name_maps import read_map
from toposmith.as_built.reading.file_formats import read_bytes, read_files
from toposmith.errors import ToposmithError
from toposmith.exports.forms import FORMS

ONE = "dgx-h100-superpod-1su"
DATA = Path(__file__).parents[1] / "data" / "as_built"
NEIGHBOURS = [
    f"ntc/ntc-{name}.raw"
    for name in (
        "cisco_nxos_show_lldp_neighbors",
        "cisco_nxos_show_lldp_neighbors_detail",
        "arista_eos_show_lldp_neighbors",
        "arista_eos_show_lldp_neighbors_detail",
        "juniper_junos_show_lldp_neighbors",
    )
]


def read(text: str, name: str = "leaf1.txt") -> Cabling:
    return read_bytes(name, text.encode())


def ends(cabling: Cabling) -> set[tuple[str, str, str, str]]:
    return {(one.a.device, one.a.port, one.z.device, one.z.port) for one in cabling.cables}


def test_a_log_without_tabs_with_banner_prompt_and_crlf_is_read_as_the_dump_is() -> None:
    text = text_of(design(ONE))
    log = "=~=~= PuTTY log 2021.06.15 =~=~=\nadmin@ufm # ibnetdiscover\n" + re.sub(r"\t", "", text)
    log = log.replace("\n\n", "\n").replace("\n", "\r\n") + "admin@ufm [ mgmt ] (config) # "
    found = dump_of(log)
    assert compared(plan_of(design(ONE)), found).same
    assert found.ignored["lines that are not of ibnetdiscover"] == 3
    assert any("dump:1" in line for line in found.ignored_lines())


def test_what_is_cut_in_the_middle_says_so() -> None:
    text = text_of(design(ONE))
    found = dump_of(text[: len(text) * 2 // 5])
    assert any("one end only in" in note for note in found.notes)


MARGINS = {
    "times": "[2026-01-01 10:00:00] ",
    "times with zone": "2026-01-01T10:00:00.123+02:00 ",
    "quoted in a mail": "> ",
    "indented": "    ",
}


@pytest.mark.parametrize("margin", MARGINS.values(), ids=MARGINS)
@pytest.mark.parametrize("form", ["ibnetdiscover", "ibsim", "topo", "cables", "netbox-cables"])
def test_what_stands_before_every_line_is_no_part_of_a_dump(form: str, margin: str) -> None:
    raw = b"".join(FORMS[form].make(design_of(TAPERED), None, None).pieces).decode()
    text = "".join(f"{margin}{line}\n" for line in raw.splitlines())
    assert ends(read(text)) == ends(read(raw))


def test_json_in_a_log_is_read_and_what_stands_around_it_is_counted() -> None:
    links = [{"source_port": "a:1", "source_guid": "0x1", "source_port_dname": "1",
              "source_port_node_description": "sw:leaf-1", "destination_port": "b:2",
              "destination_guid": "0x2", "destination_port_dname": "2",
              "destination_port_node_description": "sw:spine-1"}]  # fmt: skip
    text = json.dumps(links, indent=2)
    alone = read(text)
    found = read(f"Welcome [prod]\nadmin@ufm:~$ curl links\n{text}\nadmin@ufm:~$ exit\n")
    assert ends(found) == ends(alone) and len(found.cables) == 1
    assert found.ignored["lines around the JSON"] == 3
    with pytest.raises(UnreadableError, match=r"leaf1.txt:\d+: a second JSON text begins here"):
        read(f"{text}\n{text}\n")
    with pytest.raises(UnreadableError, match="of no known form"):
        read("hello\n[1] and [2] are notes\n")


def test_the_counters_above_a_second_table_of_eos_are_no_neighbours() -> None:
    table = (
        "leaf1#show lldp neighbors\nNumber of table inserts  : 2\n\n"
        "Port       Neighbor Device ID     Neighbor Port ID    TTL\n"
        "Et1        spine1                 Ethernet1           120\n"
    )
    found = read(table + table.replace("leaf1#", "Last change: 2\nleaf2#"))
    assert {(one.a.device, one.z.device) for one in found.cables} == {
        ("leaf1", "spine1"), ("leaf2", "spine1"),
    }  # fmt: skip


def test_utf_16_as_powershell_writes_it_is_read() -> None:
    raw = text_of(design(ONE)).encode("utf-16")
    assert compared(plan_of(design(ONE)), read_bytes("dump.txt", raw)).same


def test_escapes_in_names_are_never_obeyed() -> None:
    text = text_of(design(ONE)).replace("node-su0-3 ", "node\x1b[31m\x07-su0-3 ")
    found = dump_of(text)
    names = " ".join(device.name for device in found.devices.values())
    assert "\x1b" not in names and "\x07" not in names and "\\x07" in names


@pytest.mark.parametrize(
    "raw,words",
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"PK\x03\x04\x00\x00xlsx", "damaged workbook"),
        (b"\x7fELF\x02\x01\x01\x00", "is no text: a zero byte at offset 7"),
        (b"\xff\xd8\xe2\x90" * 400, "is no text"),
        (b'{"lldp": {"interface": [', "the JSON ends too early"),
        (b'{"nodes": [1], "edges": []}', "JSON with the keys nodes, edges"),
        (b"[1, 2, 3]", "a list of things"),
        (b"total 12\ndrwxr-xr-x 2 root root\n", "which is of no known form"),
        (b"A-Node,A-Port,Z-Node\na,1,b\n", "without the column 'zport'"),
    ],
)
def test_bad_input_is_named_by_place_and_what_would_be_right(raw: bytes, words: str) -> None:
    with pytest.raises(UnreadableError) as failed:
        read_bytes("dump.txt", raw)
    assert str(failed.value).startswith("dump.txt") and words in str(failed.value)


ENDLESS = "9" * 5000


@pytest.mark.parametrize(
    "old,new",
    [("[1]", f"[{ENDLESS}]"), ("Switch\t64", f"Switch\t{ENDLESS}"), ("4xNDR", f"{ENDLESS}xNDR")],
)
def test_a_number_without_bound_is_refused_by_its_line(old: str, new: str) -> None:
    text = text_of(design_of(TAPERED))
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    words = rf"dump:{line}: found 9{{12}}\.\.\. \(5,000 signs\)"
    with pytest.raises(ToposmithError, match=words):
        dump_of(text.replace(old, new, 1))


@pytest.mark.parametrize("form", ["topo", "ibsim", "cables", "ufm-ndt", "cvt"])
def test_so_is_one_in_a_label_of_any_form(form: str) -> None:
    raw = b"".join(FORMS[form].make(design_of(TAPERED), None, None).pieces)
    if form == "cvt":
        raw = _packed(raw, b"5/2", f"{ENDLESS}/2".encode())
    else:
        raw = re.sub(rb"(?:(?<=[P/\[])|(?<=Port ))2(?=[\],\s/])", ENDLESS.encode(), raw, count=1)
    with pytest.raises(ToposmithError, match=r"dump:\d+: found 9{12}"):
        read_bytes("dump", raw)


def _packed(raw: bytes, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as was, zipfile.ZipFile(out, "w") as now:
        for name in was.namelist():
            now.writestr(name, was.read(name).replace(old, new, 1))
    return out.getvalue()


@pytest.mark.parametrize(
    "sign", [" ", "\t", " 1", '"', '" (', "[1]", "a@a#", "- ", "==(", ")==>", "0", ",x", "{n}"]
)
@pytest.mark.parametrize("data", ["made/su1-faults-iblinkinfo.out", *NEIGHBOURS])
def test_a_line_of_any_length_takes_no_more_time_than_its_length(data: str, sign: str) -> None:
    """Sixty thousand signs in a line took minutes where a pattern tried each way to divide them."""
    lines = (DATA / data).read_text().split("\n")[:12]
    began = process_time()
    for number, line in enumerate(lines):
        for place in (0, len(line) // 2, len(line)):
            changed = line[:place] + sign * (60_000 // len(sign)) + line[place:] + "x"
            with contextlib.suppress(ToposmithError):
                read("\n".join([*lines[:number], changed, *lines[number + 1 :]]))
    assert process_time() - began < 10


@pytest.mark.parametrize("sign", [" ", "=", "->", ",", " a", "{n}"])
def test_nor_does_one_of_a_map(sign: str) -> None:
    began = process_time()
    with contextlib.suppress(ToposmithError):
        read_map("map", f"a{sign * 30_000}b\n")
    assert process_time() - began < 2


def test_our_schedule_is_read_as_the_design_that_it_is_of() -> None:
    for form in ("cables", "netbox-cables"):
        plan = read(text_of(design(ONE), form), "cables.csv")
        assert len(plan.cables) == 504
        found = compared(plan, dump_of(text_of(design(ONE))))
        assert found.same and found.agree == 504


def test_an_ndt_with_blanks_crlf_other_case_and_cables_from_both_ends() -> None:
    text = (
        "#StartDevice,StartPort,EndDevice,EndPort,LinkType\r\n"
        "LEAF1,Port 21, CORE1,Blade 05_Port 2/20, Data\r\n"
        "CORE1,Blade 05_Port 2/20,LEAF1,Port 21,Data\r\n"
        "leaf1,Port 1,node1,node1 mlx5_0,Data\r\n"
        "leaf1,Port 40,bmc,mgmt0,Data\r\n"
    )
    plan = read(text)
    assert len(plan.cables) == 2 and len(plan.devices) == 3
    dump = read(
        'switchguid=0x1(1)\nSwitch\t41 "S-0001"\t\t# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3\n'
        '[21]\t"S-0002"[20]\t\t# "MF0;core1:MCS8500/L05/U2" lid 175 4xHDR\n'
        '[1]\t"H-0003"[1](3) \t\t# "node1 mlx5_0" lid 4 4xHDR\n'
    )
    assert compared(plan, dump).agree == 2


def test_ports_of_sharp_and_links_inside_a_chassis_are_counted_not_compared() -> None:
    dump = read(
        'Switch\t41 "S-0001"\t\t# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3\n'
        '[41]\t"H-0009"[1](9) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR\n'
        '[1]\t"H-0003"[1](3) \t\t# "node1 mlx5_0" lid 4 4xHDR\n'
        'Switch\t41 "S-0004"\t\t# "MF0;core1:MCS8500/L05/U2" enhanced port 0 lid 3\n'
        '[2]\t"S-0005"[7]\t\t# "MF0;core1:MCS8500/S01/U1" lid 9 4xHDR\n'
    )
    assert ends(dump) == {("leaf1", "1", "node1", "mlx5_0")}
    assert set(dump.ignored) == {
        "aggregation nodes inside switches (SHARP)",
        "links inside a chassis",
    }


def test_two_hosts_called_localhost_are_two_hosts() -> None:
    dump = read(
        'Switch\t41 "S-0001"\t\t# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3\n'
        '[1]\t"H-0003"[1](3) \t\t# "localhost HCA-1" lid 4 4xHDR\n'
        '[2]\t"H-0004"[1](4) \t\t# "localhost HCA-1" lid 5 4xHDR\n'
    )
    assert len(dump.cables) == 2 and sum(one.unnamed for one in dump.devices.values()) == 2


def test_iblinkinfo_keeps_speeds_marks_and_counts_ports_that_are_down() -> None:
    dump = read(
        "CA: node1 mlx5_0:\n"
        "      0x01    242    1[  ] ==( 4X       53.125 Gbps Active/  LinkUp)==>     5   31[  ] "
        '"leaf1" ( )\n'
        "Switch: 0x0002 leaf1:\n"
        "           5    1[  ] ==( 2X       53.125 Gbps Active/  LinkUp)==>     7   9[  ] "
        '"spine1" (Could be 4X)\n'
        "           5    2[  ] ==(                Down/ Polling)==>             [  ] "
        '"" ( )\n'
        "Switch: 0x0003 spine1:\n"
    )
    speeds = {one.z.device: (one.speed_gbit, one.degraded) for one in dump.cables}
    assert speeds == {"leaf1": (200.0, ""), "spine1": (100.0, "Could be 4X")}
    assert dump.ignored["ports that are down"] == 1


def test_a_port_list_of_ibnetdiscover() -> None:
    dump = read(
        "SW     1  1 0x0002c902 4x SDR - CA    2  1 0x0003c902 ( 'leaf1' - 'node1 HCA-1' )\n"
        "SW     1  2 0x0002c902 4x SDR                                     'leaf1'\n"
    )
    assert ends(dump) == {("leaf1", "1", "node1", "HCA-1")}
    assert dump.ignored["ports without a peer"] == 1


def test_ufm_links_name_host_and_port_in_one_string() -> None:
    link = {
        "source_guid": "0x1",
        "source_port": "3",
        "source_port_dname": "3",
        "source_port_node_description": "MF0;leaf1:MQM9700/U1",
        "destination_guid": "0x2",
        "destination_port": "1",
        "destination_port_dname": "HCA-1/1",
        "destination_port_node_description": "node1 mlx5_2",
        "width": "4x",
        "severity": "Info",
    }
    slow = {**link, "source_port": "4", "destination_port_node_description": "node2 mlx5_0"}
    dump = read(json.dumps([link, {**slow, "severity": "Warning"}]))
    assert ends(dump) == {("leaf1", "3", "node1", "mlx5_2"), ("leaf1", "4", "node2", "mlx5_0")}
    assert [one.degraded for one in dump.cables] == ["", "Warning"]


@pytest.mark.parametrize("several", [False, True])
def test_lldpctl_has_one_neighbour_or_many_and_dict_or_list(several: bool) -> None:
    one = {
        "chassis": {"leaf1.example.com": {"id": {"type": "mac", "value": "0c:42:a1:00:00:01"}}},
        "port": {"id": {"type": "ifname", "value": "swp3"}, "descr": "to node1"},
    }
    other = json.loads(json.dumps(one).replace("swp3", "swp4"))
    held = [{"ens1": one}, {"ens2": other}] if several else {"ens1": one}
    dump = read(json.dumps({"lldp": {"interface": held}}), "node1.json")
    expected = {("node1", "ens1", "leaf1", "swp3"), ("node1", "ens2", "leaf1", "swp4")}
    assert ends(dump) == (expected if several else {("node1", "ens1", "leaf1", "swp3")})


def test_lldpctl_json0_has_lists_throughout() -> None:
    held = {
        "name": "ens1",
        "chassis": [{"id": [{"type": "mac", "value": "0c:42"}], "name": [{"value": "leaf1"}]}],
        "port": [{"id": [{"type": "ifname", "value": "swp3"}]}],
    }
    dump = read(json.dumps({"lldp": [{"interface": [held]}]}), "node1.json")
    assert ends(dump) == {("node1", "ens1", "leaf1", "swp3")}


def test_sonic_gives_a_mac_where_the_port_stands_in_its_words() -> None:
    dump = read(
        "admin@leaf7:~$ show lldp table\n"
        "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
        "LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n"
        "-----------  --------------  -----------------  ------------  ---------------------\n"
        "Ethernet0    node1           0c:42:a1:00:00:02  R             Interface   8 as enp5s0f0\n"
        "Ethernet8    spine1          etp9               BR            Ethernet72\n"
        "eth0         mgmt-sw         Gi1/0/3            B             mgmt\n"
        "--------------------------------------------------\n"
        "Total entries displayed:  3\n"
    )
    assert ends(dump) == {
        ("leaf7", "Ethernet0", "node1", "enp5s0f0"),
        ("leaf7", "Ethernet8", "spine1", "etp9"),
    }
    assert dump.ignored["ports of the management network"] == 1


def test_eos_by_command_line_and_by_eapi_are_alike() -> None:
    table = (
        "leaf1#show lldp neighbors\nPort     Neighbor Device ID    Neighbor Port ID    TTL\n"
        "Et49/1        spine1.example.com       Ethernet3/1         120\n"
    )
    api = {
        "hostname": "leaf1",
        "lldpNeighbors": [
            {"port": "Ethernet49/1", "neighborDevice": "spine1", "neighborPort": "Ethernet3/1"}
        ],
    }
    assert ends(read(table)) == ends(read(json.dumps(api)))


def test_a_topology_file_names_systems_by_type_and_ports_by_the_panel() -> None:
    dump = read(
        "# by hand\nMQM8700 leaf1\n    U1/P1 -4x-50G-> HCA_1 node1 HCA-1/U1/P1\n"
        "    P21 -> MCS8500 core1 L05/U2/P20\n\nMCS8500 core1 CFG: leaf7=R\n"
        "    L05/U2/P20 -> MQM8700 leaf1 P21\n"
    )
    assert ends(dump) == {
        ("leaf1", "P1", "node1", "HCA-1/U1/P1"),
        ("leaf1", "P21", "core1", "L05/U2/P20"),
    }
    assert {one.z.device: one.speed_gbit for one in dump.cables} == {"node1": 200.0, "core1": None}
    assert dump.devices["node1"].kind == "host" and dump.devices["core1"].kind == "switch"


def test_netbox_cables_of_its_api() -> None:
    end = {"object": {"device": {"name": "leaf1"}, "name": "swp1"}}
    far = {"object": {"device": {"name": "node1"}, "name": "ens1"}}
    data = {"count": 1, "results": [{"a_terminations": [end], "b_terminations": [far]}]}
    assert ends(read(json.dumps(data))) == {("leaf1", "swp1", "node1", "ens1")}


def test_a_dump_of_one_leaf_says_nothing_of_others() -> None:
    plan = read("A-Node,A-Port,Z-Node,Z-Port\nnode1,ens1,leaf1,swp1\nnode1,ens2,leaf2,swp1\n")
    table = "leaf1#show lldp neighbors\nPort   Neighbor Device ID   Neighbor Port ID   TTL\n"
    dump = read(table + "swp1   node1   ens1   120\n")
    found = compared(plan, dump)
    assert found.same and (found.planned, found.agree) == (1, 1)
    assert any("not looked at" in note for note in found.notes)


def test_a_cable_in_two_files_counts_once_and_contradictions_are_said() -> None:
    head = "Port   Neighbor Device ID   Neighbor Port ID   TTL\n"
    one = f"leaf1#show lldp neighbors\n{head}swp1   spine1   swp9   120\n".encode()
    other = f"spine1#show lldp neighbors\n{head}swp9   leaf1   swp1   120\n".encode()
    assert len(read_files([("a", one), ("b", other)]).cables) == 1
    late = other.replace(b"swp1", b"swp2")
    assert any(
        "leads to two places" in note for note in read_files([("a", one), ("b", late)]).notes
    )


def test_a_prompt_in_brackets_before_a_dump_is_no_json() -> None:
    text = "[root@ufm ~]$ ibnetdiscover\n" + text_of(design_of(TAPERED))
    assert len(read_bytes("log", text.encode()).cables) == 96


def test_an_address_of_two_names_is_two_fabrics_in_one_dump() -> None:
    """Each on its own reads well; together the second head of an address is named by line."""
    one, other = text_of(design_of(TAPERED)), text_of(design_of(TAPERED)).replace("leaf-", "tor-")
    lines = one.count("\n")
    with pytest.raises(UnreadableError, match="are these two fabrics") as failed:
        read_bytes("dump", (one + other).encode())
    line = int(str(failed.value).split(":")[1])
    assert line > lines and "tor-" in str(failed.value)
