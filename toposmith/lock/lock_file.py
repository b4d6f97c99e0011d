"""The lock: one tab-separated line for each device and each cable, sorted, without a digest.

    toposmith-lock  1
    #d  name         group  at           part      rack  u  facts
    d   node-su0-0   node   su=0,node=0  dgx-h100  A01   1
    #p  group        port   called
    p   node         OSFP1 P1  mlx5_0
    #k  kit          part   gbit  a-plug            z-plug
    k   mfp7e10      mfp7e10  400  mma4z00-ns-flt   mma4z00-ns
    #c  a            port   z     port   label  m  kit
    c   node-su0-0   OSFP1 P1  leaf-su0-rail7  1/1  C0001  7  mfp7e10

Split lines are read in a fiftieth of the time of YAML, and git merges them. Nothing in a lock says
whether it fits its design: that is looked at whenever both are read.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

from toposmith.errors import LockError

VERSION = "1"

HEAD = f"toposmith-lock\t{VERSION}"
DEVICE_HEAD = "#d\tname\tgroup\tat\tpart\track\tu\tfacts"
PORT_HEAD = "#p\tgroup\tport\tcalled"
KIT_HEAD = "#k\tkit\tpart\tgbit\ta-plug\tz-plug"
CABLE_HEAD = "#c\ta\tport\tz\tport\tlabel\tm\tkit"

_FIELDS = {"d": 8, "p": 4, "k": 6, "c": 8}
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_CALCULATES = "[=+@-]"
_FORMULA = re.compile(r"(?<=\t)" + _CALCULATES)
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n"})
_ONE_SIGN = bytes.maketrans(b"+@-", b"===")
_SMUGGLED = (
    (_UNPRINTABLE, "a character that cannot be shown"),
    (_FORMULA, "a field that begins like a formula"),
)
_MERGE_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_LABEL = re.compile(r"[A-Za-z0-9_.:/ ]{1,64}(\+[A-Za-z0-9_.:/ ]{1,64})?(-[0-9]{1,3})?")
_OWN_LABELS = re.compile(r"(C[0-9]{1,9}\n)*C[0-9]{1,9}")
_RATE = re.compile(r"([1-9][0-9]{0,6})?")
_LENGTH = re.compile(r"([0-9]{1,7}(\.[0-9]{1,6})?)?")
_RACK = re.compile(r"[A-Z]{1,3}[0-9]{2,4}")
_NOTHING = re.compile("")
_UNIT = re.compile(r"0{0,6}[1-9][0-9]{0,2}")

Kit = tuple[str, str, str, str]
"""What cables are made of: part, rate in Gb/s, and the plug at either end."""

PortName = tuple[str, str]
"""A device and one of its ports, both by name."""


class LockedDevice(NamedTuple):
    """A device: its lasting name, where the design has it, its part, its place, what is known.

    ``at`` are its coordinates as selectors write them, ``su=0,node=3``; ``unit`` is the lowest U,
    empty as ``rack`` is for a device that stands in none. ``facts`` are such as ``guid=0x10``.
    """

    name: str
    group: str
    at: str
    part: str
    rack: str
    unit: str
    facts: str


class LockedCable(NamedTuple):
    """A connection: both ends by name and port, its label, length in m, part, rate and plugs.

    A leg of a splitter has ``-1``, ``-2`` behind its label; a connection of two fibres has
    ``C0001+C0002``; both connections of a straight twin cable have the same label. What is not
    known is empty.
    """

    a: str
    a_port: str
    z: str
    z_port: str
    label: str
    metres: str
    part: str
    gbit: str
    a_plug: str
    z_plug: str

    @property
    def ends(self) -> tuple[PortName, PortName]:
        """Device and port of both ends."""
        return (self.a, self.a_port), (self.z, self.z_port)

    @property
    def body(self) -> str:
        """The label of the whole cable, without its leg."""
        return self.label.partition("-")[0]


@dataclass(eq=False)
class FabricLock:
    """Devices and cables, each sorted.

    ``kits`` are the names of what cables are made of, ``ports`` by group what the metal calls a
    port that the part calls otherwise.
    """

    devices: list[LockedDevice] = field(default_factory=list)
    cables: list[LockedCable] = field(default_factory=list)
    kits: dict[Kit, str] = field(default_factory=dict)
    ports: dict[str, dict[str, str]] = field(default_factory=dict)

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    @cached_property
    def by_name(self) -> dict[str, LockedDevice]:
        """Devices by their lasting name."""
        return {device.name: device for device in self.devices}


NOTHING_BOUND = FabricLock()
"""A lock without a line."""


@cache
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts numbers in a text as numbers."""
    parts = re.split(r"([0-9]+)", text)
    return tuple(
        (0, int(part), part) if _is_number(part) else (1, 0, part) for part in parts if part
    )


def places_of(names: Iterable[str]) -> dict[str, int]:
    """The place of each name in the order that sorts numbers as numbers."""
    return {name: place for place, name in enumerate(sorted(dict.fromkeys(names), key=natural))}


def named_kits(used: Iterable[Kit], before: FabricLock) -> dict[Kit, str]:
    """The names of what the cables of a lock are made of, those of the lock before first."""
    kinds = dict.fromkeys(used)
    named = {kit: before.kits[kit] for kit in kinds if kit in before.kits}
    taken = set(named.values())
    for kit in kinds:
        if kit not in named:
            named[kit] = _free_name(kit[0] or "unknown", taken)
            taken.add(named[kit])
    return named


def _free_name(part: str, taken: Collection[str]) -> str:
    """``part``, else with the first number behind it that is free."""
    turn, name = 1, part
    while name in taken:
        turn += 1
        name = f"{part}.{turn}"
    return name


def lock_text(lock: FabricLock) -> str:
    """The text of a lock that is in its order."""
    devices = ["d\t" + "\t".join(device) for device in lock.devices]
    called = [
        f"p\t{group}\t{port}\t{name}"
        for group, names in sorted(lock.ports.items())
        for port, name in sorted(names.items(), key=lambda one: natural(one[0]))
    ]
    ports = [PORT_HEAD, *called] if called else []
    kits = sorted("k\t" + "\t".join((name, *kit)) for kit, name in lock.kits.items())
    cables = ["c\t" + "\t".join((*cable[:6], lock.kits[cable[6:10]])) for cable in lock.cables]
    lines = [HEAD, DEVICE_HEAD, *devices, *ports, KIT_HEAD, *kits, CABLE_HEAD, *cables, ""]
    return "\n".join(lines)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection, which would double the time of what is done with many lines."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@uncollected()
def read_lock(text: str) -> FabricLock:
    """Read a lock.

    Raises
    ------
    LockError
        With the line that cannot be read, and what to do.
    """
    first = text.partition("\n")[0]
    if first != HEAD:
        raise _no_lock(first)
    _refuse_smuggled(text)
    lock = FabricLock()
    kits: dict[str, Kit] = {}
    head, mark, rest = text.partition(f"\n{CABLE_HEAD}\n")
    before = head.split("\n")
    _read_lines(before, 1, lock, kits)
    cables = _sound_cables(rest, kits) if mark else []
    if cables is None:
        _read_lines(rest.split("\n"), len(before) + 2, lock, kits)
    else:
        lock.cables += cables
    return lock


def lock_schema() -> dict[str, Any]:
    """The JSON Schema of the lines of a lock, each as the array of its fields."""
    first = {"type": "string", "not": {"pattern": _UNPRINTABLE.pattern}}
    others = {"type": "string", "not": {"pattern": f"{_UNPRINTABLE.pattern}|^{_CALCULATES}"}}
    rows = [
        _row_schema(DEVICE_HEAD, rack=_RACK, u=_UNIT),
        _row_schema(DEVICE_HEAD, rack=_NOTHING, u=_NOTHING),
        _row_schema(PORT_HEAD),
        _row_schema(KIT_HEAD, gbit=_RATE),
        _row_schema(CABLE_HEAD, label=_LABEL, m=_LENGTH),
        {"prefixItems": [{"pattern": "^#"}]},
        {"const": [""]},
    ]
    line = {"type": "array", "prefixItems": [first], "items": others, "minItems": 1}
    return {
        "description": "The lines of a lock, each as the array of its fields, which tabs part.",
        "type": "array",
        "minItems": 1,
        "prefixItems": [{"const": HEAD.split("\t")}],
        "items": line | {"anyOf": rows},
    }


def _row_schema(head: str, **patterns: re.Pattern[str]) -> dict[str, Any]:
    """The schema of a line with the fields that a head names."""
    kind, *names = head.removeprefix("#").split("\t")
    fields = [
        {"title": name, "pattern": f"^({patterns[name].pattern})$" if name in patterns else ""}
        for name in names
    ]
    return {"prefixItems": [{"const": kind}, *fields], "minItems": 1 + len(fields), "items": False}


def _read_lines(lines: list[str], first: int, lock: FabricLock, kits: dict[str, Kit]) -> None:
    """Read lines one by one, the first of this number; raises LockError at a fault."""
    labels: set[str] = set()
    lengths: set[str] = set()
    for number, line in enumerate(lines, first):
        fields = line.split("\t")
        kind = fields[0]
        if len(fields) != _FIELDS.get(kind):
            if line and line[0] != "#" and number > 1:
                raise _unreadable(number, line)
        elif kind == "c":
            kit = kits.get(fields[7])
            if kit is None:
                raise LockError(
                    f"line {number}: kit {fields[7]!r} is not among the lines of kits; "
                    "restore its line, or write the lock anew"
                )
            if fields[5] not in labels:
                labels.add(_sound(number, "label", fields[5], _LABEL, "such as C0001-2"))
            if fields[6] not in lengths:
                lengths.add(_sound(number, "length", fields[6], _LENGTH, "metres such as 1.5"))
            lock.cables.append(LockedCable._make((*fields[1:7], *kit)))
        elif kind == "d":
            lock.devices.append(_device(number, fields))
        elif kind == "p":
            _name_port(number, fields, lock.ports)
        else:
            kit = (fields[2], fields[3], fields[4], fields[5])
            _sound(number, "rate", kit[1], _RATE, "Gb/s such as 400")
            if kits.setdefault(fields[1], kit) != kit:
                raise LockError(f"line {number}: kit {fields[1]!r} means two things; rename one")
            lock.kits[kit] = fields[1]


def _sound_cables(text: str, kits: Mapping[str, Kit]) -> list[LockedCable] | None:
    """Cables of many lines at once; None where one of them has to be looked at by itself."""
    # the end of a line is a field of its own, so that one with too few or too many is seen
    fields = text.replace("\n", "\t\n\t").split("\t")
    kind, *columns, last, ends = (fields[at:-1:9] for at in range(9))
    if (
        len(fields) % 9 != 1
        or fields[-1]
        or {*kind} - {"c"}
        or {*ends} - {"\n"}
        or {*last} - kits.keys()
    ):
        return None
    new, made = tuple.__new__, map(kits.__getitem__, last)
    cables = [
        new(LockedCable, (a, a_port, z, z_port, label, metres, *kit))
        for a, a_port, z, z_port, label, metres, kit in zip(*columns, made, strict=True)
    ]
    labels = bool(_OWN_LABELS.fullmatch("\n".join(columns[4]))) or all(
        map(_LABEL.fullmatch, {*columns[4]})
    )
    return cables if labels and all(map(_LENGTH.fullmatch, {*columns[5]})) else None


def _no_lock(first: str) -> LockError:
    kind, _, version = first.partition("\t")
    if kind != "toposmith-lock":
        return LockError(
            f"line 1: found {first[:40]!r}, expected 'toposmith-lock', a tab and a version"
        )
    return LockError(
        f"line 1: version {version[:20]!r}; this program reads version {VERSION}: "
        "use the program that wrote it, or write the lock anew"
    )


def _refuse_smuggled(text: str) -> None:
    """Refuse signs that a terminal obeys, and fields that a spreadsheet runs."""
    if text.isascii():  # most locks: patterns would take a third of the time
        signs = text.encode().translate(_ONE_SIGN, _CONTROLS)
        if len(signs) == len(text) and b"\t=" not in signs:
            return
    for pattern, what in _SMUGGLED:
        hit = pattern.search(text)
        if hit is not None:
            number = text.count("\n", 0, hit.start()) + 1
            raise LockError(f"line {number}: {what} (U+{ord(hit.group()):04X}); take it out")


def _device(number: int, fields: list[str]) -> LockedDevice:
    device = LockedDevice(*fields[1:])
    if not device.rack and not device.unit:
        return device
    _sound(number, "rack", device.rack, _RACK, "such as A01")
    _sound(number, "U", device.unit, _UNIT, "1 to 999")  # racks have at most 60
    return device


def _name_port(number: int, fields: list[str], known: dict[str, dict[str, str]]) -> None:
    """Add what the metal calls a port of a group."""
    _, group, port, called = fields
    names = known.setdefault(group, {})
    if not called:
        raise LockError(f"line {number}: port {port!r} of {group} has no name; take the line out")
    if names.get(port, called) != called or called in (set(names.values()) - {names.get(port)}):
        raise LockError(
            f"line {number}: port {port!r} of {group} is called twice, or as another; take one out"
        )
    names[port] = called


def is_label(text: str) -> bool:
    """Whether a text is the label of at most two cables, perhaps of one leg."""
    return bool(_LABEL.fullmatch(text))


def _sound(number: int, what: str, text: str, pattern: re.Pattern[str], expected: str) -> str:
    """A field that is written as it has to be; raises LockError where it is not."""
    if not pattern.fullmatch(text):
        raise LockError(f"line {number}: found {what} {text[:20]!r}, expected {expected}")
    return text


def _is_number(text: str) -> bool:
    """Whether a text is a whole number of at most nine digits."""
    return text.isascii() and text.isdigit() and len(text) <= 9


def _unreadable(number: int, line: str) -> LockError:
    if line.startswith(_MERGE_MARKS):
        return LockError(
            f"line {number}: half merged ({line[:7]}); unite both sides: "
            "`toposmith lock FILE --settle BASE`"
        )
    fields = line.split("\t")
    wanted = _FIELDS.get(fields[0])
    if wanted is None:
        return LockError(f"line {number}: begins with {fields[0][:20]!r}, expected d, p, k or c")
    return LockError(f"line {number}: {len(fields)} fields, expected {wanted}, with tabs between")


def line_numbers(text: str) -> dict[str, int]:
    """The number of every line, of a cable without its kit."""
    numbers: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key = line.rpartition("\t")[0] if line.startswith("c\t") else line
        numbers.setdefault(key, number)
    return numbers
