"""Names and port labels of plans and dumps, as far as they mean the same."""

from __future__ import annotations

import pytest

from toposmith.as_built.cable_list import UnreadableError, is_generic, short_name, switch_of
from toposmith.as_built.name_maps import read_map
from toposmith.as_built.port_names import port_map


@pytest.mark.parametrize(
    "labels",
    [
        # QM9700: two ports a cage, counted through by subnet managers.
        {"1/1": "1", "1/2": "2", "17/1": "33", "32/2": "64"},
        # QM9700 split: each port counts as two.
        {"1/1/1": "1", "1/2/2": "4", "32/2/2": "128"},
        {"5": "5", "40": "40"},
        {"Port 21": "21", "Blade 16_Port 2/20": "L16/U2/20"},
        {"swp5": "swp5", "swp6s0": "swp6s0"},
        # EOS counts lanes behind the port, NX-OS a slot before it, SONiC lanes from 0.
        {"1": "Ethernet1/1", "5": "Ethernet5/1", "32": "Ethernet32/1"},
        {"1": "Ethernet1/1", "2": "Ethernet1/2", "33": "Ethernet1/33"},
        {"swp1": "Ethernet0", "swp2": "Ethernet8", "swp64": "Ethernet504"},
        {"swp1": "Ethernet0", "swp2": "Ethernet4", "swp32": "Ethernet124"},
    ],
)
def test_ports_of_a_switch_are_told_by_how_it_counts(labels: dict[str, str]) -> None:
    told = port_map(frozenset(labels), frozenset(labels.values()))
    assert told == {label: port for port, label in labels.items()}


def test_ports_that_the_plan_does_not_use_stay_unknown() -> None:
    assert port_map(frozenset({"1/1", "1/2"}), frozenset({"1", "2", "40"})) == {
        "1": "1/1",
        "2": "1/2",
    }


@pytest.mark.parametrize(
    "text",
    ["MT4129 ConnectX7   Mellanox Technologies", "localhost HCA-1", "ubuntu mlx5_0", ""],
)
def test_names_that_drivers_set_say_nothing(text: str) -> None:
    assert is_generic(text)


@pytest.mark.parametrize("text", ["stage114 mlx4_0", "SAT111092710053 ibp11s0f0", "ufm1 HCA-1"])
def test_names_that_people_set_say_something(text: str) -> None:
    assert not is_generic(text)


def test_a_chip_of_a_director_is_its_chassis() -> None:
    assert switch_of("MF0;core1:MCS8500/L16/U2") == ("core1", "L16/U2")
    assert switch_of("MF0;leaf1:MQM8700/U1") == ("leaf1", "")
    assert switch_of("leaf-su0-rail0") == ("leaf-su0-rail0", "")


def test_domains_and_serial_numbers_are_no_part_of_a_name() -> None:
    assert short_name("leaf1.dc.example.com") == "leaf1"
    assert short_name("leaf1(FDO123)") == "leaf1"
    assert short_name("10.1.2.3") == "10.1.2.3"


def test_a_map_by_names_and_patterns() -> None:
    names = read_map("m", "a1 = x\nb2 -> y  # the second\n")
    assert names.planned("A1") == "x" and names.planned("b2") == "y"
    names = read_map("m", "found, planned\nr{s+1}n{n} , node-su{s}-{n-1}\n")
    assert names.planned("R4N12") == "node-su3-11" and names.planned("r4") is None


@pytest.mark.parametrize(
    "text,words",
    [
        ("alone\n", "m:1"),
        ("a = x\na = y\n", "m:2: 'a' is listed twice"),
        ("a{n} = x{m}\n", "m:1: every number"),
        ("# nothing\n", "names no device"),
    ],
)
def test_a_map_that_says_nothing_is_refused(text: str, words: str) -> None:
    with pytest.raises(UnreadableError) as failed:
        read_map("m", text)
    assert words in str(failed.value)
