"""Single cables of a plan or a dump: devices, ports, and what was left out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from toposmith.as_built.port_names import by_style, port_map
from toposmith.errors import ToposmithError
from toposmith.foreign_values import require_short_numbers
from toposmith.plain_text import visible

ListedKind = Literal["host", "switch", "unknown"]

_PLACES_KEPT = 3
_NOTES_KEPT = 6


class UnreadableError(ToposmithError):
    """A dump or plan that cannot be read or matched; with place, finding and expectation."""


class ListedEnd(NamedTuple):
    """One end of a cable: the key of a device, and the port as its file labels it."""

    device: str
    port: str


class ListedCable(NamedTuple):
    """One cable, or one leg of a splitter.

    Parameters
    ----------
    a, z : ListedEnd
        Both ends, in no particular order.
    speed_gbit : float or None
        Nominal rate, width times lane, Gb/s; None where the file does not say.
    place : str
        ``file:line``.
    degraded : str
        The dump's own remark, such as ``Could be 4X``.
    label : str
        What the cable bears, where the file says.
    """

    a: ListedEnd
    z: ListedEnd
    speed_gbit: float | None = None
    place: str = ""
    degraded: str = ""
    label: str = ""

    def ends(self) -> tuple[ListedEnd, ListedEnd]:
        """Both ends in one order, whichever the file has first."""
        return (self.a, self.z) if self.a <= self.z else (self.z, self.a)


@dataclass
class ListedDevice:
    """A device by its name.

    Parameters
    ----------
    name : str
        As shown; safe for a terminal.
    kind : str
        host, switch or unknown.
    unnamed : bool
        Whether the name is a maker's default or shared by several devices.
    group : str
        Devices with the same port labels: the group of a design, or empty.
    number : int
        Its number within the group of a design, or -1.
    spot : str
        Rack and lowest U, where that is known.
    facts : dict of str to list of str
        What tells this very device from another in its place: ``guid``, ``serial``, ``mac``.
    """

    name: str
    kind: ListedKind = "unknown"
    unnamed: bool = False
    group: str = ""
    number: int = -1
    spot: str = ""
    facts: dict[str, list[str]] = field(default_factory=dict)

    def know(self, kind: str, value: str) -> None:
        """Add what is known of this very device, once."""
        known = self.facts.setdefault(kind, [])
        if value not in known:
            known.append(value)


@dataclass
class Cabling:
    """All cables of a plan or dump.

    Parameters
    ----------
    source : str
        The file, or files.
    form : str
        What the file was recognised as.
    devices : dict of str to ListedDevice
        By key: the name in lower case, or an address where the name says nothing.
    cables : list of ListedCable
        Each cable once.
    ignored : Counter
        How many lines or links were left out, by reason.
    places : dict of str to list of str
        The first few places of each reason.
    notes : list of str
        Further remarks for the reader.
    observed : set of str or None
        The devices that report their cables, by key; None where the dump is of the whole fabric.
    """

    source: str
    form: str = ""
    devices: dict[str, ListedDevice] = field(default_factory=dict)
    cables: list[ListedCable] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    observed: set[str] | None = None

    def ignore(self, reason: str, place: str) -> None:
        """Count what is left out, with the first places of it."""
        self.ignored[reason] += 1
        kept = self.places.setdefault(reason, [])
        if len(kept) < _PLACES_KEPT:
            kept.append(place)

    def device(
        self, key: str, name: str, kind: ListedKind = "unknown", *, unnamed: bool = False
    ) -> str:
        """Register a device by its key; a kind that is learnt later is stored."""
        held = self.devices.get(key)
        if held is None:
            self.devices[key] = ListedDevice(name, kind, unnamed)
        elif held.kind == "unknown":
            held.kind = kind
        return key

    def ignored_lines(self) -> list[str]:
        """What was left out, one line for each reason."""
        return [
            f"{many} left out: {reason} ({', '.join(self.places[reason])}"
            + (", ...)" if many > len(self.places[reason]) else ")")
            for reason, many in self.ignored.items()
        ]

    def _name_ports_once(self) -> None:
        """Call ports as their own switch does where neighbours call them otherwise (``etp17``)."""
        own: dict[tuple[str, str], set[str]] = {}
        told: dict[tuple[str, str], set[str]] = {}
        for cable in self.cables if self.observed else ():
            (one, port), (other, far) = cable.a, cable.z
            own.setdefault((one, other), set()).add(port)
            told.setdefault((other, one), set()).add(far)
        names: dict[ListedEnd, str] = {}
        for (key, other), labels in told.items():
            held = own.get((key, other), set())
            if (
                self.devices[key].kind == "host"
                or by_style(frozenset(held)).keys() >= by_style(frozenset(labels)).keys()
            ):
                continue
            aliases = frozenset(labels - held)
            for alias, name in port_map(frozenset(held), aliases).items():
                names[ListedEnd(key, alias)] = name
        if names:
            self.cables = [
                one._replace(
                    a=one.a._replace(port=names.get(one.a, one.a.port)),
                    z=one.z._replace(port=names.get(one.z, one.z.port)),
                )
                for one in self.cables
            ]

    def settle(self) -> Cabling:
        """Give each port one name, drop duplicate cables, and note ports with two peers."""
        for cable in self.cables:
            for end in (cable.a, cable.z):
                require_short_numbers(end.port, cable.place)
        self._name_ports_once()
        kept: dict[tuple[ListedEnd, ListedEnd], ListedCable] = {}
        taken: dict[ListedEnd, ListedCable] = {}
        for cable in self.cables:
            ends = cable.ends()
            if cable.a == cable.z:
                self.ignore("a port joined to itself", cable.place)
                continue
            before = kept.get(ends)
            if before is not None:
                if cable.degraded and not before.degraded:
                    kept[ends] = before._replace(degraded=cable.degraded)
                continue
            for end in ends:
                other = taken.get(end)
                if other is not None and end.port:
                    words = f"{self.devices[end.device].name} port {end.port}"
                    self.notes.append(
                        f"{words} leads to two places ({other.place} and {cable.place}): "
                        "one is wrong, or they are of different times"
                    )
                taken[end] = cable
            kept[ends] = cable
        self.cables = list(kept.values())
        used = {end.device for cable in self.cables for end in (cable.a, cable.z)}
        alone = [key for key in self.devices if key not in used]
        for key in alone:
            del self.devices[key]
        if len(self.notes) > _NOTES_KEPT:
            self.notes[_NOTES_KEPT:] = [f"and {len(self.notes) - _NOTES_KEPT} more such lines"]
        return self


def merged(cablings: Iterable[Cabling]) -> Cabling:
    """Several dumps of one fabric as one; a cable in two of them counts once."""
    all_of_them = list(cablings)
    if len(all_of_them) == 1:
        return all_of_them[0]
    whole = Cabling(
        source=", ".join(one.source for one in all_of_them),
        form=", ".join(dict.fromkeys(one.form for one in all_of_them)),
    )
    for one in all_of_them:
        for key, device in one.devices.items():
            held = whole.devices.get(key)
            if held is None or held.kind == "unknown":
                whole.devices[key] = device
            for known in () if held is None else (held, device):
                for kind, values in known.facts.items():
                    for value in values:
                        whole.devices[key].know(kind, value)
        whole.cables += one.cables
        whole.ignored += one.ignored
        for reason, places in one.places.items():
            kept = whole.places.setdefault(reason, [])
            kept += places[: _PLACES_KEPT - len(kept)]
        whole.notes += one.notes
    seen = [one.observed for one in all_of_them]
    whole.observed = None if None in seen else set().union(*(one for one in seen if one))
    return whole.settle()


# Node descriptions that drivers and firmware set until the host gets a name.
_GENERIC = re.compile(
    r"^$|mellanox technologies|mellanox hca|^mt\d+\b|^localhost\b|^ubuntu\b|infiniscale|voltaire"
    r"|^\(none\)|^unknown|^connectx|^quantum\b|^switch$|nodeinfo|qlogic|^omnipath|^dhcp\b",
    re.I,
)
AGGREGATION = re.compile(r"aggregation node", re.I)
_MANAGED = re.compile(r"^MF\d+;\s*(.+?):([\w.-]+)((?:/[A-Z]+\d+)+)\s*$")
_MANAGEMENT = re.compile(r"^(mgmt|ma|management|me0|em0|fxp0|eth0|oob|bmc|ipmi|idrac)", re.I)


def is_generic(description: str) -> bool:
    """Whether a node description is a default that several devices may have."""
    return bool(_GENERIC.search(description.strip()))


def is_management(port: str) -> bool:
    """Whether a port is one of the management network, which no plan of the fabric holds."""
    return bool(_MANAGEMENT.match(port.strip()))


def key_of(name: str) -> str:
    """The key of a device by its name: upper and lower case, and blanks around it, are one."""
    return visible(name).strip().casefold()


def short_name(name: str) -> str:
    """The name without its domain and without a serial number in brackets behind it."""
    bare = re.sub(r"\([^()]*\)$", "", name.strip())
    if re.fullmatch(r"[\d.:]+", bare):
        return bare
    first, dot, rest = bare.partition(".")
    return first if dot and not rest[:1].isdigit() and first else bare


def switch_of(description: str) -> tuple[str, str]:
    """The switch of a description, and which chip of its chassis it is (empty for a lone one).

    ``MF0;core1:MCS8500/L16/U2`` is chip ``L16/U2`` of ``core1``; ``MF0;leaf1:MQM8700/U1`` has one.
    """
    found = _MANAGED.match(description.strip())
    if not found:
        return description.strip(), ""
    units = found.group(3).strip("/").split("/")
    return found.group(1), "/".join(units) if len(units) > 1 else ""


def host_of(description: str) -> tuple[str, str]:
    """The host of a description and the label of its adapter, ``mlx5_0`` of ``node1 mlx5_0``."""
    words = description.split()
    if len(words) < 2:
        return description.strip(), ""
    return " ".join(words[:-1]), words[-1]


def adapter_label(device: str, port: str) -> str:
    """The label of a host's port without the host's own name before it."""
    label, name = port.strip(), device.strip()
    if label.casefold().startswith(name.casefold()):
        label = label[len(name) :].strip(" -_:")
    return label


_HOST_PORT = re.compile(r"^(en|eth\d|ib|mlx|hca|compute|storage|osfp\d+ p|p\d)", re.I)


def know_kinds(cabling: Cabling) -> None:
    """Infer the kind of devices from their port names, where the file does not state it."""
    ports: dict[str, list[str]] = defaultdict(list)
    for cable in cabling.cables:
        for end in (cable.a, cable.z):
            if cabling.devices[end.device].kind == "unknown":
                ports[end.device].append(end.port)
    for key, labels in ports.items():
        hosts = sum(
            bool(_HOST_PORT.match(label)) and not label.startswith("Ethernet") for label in labels
        )
        cabling.devices[key].kind = "host" if 2 * hosts > len(labels) else "switch"
