"""Devices that stand for each other: each has all cables of another one.

Names say that two switches are cabled wrongly throughout; the wiring says that only their names are
exchanged. Nothing has to be moved then, and what really differs at them is seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from toposmith.as_built.device_matches import Wires
from toposmith.as_built.placed_cables import CablePlacement, PlacedCable, PlacedEnd, Vertex

WHOLE = 0.9
"""The share of a device's cables that have to be another's."""

FEWEST = 3
"""With fewer cables than this, cables that are exchanged are as likely."""

_LIKELY = 0.5

_Near = dict[str, Counter[Vertex]]


def exchanges(
    wires: Wires,
    placement: CablePlacement,
    placed: Sequence[PlacedCable],
    uncounted: AbstractSet[str] = frozenset(),
) -> list[dict[str, str]]:
    """Circles of planned devices, each with the planned device whose cables it has.

    A device is held against what is planned at the far ends of its cables. Where two planned
    devices have the same neighbours, the ports there decide. Two leaves exchanged look like all
    hosts of one exchanged with those of the other: the devices with most cables come first, and
    what joins these is left for another time, once they are called by what they are.
    """
    cables = _Cables(wires, placed, uncounted)
    planned: _Near = defaultdict(Counter)
    for cable in wires.plan.cables:
        a, z = placement.vertex(cable.a), placement.vertex(cable.z)
        planned[a[0]][(*a[1:], *z)] += 1
        planned[z[0]][(*z[1:], *a)] += 1
    kinds = {key: device.kind for key, device in wires.plan.devices.items()}

    def fits(key: str, other: str, called: Mapping[str, str], share: float) -> bool:
        voted = cables.votes(key, called)
        votes = voted[other] / max(1, voted.total())
        return _fits(cables.near(key, called), planned[key], planned[other], votes, share)

    better: dict[str, str] = {}
    for key in cables.ends:
        others = (other for other, _ in cables.votes(key, {}).most_common(3) if other != key)
        fitting = (other for other in others
                   if kinds[other] == kinds[key] and fits(key, other, {}, _LIKELY))  # fmt: skip
        if other := next(fitting, None):
            better[key] = other
    chosen: list[dict[str, str]] = []
    beside: set[str] = set()
    circles = circles_of(better)
    for circle in sorted(circles, key=lambda circle: -len(cables.ends[next(iter(circle))])):
        if not beside & circle.keys() and all(
            fits(key, other, circle, WHOLE) for key, other in circle.items()
        ):
            chosen.append(circle)
            beside |= circle.keys()
            beside |= {far.vertex[0] for key in circle for _, far in cables.ends[key]}
    return chosen


def _fits(
    near: Counter[Vertex], own: Counter[Vertex], other: Counter[Vertex], votes: float, share: float
) -> bool:
    """Whether a device has a share of another's cables, where that one's differ from its own."""
    common = own & other
    rest = near - common
    gained, lost = ((rest & (held - common)).total() for held in (other, own))
    if rest.total() >= FEWEST:
        return gained >= share * rest.total()
    return near.total() >= FEWEST and gained >= lost and votes >= share


class _Cables:
    """Found cables between devices of the plan by device, some of which may stand for others."""

    def __init__(
        self, wires: Wires, placed: Sequence[PlacedCable], uncounted: AbstractSet[str]
    ) -> None:
        self._wires, self._uncounted = wires, uncounted
        self.ends: dict[str, list[tuple[PlacedEnd, PlacedEnd]]] = defaultdict(list)
        for one in placed:
            if not one.outside:
                self.ends[one.a.vertex[0]].append((one.a, one.z))
                self.ends[one.z.vertex[0]].append((one.z, one.a))

    def near(self, key: str, called: Mapping[str, str]) -> Counter[Vertex]:
        """The far ends of a device's cables; of a host with its own port."""
        return Counter(
            (*end.vertex[1:], called.get(far.vertex[0], far.vertex[0]), *far.vertex[1:])
            for end, far in self.ends[key]
        )

    def votes(self, key: str, called: Mapping[str, str]) -> Counter[str]:
        """How often each device is planned at the far ends of a device's cables.

        Ports that the schedule counts anew are heard where there are hardly any others.
        """
        votes: Counter[str] = Counter()
        unsure: Counter[str] = Counter()
        for _, far in self.ends[key]:
            device = called.get(far.vertex[0], far.vertex[0])
            expected = self._wires.planned_at.get(device, {}).get(far.port or "")
            if expected is not None:
                (unsure if device in self._uncounted else votes)[expected.device] += 1
        return votes if votes.total() >= FEWEST else votes + unsure


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
