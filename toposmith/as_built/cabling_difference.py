"""One difference between what is cabled and what is planned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.device_matches import Match

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
