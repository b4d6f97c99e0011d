"""Devices that stand for each other: each has all cables of another one.

Names say that two switches are cabled wrongly throughout; the wiring says that only their names are
exchanged. Nothing has to be moved then, and what really differs at them is seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from toposmith.as_built.device_matches import Wires
from toposmith.as_built.placed_cables import PlacedCable, Placement, Vertex

WHOLE = 0.9
"""The share of a device's cables that have to be another's."""

FEWEST = 3
"""With fewer cables than this, cables that are exchanged are as likely."""

Near = dict[str, Counter[Vertex]]


def exchanges(
    wires: Wires, placement: Placement, placed: Sequence[PlacedCable]
) -> list[dict[str, str]]:
    """Circles of planned devices, each with the planned device whose cables it has.

    A device is held against what is planned at the far ends of its cables. Where two planned
    devices have the same neighbours, the ports there decide. Two leaves exchanged look like all
    hosts of one exchanged with those of the other: the devices with most cables come first, and
    what joins these is left for another time, once they are called by what they are.
    """
    inside = [one for one in placed if not one.outside]
    near, votes = _neighbours(inside), _votes(wires, inside, {})
    planned: Near = defaultdict(Counter)
    for cable in wires.plan.cables:
        a, z = placement.vertex(cable.a), placement.vertex(cable.z)
        planned[a[0]][z] += 1
        planned[z[0]][a] += 1
    kinds = {key: device.kind for key, device in wires.plan.devices.items()}
    better: dict[str, str] = {}
    for key, voted in votes.items():
        for other, _ in voted.most_common(3):
            if other != key and kinds[other] == kinds[key] and _fits(
                near[key], planned[key], planned[other], voted[other], 0.5
            ):  # fmt: skip
                better[key] = other
                break
    chosen: list[dict[str, str]] = []
    beside: set[str] = set()
    circles = circles_of(better)
    for circle in sorted(circles, key=lambda circle: -near[next(iter(circle))].total()):
        if beside & circle.keys():
            continue
        near_then, votes_then = _neighbours(inside, circle), _votes(wires, inside, circle)
        if all(
            _fits(near_then[key], planned[key], planned[other], votes_then[key][other], WHOLE)
            for key, other in circle.items()
        ):
            chosen.append(circle)
            beside.update(vertex[0] for key in circle for vertex in near[key])
    return chosen


def _fits(
    near: Counter[Vertex],
    own: Counter[Vertex],
    other: Counter[Vertex],
    votes: int,
    share: float,
) -> bool:
    """Whether a device has more than a share of another's cables, where the two differ."""
    if own == other:
        return near.total() >= FEWEST and votes >= share * near.total()
    common = own & other
    rest = near - common
    same = (rest & (other - common)).total()
    return rest.total() >= FEWEST and same >= share * rest.total()


def _neighbours(placed: Sequence[PlacedCable], called: Mapping[str, str] | None = None) -> Near:
    """The far ends of each device's cables; ``called`` are devices that stand for others."""
    near: Near = defaultdict(Counter)
    for one in placed:
        for end, far in ((one.a, one.z), (one.z, one.a)):
            vertex = far.vertex
            if called:
                vertex = (called.get(vertex[0], vertex[0]), *vertex[1:])
            near[end.vertex[0]][vertex] += 1
    return near


def _votes(
    wires: Wires, placed: Sequence[PlacedCable], called: Mapping[str, str]
) -> dict[str, Counter[str]]:
    """For each device, how often another is planned at the far ends of its cables."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in placed:
        for end, far in ((one.a, one.z), (one.z, one.a)):
            if far.port is not None:
                device = called.get(far.vertex[0], far.vertex[0])
                expected = wires.planned_at.get(device, {}).get(far.port)
                if expected is not None:
                    votes[end.vertex[0]][expected.device] += 1
    return votes


def circles_of(better: Mapping[str, str]) -> list[dict[str, str]]:
    """The closed circles of a mapping, no device in two of them."""
    circles: list[dict[str, str]] = []
    for start in better:
        circle: dict[str, str] = {}
        key = start
        while key in better and key not in circle:
            circle[key] = better[key]
            key = better[key]
        if key == start and not any(start in known for known in circles):
            circles.append(circle)
    return circles
