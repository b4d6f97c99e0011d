"""Faults that people make, on six fabrics: the moves asked for are the fewest, and none is hidden.

``python -m bench.asbuilt`` plants many more of each.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.as_built.fabrics import compared
from tests.as_built.planted_faults import FABRICS, FAULTS, Planted, fabric
from toposmith.as_built.cable_list import Cabling, ListedEnd


def _asked(plan: Cabling, dump: Cabling, planted: Planted, moves: int) -> None:
    found = compared(plan, dump)
    assert (found.moves, found.add, found.remove) == (moves, planted.add, planted.remove)
    assert found.same is (moves + planted.add + planted.remove == 0)
    harmless = [one for one in found.differences if not one.harmful]
    assert len({one.instruction[:40] for one in harmless}) == len(harmless) <= 3
    told = [one for one in found.differences if one.harmful]
    assert sum(one.steps for one in told) == len(told) == moves + planted.add + planted.remove


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", FABRICS)
def test_the_moves_asked_for_are_the_fewest(name: str, fault: str) -> None:
    """In the plan's names of ports, and in those of drivers and subnet managers."""
    whole = fabric(name)
    planted = FAULTS[fault](whole, random.Random(f"{name} {fault}"))
    _asked(whole.plan, whole.as_planned(planted.ends), planted, planted.moves)
    by_drivers = planted.moves if planted.by_drivers is None else planted.by_drivers
    _asked(whole.plan, whole.as_drivers_say(planted.ends), planted, by_drivers)


@pytest.mark.parametrize("name", FABRICS)
def test_adapters_numbered_by_address_on_every_host_are_no_difference(name: str) -> None:
    """A driver's mlx5_0 need not be the first rail; most hosts say which it is."""
    whole = fabric(name)
    order = random.Random(name).sample(range(8), 8)
    order = [number for number in order if number < len(whole.rails(whole.hosts[0]))]
    found = compared(whole.plan, whole.as_drivers_say(whole.ends, order))
    assert found.agree == found.planned and not found.differences


def test_adapters_of_one_host_in_another_order_may_be_a_matter_of_their_numbers() -> None:
    """Each switch port has the host that is planned there; two swapped cables have not."""
    whole = fabric("rails")
    for fault, said in (("rails shifted on 1 host", True), ("two cables swapped", False)):
        planted = FAULTS[fault](whole, random.Random(3))
        found = compared(whole.plan, whole.as_drivers_say(planted.ends))
        assert found.moves > 1
        assert any("only numbered otherwise" in note for note in found.notes) is said


@pytest.mark.parametrize("name", ["rails", "dual plane", "three tiers"])
def test_a_fabric_is_matched_by_its_wiring_where_names_and_ports_say_nothing(name: str) -> None:
    """Names drawn, ports of every switch shuffled: each cable is where some planned one is."""
    whole = fabric(name)
    draw = random.Random(name)
    words = {key: f"{draw.getrandbits(64):x}".translate(_LETTERS) for key in whole.plan.devices}
    ports = {key: draw.sample(range(100, 200), 64) for key in whole.plan.devices}

    def hidden(end: ListedEnd) -> ListedEnd:
        port = end.port
        if not whole.is_host(end):
            cage, place = port.split("/")
            port = str(ports[end.device][2 * int(cage) - 3 + int(place)])
        return ListedEnd(words[end.device], port)

    dump = whole.as_planned(whole.ends)
    dump.devices = {
        words[key]: replace(device, name=words[key]) for key, device in dump.devices.items()
    }
    dump.cables = [one._replace(a=hidden(one.a), z=hidden(one.z)) for one in dump.cables]
    found = compared(whole.plan, dump)
    assert found.same and found.planned == found.found == len(whole.ends)
    assert not found.match.ways["name"]


_LETTERS = str.maketrans("0123456789", "ghijklmnop")
