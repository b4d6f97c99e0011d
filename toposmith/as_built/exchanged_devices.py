"""Devices that stand for each other: each has all cables of another one.

Names say that two switches are cabled wrongly throughout; the wiring says that only their names are
exchanged. Nothing has to be moved then, and what really differs at them is seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from toposmith.as_built.device_matches import Wires
from toposmith.as_built.placed_cables import PlacedCable, PlacedEnd, Placement, Vertex

WHOLE = 0.9
"""The share of a device's cables that have to be another's."""

FEWEST = 3
"""With fewer cables than this, cables that are exchanged are as likely."""

_LIKELY = 0.5

_Near = dict[str, Counter[Vertex]]


def exchanges(
    wires: Wires,
    placement: Placement,
    placed: Sequence[PlacedCable],
    uncounted: AbstractSet[str] = frozenset(),
) -> list[dict[str, str]]:
    """Circles of planned devices, each with the planned device whose cables it has.

    A device is held against what is planned at the far ends of its cables. Where two planned
    devices have the same neighbours, the ports there decide. Two leaves exchanged look like all hosts of one exchanged with those of the other: the
    devices with most cables come first, and what joins these is left for another time, once they
    are called by what they are.
    """
    cables = _Cables(wires, [one for one in placed if not one.outside], uncounted)
    planned: _Near = defaultdict(Counter)
    for cable in wires.plan.cables:
        a, z = placement.vertex(cable.a), placement.vertex(cable.z)
        planned[a[0]][(*a[1:], *z)] += 1
        planned[z[0]][(*z[1:], *a)] += 1
    near, votes = cables.near({}), cables.votes({})
    kinds = {key: device.kind for key, device in wires.plan.devices.items()}
    better: dict[str, str] = {}
    for key, voted in votes.items():
        for other, _ in voted.most_common(3):
            if other != key and kinds[other] == kinds[key] and _fits(
                near[key], planned[key], planned[other], voted[other] / voted.total(), _LIKELY
            ):  # fmt: skip
                better[key] = other
                break
    chosen: list[dict[str, str]] = []
    beside: set[str] = set()
    circles = circles_of(better)
    for circle in sorted(circles, key=lambda circle: -near[next(iter(circle))].total()):
        if beside & circle.keys():
            continue
        near_then, votes_then = cables.near(circle), cables.votes(circle)
        if all(
            _fits(
                near_then[key], planned[key], planned[other],
                votes_then[key][other] / max(1, votes_then[key].total()), WHOLE,
            )
            for key, other in circle.items()
        ):  # fmt: skip
            chosen.append(circle)
            beside |= circle.keys() | cables.beside(circle)
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


@dataclass
class _Cables:
    """Found cables between devices of the plan, some of which may stand for others."""

    wires: Wires
    placed: Sequence[PlacedCable]
    uncounted: AbstractSet[str]

    def _ends(self) -> Iterator[tuple[PlacedEnd, PlacedEnd]]:
        for one in self.placed:
            yield one.a, one.z
            yield one.z, one.a

    def near(self, called: Mapping[str, str]) -> _Near:
        """The far ends of each device's cables; of a host with its own port."""
        near: _Near = defaultdict(Counter)
        for end, far in self._ends():
            device = called.get(far.vertex[0], far.vertex[0])
            near[end.vertex[0]][(*end.vertex[1:], device, *far.vertex[1:])] += 1
        return near

    def votes(self, called: Mapping[str, str]) -> dict[str, Counter[str]]:
        """For each device, how often another is planned at the far ends of its cables.

        Ports that the schedule counts anew are heard where there are hardly any others.
        """
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        unsure: dict[str, Counter[str]] = defaultdict(Counter)
        for end, far in self._ends():
            device = called.get(far.vertex[0], far.vertex[0])
            expected = self.wires.planned_at.get(device, {}).get(far.port or "")
            if expected is not None:
                heard = unsure if device in self.uncounted else votes
                heard[end.vertex[0]][expected.device] += 1
        for key, voted in unsure.items():
            if votes[key].total() < FEWEST:
                votes[key] += voted
        return votes

    def beside(self, devices: Mapping[str, str]) -> set[str]:
        """The devices that any of some is cabled to."""
        return {far.vertex[0] for end, far in self._ends() if end.vertex[0] in devices}


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
