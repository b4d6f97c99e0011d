"""Runs laid to devices: what is said of many alike is what holds for each, one by one."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from toposmith.bill.cable_lots import CableLot, DeviceClass, shares

Ends = tuple[tuple[tuple[int, int], int], ...]


@st.composite
def fabrics(draw: st.DrawFn) -> tuple[list[DeviceClass], dict[int, tuple[CableLot, ...]]]:
    """Switches of a few kinds on two links, every link cut into lots that close."""
    device_classes = []
    totals: Counter[int] = Counter()
    for _ in range(draw(st.integers(1, 3))):
        devices = draw(st.integers(1, 6))
        each = {link: draw(st.integers(0, 5)) for link in (0, 1)}
        connections = Counter({link: many for link, many in each.items() if many})
        device_classes.append(DeviceClass(devices, connections, {}))
        for link, many in connections.items():
            totals[link] += devices * many
    lots = {}
    for link in (0, 1):
        cuts = sorted(draw(st.lists(st.integers(0, totals[link]), max_size=3)))
        bounds = [0, *cuts, totals[link]]
        lots[link] = tuple(
            CableLot(link, end - begin, None) for begin, end in itertools.pairwise(bounds)
        )
    return device_classes, lots


def one_by_one(
    device_classes: list[DeviceClass], lots: dict[int, tuple[CableLot, ...]]
) -> Counter[Ends]:
    """Every device by itself, every connection from the front of what is left of its link."""
    left = {
        link: [number for number, of in enumerate(each) for _ in range(of.connections)]
        for link, each in lots.items()
    }
    found: Counter[Ends] = Counter()
    for device_class in device_classes:
        for _ in range(device_class.devices):
            ends: Counter[tuple[int, int]] = Counter()
            for link, many in device_class.connections.items():
                for _ in range(many):
                    ends[link, left[link].pop(0)] += 1
            found[tuple(sorted(ends.items()))] += 1
    return found


@given(fabrics())
@settings(max_examples=75)
def test_shares_are_devices_taken_one_by_one(
    fabric: tuple[list[DeviceClass], dict[int, tuple[CableLot, ...]]],
) -> None:
    device_classes, lots = fabric
    found: Counter[Ends] = Counter()
    for share in shares(device_classes, lots):
        ends = {key: many for key, many in share.ends.items() if many}
        found[tuple(sorted(ends.items()))] += share.devices
    assert found == one_by_one(device_classes, lots)


@given(fabrics())
@settings(max_examples=25)
def test_ports_of_a_node_take_runs_in_their_order(
    fabric: tuple[list[DeviceClass], dict[int, tuple[CableLot, ...]]],
) -> None:
    device_classes, lots = fabric
    nodes = [
        DeviceClass(
            device_class.devices,
            device_class.connections,
            {
                (link, slot): 1
                for link, many in device_class.connections.items()
                for slot in range(many)
            },
        )
        for device_class in device_classes
    ]
    found: Counter[Ends] = Counter()
    for share in shares(nodes, lots):
        ends: Counter[tuple[int, int]] = Counter()
        for (link, _, lot), many in share.slots.items():
            ends[link, lot] += many
        slots = [(link, slot) for link, slot, _ in share.slots]
        assert len(slots) == len(set(slots))  # one connection leaves each port
        found[tuple(sorted(ends.items()))] += share.devices
    assert found == one_by_one(device_classes, lots)
