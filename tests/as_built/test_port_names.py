"""A clean fabric is clean under the port names of every system, and a fault is that fault."""

from __future__ import annotations

import random

import pytest

from tests.as_built.fabrics import compared, design_of, plan_of, swapped
from tests.as_built.neighbour_texts import SYSTEMS, Tables, mixed
from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.port_names import port_map
from toposmith.as_built.reading.file_formats import read_files

# Switches, speeds down and up in Gb/s, parts of a cage at each speed, lanes of a cage.
FABRICS = {
    "halves below whole ports": ("sn5600", 400, 800, {400: 2, 800: 1}, 8),
    "quarters below halves": ("sn5600", 200, 400, {200: 4, 400: 2}, 8),
    "halves where cages have numbers": ("7060dx5-64s", 200, 400, {200: 2, 400: 1}, 8),
    "whole ports of four lanes": ("sn4600", 200, 200, {200: 1}, 4),
    "halves of another maker": ("qfx5240-64od", 400, 800, {400: 2, 800: 1}, 8),
}


def _tables(fabric: str, system: str) -> tuple[Cabling, Tables]:
    switch, down, up, parts, lanes = FABRICS[fabric]
    plan = plan_of(design_of(mixed(switch, down, up)))
    return plan, Tables(plan, system, parts, lanes)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("fabric", FABRICS)
def test_a_fabric_cabled_as_planned_does_not_differ_whatever_its_ports_are_called(
    fabric: str, system: str
) -> None:
    plan, tables = _tables(fabric, system)
    dump = read_files(tables.files([(one.a, one.z) for one in plan.cables]))
    found = compared(plan, dump)
    assert found.agree == found.planned == found.found == len(plan.cables) > 90
    assert not found.differences and not found.other_ports


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("fabric", FABRICS)
def test_two_swapped_cables_and_one_unplugged_are_found_under_every_name(
    fabric: str, system: str
) -> None:
    plan, tables = _tables(fabric, system)
    draw = random.Random(fabric)
    ends = [(one.a, one.z) for one in plan.cables]
    hosts = [one for one in ends if plan.devices[one[0].device].kind == "host"]
    rest = [one for one in ends if one not in hosts]
    while True:
        crossed = list(hosts)
        swapped(crossed, draw)
        leaves = {one[1].device for one in set(crossed) - set(hosts)}
        if len(leaves) == 2:
            break
    rest.pop(draw.randrange(len(rest)))
    found = compared(plan, read_files(tables.files(crossed + rest)))
    assert (found.moves, found.add, found.remove) == (2, 1, 0)
    assert sum(one.harmful for one in found.differences) == len(found.differences) == 3


@pytest.mark.parametrize(
    ("labels", "planned", "found"),
    [
        # et-0/0/1 and et-0/0/2 alone could be ports 1 and 2; the others say that 0 is the first.
        (
            {"2": "et-0/0/1", "3": "et-0/0/2"},
            {"1", "2", "3", "4"},
            {"et-0/0/0", "et-0/0/1", "et-0/0/2", "et-0/0/3"},
        ),
        # Ethernet8 and Ethernet16 of four lanes a port, as Ethernet4 on another switch shows.
        (
            {"swp3": "Ethernet8", "swp5": "Ethernet16"},
            {f"swp{port}" for port in range(1, 9)},
            {f"Ethernet{4 * port}" for port in range(8)},
        ),
    ],
)
def test_what_one_switch_leaves_open_the_others_decide(
    labels: dict[str, str], planned: set[str], found: set[str]
) -> None:
    of_switch = frozenset({*labels, *sorted(planned)[:3]})
    told = port_map(of_switch, frozenset(labels.values()), frozenset(planned), frozenset(found))
    assert told == {label: port for port, label in labels.items()}
