"""Runs laid to devices: what is said of many alike is what holds for each, one by one."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from toposmith.topology.bill.fanout import Fan
from toposmith.topology.bill.stretches import Stretch, shares

Ends = tuple[tuple[tuple[int, int], int], ...]


@st.composite
def fabrics(draw: st.DrawFn) -> tuple[list[Fan], dict[int, tuple[Stretch, ...]]]:
    """Switches of a few kinds on two links, every link cut into stretches that close."""
    fans = []
    totals: Counter[int] = Counter()
    for _ in range(draw(st.integers(1, 3))):
        devices = draw(st.integers(1, 6))
        each = {link: draw(st.integers(0, 5)) for link in (0, 1)}
        connections = Counter({link: many for link, many in each.items() if many})
        fans.append(Fan(devices, connections, {}))
        for link, many in connections.items():
            totals[link] += devices * many
    stretches = {}
    for link in (0, 1):
        cuts = sorted(draw(st.lists(st.integers(0, totals[link]), max_size=3)))
        bounds = [0, *cuts, totals[link]]
        stretches[link] = tuple(
            Stretch(link, end - begin, None) for begin, end in itertools.pairwise(bounds)
        )
    return fans, stretches


def one_by_one(fans: list[Fan], stretches: dict[int, tuple[Stretch, ...]]) -> Counter[Ends]:
    """Every device by itself, every connection from the front of what is left of its link."""
    left = {
        link: [number for number, of in enumerate(each) for _ in range(of.connections)]
        for link, each in stretches.items()
    }
    found: Counter[Ends] = Counter()
    for fan in fans:
        for _ in range(fan.devices):
            ends: Counter[tuple[int, int]] = Counter()
            for link, many in fan.connections.items():
                for _ in range(many):
                    ends[link, left[link].pop(0)] += 1
            found[tuple(sorted(ends.items()))] += 1
    return found


@given(fabrics())
@settings(max_examples=300, deadline=None)
def test_shares_are_devices_taken_one_by_one(
    fabric: tuple[list[Fan], dict[int, tuple[Stretch, ...]]],
) -> None:
    fans, stretches = fabric
    found: Counter[Ends] = Counter()
    for share in shares(fans, stretches):
        ends = {key: many for key, many in share.ends.items() if many}
        found[tuple(sorted(ends.items()))] += share.devices
    assert found == one_by_one(fans, stretches)


@given(fabrics())
@settings(max_examples=100, deadline=None)
def test_ports_of_a_node_take_runs_in_their_order(
    fabric: tuple[list[Fan], dict[int, tuple[Stretch, ...]]],
) -> None:
    fans, stretches = fabric
    nodes = [
        Fan(
            fan.devices,
            fan.connections,
            {(link, slot): 1 for link, many in fan.connections.items() for slot in range(many)},
        )
        for fan in fans
    ]
    found: Counter[Ends] = Counter()
    for share in shares(nodes, stretches):
        ends: Counter[tuple[int, int]] = Counter()
        for (link, _, stretch), many in share.slots.items():
            ends[link, stretch] += many
        slots = [(link, slot) for link, slot, _ in share.slots]
        assert len(slots) == len(set(slots))  # one connection leaves each port
        found[tuple(sorted(ends.items()))] += share.devices
    assert found == one_by_one(fans, stretches)
