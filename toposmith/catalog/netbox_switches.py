"""Switches from NetBox device types (the YAML files of its device type library).

Such a file says how high and heavy a switch is and lists its interfaces by name and type. What it
does not say stays unknown: breakouts, the chip, the buffer, what it draws.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.own_part import (
    Imported,
    ImportRefused,
    checked,
    file_name,
    new_id,
    refusing_invalid,
)
from toposmith.catalog.part_checks import CAGE_LANES
from toposmith.catalog.part_file import PartFile, read_part_file
from toposmith.catalog.parts import Switch
from toposmith.catalog.pieces import Cage, Cages, HeatSink, PortMode, PowerSupplies, Protocol
from toposmith.foreign_values import long_number
from toposmith.plain_text import shown, visible
from toposmith.text import counted


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


FEWEST_PORTS = 8  # of a switch; servers and chassis list fewer of their own

_KILOGRAMS = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125}
_MANAGEMENT = re.compile(r"(mgmt|management|eth|me|em|fxp|oob|bmc|console)[-_ ]?\d*", re.I)
_FEW = 4  # RJ45 sockets beside faster cages: how one manages the switch, no network
# SX60xx are SwitchX-2 InfiniBand switches of FDR; SX10xx of the same chip are Ethernet.
_FDR_MODEL = re.compile(r"M?SX60\d\d", re.I)
_INFINIBAND_MODEL = re.compile(r"M?(QM|SB|SX6|CS[78])\d|Q3\d{3}", re.I)
_PORTS_IN_NAME = re.compile(r"(?<![0-9A-Za-z])(\d{2,3})[A-Z]{0,3}(?![0-9A-Za-z])")
_TERABITS = re.compile(r"(\d+(?:\.\d+)?)\s*Tb(?:ps|it/s|/s)", re.I)


def import_netbox(path: Path, catalog: Catalog, *, part_id: str | None = None) -> Imported:
    """Make a switch from a NetBox device type.

    Parameters
    ----------
    path : Path
        The YAML file.
    catalog : Catalog
        Which parts there are already; the new one gets an id that is free.
    part_id : str, optional
        The id of the new part; by default derived from the file's slug.

    Returns
    -------
    Imported
        The switch, and what looks wrong in the file or could not be imported.

    Raises
    ------
    ImportRefused
        When the file is no device type, or that of a server, a chassis or a patch panel.
    """
    file, fields = _read(path)
    with refusing_invalid(path):
        return _DeviceType(path, file, fields, catalog).imported(part_id)


def _read(path: Path) -> tuple[PartFile, dict[str, Any]]:
    try:
        text = read_part_file(path)
    except OSError as error:
        raise _refused(path, 1, f"cannot be read: {error.strerror or error}") from None
    file = PartFile(str(path), text, wanted="a NetBox device type")
    fields = file.fields()
    if file.problems:
        raise ImportRefused(file.problems)
    lacking = [name for name in ("manufacturer", "model") if not str(fields.get(name) or "")]
    if lacking:
        raise _refused(path, 1, f"no NetBox device type: {' and '.join(lacking)} missing")
    return file, fields


def _refused(path: Path, line: int, why: str) -> ImportRefused:
    return ImportRefused([visible(f"{path}:{line}: {why}")])


@dataclass
class _DeviceType:
    """A device type while it is read, with notes about it."""

    path: Path
    file: PartFile
    fields: dict[str, Any]
    catalog: Catalog
    notes: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)

    def imported(self, part_id: str | None) -> Imported:
        families = self._network(port_families(list(self._interfaces()), PORT_TYPES))
        families[0] = self._at_infiniband_rate(families[0])
        main, others = families[0], families[1:]
        model = self._text("model")
        switch = Switch(
            id=part_id or new_id(self._text("slug") or model, self.catalog),
            name=f"{self._text('manufacturer')} {model}",
            vendor=self._text("manufacturer"),
            part_number=self._text("part_number") or None,
            rack_units=self._number("u_height"),
            weight_kg=self._weight(),
            protocol=self._protocol(main),
            cages=main.cages(),
            more_cages=tuple(family.cages() for family in others),
            power_supplies=self._power_supplies(),
            source=f"NetBox device type {file_name(self.path)}",
            unverified=tuple(self.unverified),
        )
        self._compare(switch, families)
        parts = checked([switch], self.catalog, str(self.path))
        return Imported(parts, tuple(map(visible, self.notes)))

    def _interfaces(self) -> Iterator[Interface]:
        """The interfaces that are listed for the network; of others only the count is noted."""
        other: Counter[str] = Counter()
        seen: set[str] = set()
        listed = self.fields.get("interfaces")
        for number, entry in enumerate(listed if isinstance(listed, list) else ()):
            line = self.file.line("interfaces", number)
            if not isinstance(entry, dict):
                self._note(line, f"an interface was expected, found {shown(entry)}; left out")
                continue
            name, kind = str(entry.get("name", "")), str(entry.get("type", ""))
            if (fault := long_number(name)) is not None:
                raise _refused(self.path, line, f"name: {fault}")
            if name in seen:
                self._note(line, f"interface {shown(name)} is listed twice; counted once")
            elif not entry.get("mgmt_only") and kind not in NO_PORTS:
                if kind not in PORT_TYPES:
                    other[kind] += 1
                yield Interface(name, kind, line)
            seen.add(name)
        for kind, count in other.items():
            line = self.file.line("interfaces")
            self._note(line, f"{count} x {shown(kind)} left out: the catalog has no such cage")

    def _network(self, families: list[PortFamily]) -> list[PortFamily]:
        """The families that links can use; the main one first."""
        line = self.file.line("interfaces")
        if not families or families[0].ports < FEWEST_PORTS:
            raise _refused(self.path, line, self._no_switch(families))
        main, kept = families[0], families[:1]
        for family in families[1:]:
            names = ", ".join(family.names)
            same_cage = family.type == main.type and family.ports < FEWEST_PORTS
            if family.type.cage == "rj45" and family.ports <= _FEW:
                self._note(line, f"{names} taken for management sockets; left out")
            elif same_cage or all(_MANAGEMENT.fullmatch(name) for name in family.names):
                self._note(line, f"{names} differ from the other ports; left out")
            else:
                kept.append(family)
        for family in kept:
            self._tell(line, family)
        return kept

    def _tell(self, line: int, family: PortFamily) -> None:
        """Note what was inferred about a family of ports."""
        cage = family.type.cage.upper()
        if family.missing:
            self._doubt("cages")
            listed = f"its list has {counted(len(family.names), 'port')} of {family.type.gbit} Gb/s"
            missing = f"{', '.join(family.missing)} missing from their numbers"
            self._note(line, f"{listed}, {missing}; counted as {family.ports}")
        if family.split > 1:
            self._doubt("cages")
            self._note(line, f"{family.split} interfaces for each {cage} cage; counted as one port")
        elif family.ports_of_a_cage > 1:
            self._doubt("cages")
            count = family.cages().count
            self._note(
                line, f"{counted(family.ports, 'port')} taken for {count} twin-port {cage} cages"
            )
        elif family.type.cage_ports > 1:
            self._doubt("cages")
            names_ports = counted(family.ports, "port", "do")
            self._note(line, f"{names_ports} not fill twin-port {cage} cages evenly")

    def _no_switch(self, families: list[PortFamily]) -> str:
        bays = [name for name in ("device-bays", "module-bays") if self.fields.get(name)]
        found = ", ".join(f"{f.ports} x {f.type.gbit} Gb/s {f.type.cage.upper()}" for f in families)
        why = f"no switch: {found or 'no network ports'}, and a switch has {FEWEST_PORTS} or more"
        if bays:
            return f"{why}. Ports of servers and chassis are those of what sits in their bays: " + (
                "write a node part, or import the NCCL topology file of such a server"
            )
        return why

    def _protocol(self, main: PortFamily) -> Protocol:
        """The protocol of the types; library files give InfiniBand switches Ethernet types."""
        named_so = all(name.upper().startswith("IB") for name in main.names)
        if main.type.protocol == "infiniband":
            return "infiniband"
        if named_so or _INFINIBAND_MODEL.match(self._text("model")):
            self._doubt("protocol")
            self._note(
                self.file.line("interfaces"),
                "Ethernet types, but the name is that of an InfiniBand switch; taken as InfiniBand",
            )
            return "infiniband"
        return "ethernet"

    def _at_infiniband_rate(self, main: PortFamily) -> PortFamily:
        """FDR where the QSFP+ cages of an SX60 switch are typed as 40GbE, their other rate."""
        if main.type != PORT_TYPES["40gbase-x-qsfpp"] or not _FDR_MODEL.match(self._text("model")):
            return main
        self._doubt("cages")
        self._note(
            self.file.line("interfaces"),
            "40GbE types, but the name is that of an FDR switch; taken as InfiniBand of 56 Gb/s",
        )
        return replace(main, type=PORT_TYPES["infiniband-fdr"])

    def _weight(self) -> float | None:
        weight, unit = self._number("weight"), self._text("weight_unit") or "kg"
        if weight is None:
            return None
        if unit not in _KILOGRAMS:
            line = self.file.line("weight_unit")
            self._note(line, f"weight in {shown(unit)}, kg, g, lb or oz is wanted; left out")
            return None
        return round(weight * _KILOGRAMS[unit], 2)

    def _power_supplies(self) -> PowerSupplies | None:
        """Power inlets; the draw that is listed is mostly the rating, and never the consumption."""
        ports = self.fields.get("power-ports")
        draws = [
            port.get("maximum_draw")
            for port in (ports if isinstance(ports, list) else ())
            if isinstance(port, dict)
        ]
        rated = [draw for draw in draws if isinstance(draw, int) and draw > 0]
        if not rated or len(set(rated)) > 1 or len(rated) != len(draws):
            return None
        self._doubt("power_supplies")
        line = self.file.line("power-ports")
        self._note(
            line,
            f"maximum_draw of {rated[0]} W taken for the rating of each of {len(rated)} "
            "power supplies; what the switch draws stays unknown",
        )
        return PowerSupplies(count=len(rated), rating_w=rated[0])

    def _compare(self, switch: Switch, families: list[PortFamily]) -> None:
        """Note ports that contradict the name, the comments, or the catalog."""
        for text in dict.fromkeys([self._text("model"), self._text("part_number")]):
            if (number := _ports_by_name(text)) and number not in _counts(families):
                line = self.file.line("interfaces")
                self._note(
                    line, f"{text} sounds like {counted(number, 'port')}, not {switch.ports}"
                )
        whole, main = sum(family.gbit for family in families), families[0].gbit
        for found in _TERABITS.findall(self._text("comments")):
            if 1000 * float(found) not in (whole, 2 * whole, main, 2 * main):
                line = self.file.line("comments")
                self._note(line, f"comments speak of {found} Tb/s, the ports make {whole / 1000:g}")
        known = self._same_in_catalog()
        if known is not None:
            line = self.file.line("model")
            self._note(line, f"the catalog has this switch as {known.id}; its id would replace it")
            if (known.ports, known.native) != (switch.ports, switch.native):
                ours = f"{known.ports} x {known.native.speed_gbit} Gb/s"
                theirs = f"{switch.ports} x {switch.native.speed_gbit} Gb/s"
                self._note(line, f"the catalog's {known.id} has {ours}, this file {theirs}")

    def _same_in_catalog(self) -> Switch | None:
        """The switch of the catalog that has the file's part number, or its name as an id."""
        names = {self._text(name).lower() for name in ("model", "slug", "part_number")} - {""}
        names |= {name.partition("-")[2] for name in names if "-" in name}
        for known in self.catalog.of_kind("switch"):
            if known.id in names or (known.part_number or "-").lower() in names:
                return known if isinstance(known, Switch) else None
        return None

    def _text(self, name: str) -> str:
        value = self.fields.get(name)
        return "" if value is None else " ".join(str(value).split())

    def _number(self, name: str) -> float | None:
        value = self.fields.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
        if value:
            self._note(self.file.line(name), f"{name}: {shown(value)} is no figure; left out")
        return None

    def _doubt(self, name: str) -> None:
        if name not in self.unverified:
            self.unverified.append(name)

    def _note(self, line: int, what: str) -> None:
        self.notes.append(f"{self.path}:{line}: {what}")


def _ports_by_name(text: str) -> int | None:
    """The number of ports in a model name: 64 of ``7060X6-64PE``."""
    numbers = [int(found) for found in _PORTS_IN_NAME.findall(text)]
    return next((number for number in numbers if 16 <= number <= 256), None)


def _counts(families: list[PortFamily]) -> set[int]:
    """Counts that a name may mean by its ports: of one sort, of its cages, or of all."""
    each = {family.ports for family in families} | {family.cages().count for family in families}
    return each | {sum(family.ports for family in families)}
