"""Fabrics that cannot be the same by their numbers of devices are not compared device by device."""

from __future__ import annotations

from itertools import product

import pytest

from toposmith.as_built import equal_fabrics
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.device_matches import Wires
from toposmith.as_built.equal_fabrics import same_fabric


def one_switch(name: str, hosts: int, *, cables: int = 1) -> Cabling:
    """Hosts on a switch, each with as many cables."""
    cabling = Cabling(name)
    switch = cabling.device(f"{name}-switch", "switch", "switch")
    for number, port in product(range(hosts), range(cables)):
        host = cabling.device(f"{name}-host{number}", f"host{number}", "host")
        far = ListedEnd(switch, f"{number * cables + port}")
        cabling.cables.append(ListedCable(ListedEnd(host, f"{port}"), far))
    return cabling


def test_fabrics_of_other_numbers_of_hosts_are_told_apart_by_these_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matched = same_fabric(one_switch("plan", 3), one_switch("dump", 3), {})
    assert matched is not None
    assert matched[0]["dump-switch"] == "plan-switch"

    def compared() -> None:
        raise AssertionError("devices are compared one by one")

    monkeypatch.setattr(equal_fabrics, "_Colours", compared)
    assert same_fabric(one_switch("plan", 3), one_switch("dump", 2), {}) is None
    assert same_fabric(one_switch("plan", 3), one_switch("dump", 400), {}) is None


@pytest.mark.parametrize(
    ("planned", "found", "agree"), [(1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 4)]
)
def test_cables_agree_up_to_as_many_as_are_planned_between_two_devices(
    planned: int, found: int, agree: int
) -> None:
    plan, dump = one_switch("plan", 3, cables=planned), one_switch("dump", 3, cables=found)
    wires = Wires(plan, dump)
    # two of the three hosts are matched: each has the lower of both numbers of cables
    pairs = {f"dump-{of}": f"plan-{of}" for of in ("switch", "host0", "host2")}
    assert wires.agreeing(pairs) == agree
    assert wires.agreeing({}) == 0
