"""A design file as it stands, without anything worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml


@dataclass(frozen=True)
class Group:
    name: str
    part: str
    per: tuple[str, ...]
    count: int
    nics: dict[str, tuple[str, int]]


@dataclass(frozen=True)
class End:
    """One end of a link: a group, and the slots if they are named."""

    group: str
    slots: str | None


@dataclass(frozen=True)
class Link:
    a: End
    b: End
    cables: int | None
    speed_gbit: int | None
    length_m: float | None
    along: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SingleCable:
    a: str
    z: str
    speed_gbit: int | None
    length_m: float | None


@dataclass(frozen=True)
class Document:
    axes: dict[str, int]
    groups: dict[str, Group]
    links: tuple[Link, ...]
    absent: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    slow: tuple[tuple[str, str], ...] = ()
    """Selector and speed: `200`, `50 %`."""
    cables: tuple[SingleCable, ...] = ()
    unread: dict[str, Any] = field(default_factory=dict)
    """Keys that say nothing about devices and cables."""

    def axes_of(self, group: str) -> tuple[tuple[str, int], ...]:
        """Axes of a group with their sizes, the slowest first, its own last."""
        one = self.groups[group]
        return (*((axis, self.axes[axis]) for axis in one.per), (group, one.count))


def read(text: str) -> Document:
    """Read a design; every scalar is text until it is needed as a number."""
    raw: dict[str, Any] = yaml.load(text, Loader=yaml.CBaseLoader)
    groups = {name: _group(name, body) for name, body in (raw.get("groups") or {}).items()}
    known = {"axes", "groups", "links", "absent", "down", "slow", "cables"}
    return Document(
        axes={name: int(size) for name, size in (raw.get("axes") or {}).items()},
        groups=groups,
        links=tuple(_link(body) for body in raw.get("links") or ()),
        absent=tuple(raw.get("absent") or ()),
        down=tuple(raw.get("down") or ()),
        slow=tuple((raw.get("slow") or {}).items()),
        cables=tuple(_single(body) for body in raw.get("cables") or ()),
        unread={key: value for key, value in raw.items() if key not in known},
    )


def _group(name: str, body: dict[str, Any]) -> Group:
    nics = {
        slots: (fitted["part"], int(fitted["count"]))
        for slots, fitted in (body.get("nics") or {}).items()
    }
    return Group(name, body["part"], tuple(body.get("per") or ()), int(body.get("count", 1)), nics)


def _link(body: dict[str, Any]) -> Link:
    a, b = (_end(text) for text in body["between"])
    cables, speed, length = (body.get(key) for key in ("cables", "speed", "length"))
    return Link(
        a,
        b,
        None if cables is None else int(cables),
        None if speed is None else int(speed),
        None if length is None else float(length),
        tuple((body.get("along") or {}).items()),
    )


def _single(body: dict[str, Any]) -> SingleCable:
    speed, length = body.get("speed"), body.get("length")
    return SingleCable(
        body["a"],
        body["z"],
        None if speed is None else int(speed),
        None if length is None else float(length),
    )


def _end(text: str) -> End:
    group, dot, slots = text.partition(".")
    return End(group, slots if dot else None)
