"""Differences between what is cabled and planned: ends, speeds, and what does no harm."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.device_matches import Match
from toposmith.as_built.placed_cables import UNKNOWN, PlacedCable
from toposmith.text import counted, natural

DifferenceKind = Literal["moved", "swapped", "missing", "extra", "degraded", "outside"]


@dataclass(frozen=True)
class EndMove:
    """One end of a cable to be moved, from its port to another; the other end stays."""

    leaves: ListedEnd
    goes: ListedEnd


@dataclass(frozen=True)
class CableDetail:
    """One of several cables, or devices, that a difference is about.

    Parameters
    ----------
    a, z : ListedEnd
        The ends as found.
    expected : tuple of ListedEnd or None
        Both ends as planned.
    place : str
        Its file and line in the dump.
    """

    a: ListedEnd
    z: ListedEnd
    expected: tuple[ListedEnd, ListedEnd] | None
    place: str


@dataclass
class CablingDifference:
    """One difference.

    Parameters
    ----------
    kind : str
        moved, swapped, missing, extra, degraded or outside.
    harmful : bool
        Whether it changes the fabric's behaviour.
    instruction : str
        What to do or to check.
    a, z : ListedEnd or None
        The ends as found; as planned where nothing was found. Names are those of labels. Of several
        cables those of the first.
    expected : tuple of ListedEnd or None
        Both ends as planned.
    planned : list of ListedCable
        The planned cables that are missing because of it, by keys of the plan.
    move : EndMove or None
        The end to be moved.
    device : str
        The planned device that is not seen, by key.
    details : list of CableDetail
        The cables that do no harm for one reason, where it is one difference for all of them.
    group : str
        A key shared by differences that are corrected together.
    place : str
        Its file and line in the dump.
    spot : str
        The rack to go to first.
    runs_at : float, str or None
        The rate of a degraded cable: Gb/s, or a share of the planned rate.
    """

    kind: DifferenceKind
    harmful: bool
    instruction: str
    a: ListedEnd | None
    z: ListedEnd | None
    expected: tuple[ListedEnd, ListedEnd] | None = None
    planned: list[ListedCable] = field(default_factory=list)
    move: EndMove | None = None
    device: str = ""
    details: list[CableDetail] = field(default_factory=list)
    group: str = ""
    place: str = ""
    spot: str = ""
    runs_at: float | str | None = None

    @property
    def moves(self) -> int:
        """Ends of cables to move."""
        return int(self.move is not None)

    @property
    def add(self) -> int:
        """Cables to lay; none for a device that is not seen, which may be switched off."""
        return int(self.kind == "missing" and not self.device)

    @property
    def remove(self) -> int:
        """Cables to take out."""
        return int(self.kind == "extra")

    @property
    def steps(self) -> int:
        """Ends to move, cables to lay and to take out."""
        return self.moves + self.add + self.remove

    @property
    def cables(self) -> int:
        """The number of cables affected."""
        return len(self.details) or (len(self.planned) if self.device else 1)


class PlanWords:
    """Devices and ports as a technician finds them: by the plan's name, and the dump's beside."""

    def __init__(self, plan: Cabling, dump: Cabling, match: Match) -> None:
        self._plan, self._dump = plan, dump
        self._names = {key: device.name for key, device in plan.devices.items()}
        for found, planned in match.pairs.items():
            own, label = plan.devices[planned].name, dump.devices[found].name
            if own.casefold() != label.casefold() and not dump.devices[found].unnamed:
                self._names[planned] = f"{own} ({label})"

    def device(self, key: str) -> str:
        """``leaf-su0-rail0 (ib1)``."""
        return self._names.get(key) or self._dump.devices[key].name

    def end(self, end: ListedEnd) -> str:
        """``leaf-su0-rail0 port 33``, ``node-su0-3 OSFP1 P2``."""
        port = f"port {end.port}" if end.port[:1].isdigit() else end.port
        return f"{self.device(end.device)} {port}".strip()

    def cable(self, a: ListedEnd, z: ListedEnd) -> str:
        """Both ends of a cable."""
        return f"{self.end(a)} - {self.end(z)}"

    def spot(self, *ends: ListedEnd) -> str:
        """The rack of the first of some devices that has one."""
        held = (self._plan.devices.get(end.device) for end in ends)
        return next((device.spot for device in held if device and device.spot), "")


Met = tuple[PlacedCable, ListedCable]
"""A found cable, and the planned one that it is."""


def crossed(
    words: PlanWords, met: Sequence[Met], placed: Sequence[PlacedCable]
) -> Iterator[CablingDifference]:
    """Cables on other ports of the two devices that they join."""
    if not met:
        return
    holders = {end.end: one for one in placed for end in one.ends if end.port is not None}
    details = [detail(one, meant) for one, meant in met]
    exchanged = {
        at
        for at, (one, meant) in enumerate(met)
        for end in (meant.a, meant.z)
        if end in holders and holders[end] is not one
    }
    one, meant = met[0]
    ends = (one.a.end, one.z.end)
    text = f"{words.cable(*ends)}, planned {words.cable(meant.a, meant.z)}"
    for end in (meant.a, meant.z):
        holder = holders.get(end)
        if holder is not None and holder is not one:
            other = next((each.end for each in holder.ends if each.end != end), end)
            text += f"; {words.end(end)} holds {words.end(other)}"
            break
    text = f"works as planned: {_on_other_ports(len(met))}{text}: correct the plan instead?"
    yield _folded("swapped" if exchanged else "moved", text, words, details)


def _on_other_ports(many: int) -> str:
    if many == 1:
        return ""
    return f"{counted(many, 'cable')} on other ports of the devices that they join, the first: "


def slips(words: PlanWords, met: Sequence[Met]) -> Iterator[CablingDifference]:
    """Cables of adapters that the plan does not know, where a cable of that host is planned."""
    if not met:
        return
    one, meant = met[0]
    several = ""
    if len(met) > 1:
        several = f"{counted(len(met), 'cable')} at host ports that the plan does not know, such as"
        several += " "
    text = (
        f"{several}found {words.cable(one.a.end, one.z.end)} where the plan says "
        f"{words.cable(meant.a, meant.z)}: the host has no such port; a slip of the plan? "
        "correct the plan instead?"
    )
    yield _folded("moved", text, words, [detail(one, meant) for one, meant in met])


def exchanged(
    words: PlanWords, plan: Cabling, circles: Sequence[Mapping[str, str]]
) -> Iterator[CablingDifference]:
    """Devices that are cabled as others of their kind: one difference for hosts, one for others.

    Details have the planned device twice: by the name that it has, and by what it is cabled as.
    """
    by_kind: dict[bool, list[Mapping[str, str]]] = defaultdict(list)
    for circle in circles:
        by_kind[plan.devices[next(iter(circle))].kind == "host"].append(circle)
    for is_host, held in by_kind.items():
        known = sorted((plan.devices[key].name for circle in held for key in circle), key=natural)
        names = " and ".join(known)
        if len(known) > 2:
            kind = counted(len(known), "host" if is_host else "switch")
            names = f"{kind} ({', '.join(known[:3])}{', ...' if len(known) > 3 else ''})"
        details = [
            CableDetail(ListedEnd(own, ""), ListedEnd(other, ""), None, "")
            for circle in held
            for own, other in circle.items()
        ]
        text = (
            f"works as planned: {names} stand for each other, each with all cables of the other: "
            "no cable has to be moved; exchange their names, or correct the plan"
        )
        yield _folded("swapped", text, words, details)


def outside(
    words: PlanWords, dump: Cabling, placed: Sequence[PlacedCable], notes: list[str]
) -> Iterator[CablingDifference]:
    """What the plan does not hold: a difference for each device, none of them a fault."""
    strange = [one for one in placed if one.a.outside and one.z.outside]
    if strange:
        text = f"the first {words.cable(strange[0].a.end, strange[0].z.end)}"
        many = counted(len(strange), "cable")
        notes.append(
            f"{many} between devices of the dump that the plan does not hold, {text}: are these "
            "two fabrics in one dump?"
        )
        text = f"{many} among devices that are not in the plan, {text}"
        yield _folded("outside", text, words, [detail(one) for one in strange])
    by_device: dict[str, list[PlacedCable]] = defaultdict(list)
    for one in placed:
        if one.a.outside != one.z.outside:
            key = (one.a if one.a.outside else one.z).vertex[1]
            by_device[UNKNOWN if dump.devices[key].unnamed else key].append(one)
    for key, cables in by_device.items():
        strange_end, at = cables[0].ends if cables[0].a.outside else cables[0].ends[::-1]
        name = dump.devices[strange_end.vertex[1]].name
        many = counted(len(cables), "cable")
        what = f"{name} ({many})"
        if key == UNKNOWN and len(cables) > 1:
            what = f"{many} of adapters without a name, the first {name}"
        text = f"{what} at {words.end(at.end)}: not in the plan"
        yield _folded("outside", text, words, [detail(one) for one in cables])


def detail(one: PlacedCable, meant: ListedCable | None = None) -> CableDetail:
    """A found cable, with the planned one that it is."""
    expected = None if meant is None else (meant.a, meant.z)
    return CableDetail(one.a.end, one.z.end, expected, one.cable.place)


def _folded(
    kind: DifferenceKind, text: str, words: PlanWords, details: list[CableDetail]
) -> CablingDifference:
    first = details[0]
    return CablingDifference(
        kind, False, text, first.a, first.z, first.expected, details=details, place=first.place,
        spot=words.spot(first.z, first.a),
    )  # fmt: skip


_ALL_ALIKE = 0.5
_SLOWER = 0.97
"""Nominal rates of SDR to QDR and FDR are rounded in plans: 14.0625 x 4 is called 56."""


def slow_cables(
    words: PlanWords, met: Sequence[Met], notes: list[str]
) -> Iterator[CablingDifference]:
    """Links that are slower than planned; where most of a speed are, that is one note instead."""
    known: dict[float, list[Met]] = defaultdict(list)
    for one, meant in met:
        if meant.speed_gbit is not None and one.cable.speed_gbit is not None:
            known[meant.speed_gbit].append((one, meant))
    usual: dict[float, float] = {}
    for wanted, links in known.items():
        speed, times = Counter(one.cable.speed_gbit for one, _ in links).most_common(1)[0]
        if speed is not None and speed < _SLOWER * wanted and times > _ALL_ALIKE * len(links):
            usual[wanted] = speed
    marked = [(one, meant) for one, meant in met if one.cable.degraded]
    if len(marked) > _ALL_ALIKE * len(met):
        notes.append(
            f"{counted(len(marked), 'link', 'say')} that they could be faster "
            f"({marked[0][0].cable.degraded})"
        )
        marked = []
    for one, meant in marked:
        yield _slow(words, one.cable, meant, one.cable.degraded, usual)
    told = {id(one) for one, _ in marked}
    for wanted, links in known.items():
        speed = usual.get(wanted, wanted)
        slower = [met for met in links if (met[0].cable.speed_gbit or 0) < _SLOWER * wanted]
        if wanted in usual:
            notes.append(
                f"{counted(len(slower), 'link')} planned at {wanted:g} Gb/s below that speed, most "
                f"of them at {speed:g} Gb/s: a simulated fabric, or the plan is of another "
                "generation?"
            )
        for one, meant in slower:
            if id(one) not in told and (one.cable.speed_gbit or 0) < _SLOWER * speed:
                why = f"{one.cable.speed_gbit:g} of {speed:g} Gb/s"
                yield _slow(words, one.cable, meant, why, usual)


def _slow(
    words: PlanWords, one: ListedCable, meant: ListedCable, why: str, usual: Mapping[float, float]
) -> CablingDifference:
    return CablingDifference(
        "degraded", True,
        f"{words.cable(meant.a, meant.z)}: runs degraded ({why}): reseat or replace the cable, "
        "check both plugs",
        meant.a, meant.z, (meant.a, meant.z), [meant], place=one.place,
        spot=words.spot(meant.z, meant.a), runs_at=_runs_at(one, meant, usual),
    )  # fmt: skip


def _runs_at(
    one: ListedCable, meant: ListedCable, usual: Mapping[float, float]
) -> float | str | None:
    """What a cable runs at: Gb/s, or a share where all of its kind are of another generation."""
    got, wanted = one.speed_gbit, meant.speed_gbit
    if got is None or wanted is None:
        return None
    common = usual.get(wanted)
    if common is not None:
        return f"{100 * got / common:g} %" if got < common else None
    return got if got < _SLOWER * wanted else None
