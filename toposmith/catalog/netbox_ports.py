"""The ports of a NetBox device type: which interfaces share a cage, which are missing.

NetBox lists interfaces one by one and by name. Some files have a line for each cage, some for each
port of a twin-port cage (``P22.0`` and ``P22.1``), and some leave a few out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toposmith.catalog.part_checks import CAGE_LANES
from toposmith.catalog.pieces import Cage, Cages, HeatSink, PortMode, Protocol


@dataclass(frozen=True)
class PortType:
    """An interface type of ``gbit`` Gb/s; ``cage_ports`` such ports always share a cage."""

    cage: Cage
    lanes: int
    gbit: int
    protocol: Protocol = "ethernet"
    heat_sink: HeatSink | None = None
    cage_ports: int = 1


_FOUR = 4
_EIGHT = 8

PORT_TYPES: dict[str, PortType] = {
    "1000base-t": PortType("rj45", 1, 1),
    "10gbase-t": PortType("rj45", 1, 10),
    "10gbase-x-sfpp": PortType("sfp+", 1, 10),
    "25gbase-x-sfp28": PortType("sfp28", 1, 25),
    "40gbase-x-qsfpp": PortType("qsfp+", _FOUR, 40),
    # An older name of FDR, which files of the library still have.
    "56gbase-x-qsfp+": PortType("qsfp+", _FOUR, 56, "infiniband"),
    "100gbase-x-qsfp28": PortType("qsfp28", _FOUR, 100),
    "100gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 100),
    "200gbase-x-qsfp56": PortType("qsfp56", _FOUR, 200),
    "200gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 200),
    "400gbase-x-qsfp112": PortType("qsfp112", _FOUR, 400),
    "400gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 400),
    "400gbase-x-osfp": PortType("osfp", _EIGHT, 400),
    "400gbase-x-osfp-rhs": PortType("osfp", _EIGHT, 400, heat_sink="flat"),
    "800gbase-x-qsfpdd": PortType("qsfp-dd800", _EIGHT, 800),
    "800gbase-x-osfp": PortType("osfp", _EIGHT, 800),
    "1.6tbase-x-osfp1600": PortType("osfp", _EIGHT, 1600),
    "1.6tbase-x-osfp1600-rhs": PortType("osfp", _EIGHT, 1600, heat_sink="flat"),
    "infiniband-qdr": PortType("qsfp+", _FOUR, 40, "infiniband"),
    "infiniband-fdr10": PortType("qsfp+", _FOUR, 40, "infiniband"),
    "infiniband-fdr": PortType("qsfp+", _FOUR, 56, "infiniband"),
    "infiniband-edr": PortType("qsfp28", _FOUR, 100, "infiniband"),
    "infiniband-hdr": PortType("qsfp56", _FOUR, 200, "infiniband"),
    # Switches have these rates in twin-port OSFP cages only (NVIDIA QM97xx and Q3x00 manuals).
    "infiniband-ndr": PortType("osfp", _EIGHT, 400, "infiniband", cage_ports=2),
    "infiniband-xdr": PortType("osfp", _EIGHT, 800, "infiniband", cage_ports=2),
}

NO_PORTS = ("virtual", "bridge", "lag", "other")
"""Interface types without a physical port."""


_LAST_NUMBER = re.compile(r"(.*?)(\d+)\D*")
_FEWEST_CAGES = 8  # fewer names that differ before their last number are no cages, but line cards
_MOST_PORTS_OF_A_CAGE = 8


@dataclass(frozen=True)
class Interface:
    """One interface of a device type: its name, its type, and its line in the file."""

    name: str
    type: str
    line: int


@dataclass(frozen=True)
class PortFamily:
    """Ports of one type whose names differ by their numbers alone.

    Parameters
    ----------
    names : tuple of str
        As listed.
    ports_of_a_cage : int
        How many of them share a cage.
    missing : tuple of str
        Names that the numbering implies and the file lacks.
    split : int
        How many interfaces the file has for each port, where it lists the lanes of each cage.
    """

    type: PortType
    names: tuple[str, ...]
    ports_of_a_cage: int
    missing: tuple[str, ...]
    split: int = 1

    @property
    def ports(self) -> int:
        """Ports with those that are missing."""
        return len(self.names) + len(self.missing)

    @property
    def gbit(self) -> int:
        """Gb/s of all ports together, one direction."""
        return self.ports * self.type.gbit

    def cages(self) -> Cages:
        """The cages of these ports in their native mode."""
        together = self.ports_of_a_cage
        return Cages(
            count=-(-self.ports // together),
            cage=self.type.cage,
            lanes=self.type.lanes,
            heat_sink=self.type.heat_sink,
            modes=(PortMode(ports=together, speed_gbit=self.type.gbit),),
        )


def port_families(interfaces: Iterable[Interface], types: dict[str, PortType]) -> list[PortFamily]:
    """Group interfaces of known types by type and by name without numbers.

    The family with most ports comes first; among equals the fastest.
    """
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for interface in interfaces:
        if interface.type in types:
            found[interface.type, re.sub(r"\d+", "#", interface.name)].append(interface.name)
    families = [_family(types[kind], names) for (kind, _), names in found.items()]
    return sorted(families, key=lambda family: (-family.ports, -family.type.gbit))


def _family(kind: PortType, names: Sequence[str]) -> PortFamily:
    by_cage = _by_cage(names)
    together = max((len(numbers) for numbers in by_cage.values()), default=1)
    if len(by_cage) >= _FEWEST_CAGES and together <= _MOST_PORTS_OF_A_CAGE:
        missing = _missing_of_cages(by_cage)
        if together * kind.gbit > _cage_gbit(kind):
            # The lanes of each cage, as if it were always split: one port at the type's rate.
            firsts = tuple(f"{stem}{min(numbers)}" for stem, numbers in by_cage.items())
            return PortFamily(kind, firsts, 1, (), split=together)
        return _believable(PortFamily(kind, tuple(names), together, missing))
    missing = tuple(name for stem, numbers in by_cage.items() for name in _gaps(stem, numbers))
    shared = kind.cage_ports if (len(names) + len(missing)) % kind.cage_ports == 0 else 1
    return _believable(PortFamily(kind, tuple(names), shared, missing))


def _believable(family: PortFamily) -> PortFamily:
    """Where more than a quarter would be missing, the numbers mean something else."""
    if 4 * len(family.missing) > len(family.names):
        return replace(family, missing=())
    return family


def _cage_gbit(kind: PortType) -> int:
    lanes, each = CAGE_LANES[kind.cage]
    return lanes * each


def _by_cage(names: Iterable[str]) -> dict[str, list[int]]:
    """The last number of each name, keyed by the text before it."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for name in names:
        match = _LAST_NUMBER.fullmatch(name)
        if match:
            found[match[1]].append(int(match[2]))
    return dict(found)


def _missing_of_cages(by_cage: dict[str, list[int]]) -> tuple[str, ...]:
    """Ports that some cages have and others lack, and cages that the numbering skips."""
    usual = sorted({number for numbers in by_cage.values() for number in numbers})
    stems = [*by_cage, *_skipped(by_cage)]
    return tuple(
        f"{stem}{number}"
        for stem in stems
        for number in usual
        if number not in by_cage.get(stem, ())
    )


def _skipped(stems: Iterable[str]) -> list[str]:
    """Stems such as ``Ethernet33/`` that are not among ``Ethernet1/`` to ``Ethernet64/``."""
    numbered = [match for stem in stems if (match := _LAST_NUMBER.fullmatch(stem))]
    around = {(match[1], match.string[match.end(2) :]) for match in numbered}
    if len(around) != 1 or not numbered:
        return []
    before, after = around.pop()
    return [f"{name}{after}" for name in _gaps(before, [int(match[2]) for match in numbered])]


def _gaps(stem: str, numbers: Sequence[int]) -> list[str]:
    """Missing names between the first and the last number."""
    there = set(numbers)
    if max(there) - min(there) > 2 * len(there):
        return []
    return [f"{stem}{n}" for n in range(min(there), max(there) + 1) if n not in there]
