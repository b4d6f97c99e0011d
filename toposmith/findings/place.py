"""Where a finding is: a place of a design as a value, with the one way in which it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

PlaceKind = Literal["design", "network", "group", "link", "axis", "rack", "waiver", "block", "file"]
"""``design`` is all of it and ``network`` its compute network; ``block`` is a key of the file, such
as ``absent`` or ``placement.feeds``, and what it holds."""


@dataclass(frozen=True)
class Place:
    """A place of a design.

    Parameters
    ----------
    kind : str
        One of :data:`PlaceKind`.
    names : tuple of str
        The groups, the two ends of the link, the axis, the rack's label, the keys of the block,
        the file; none of design, network and waiver.
    index : int or None
        Which link, or which waiver, from 0.
    slots : str
        Slots of the group, where the place is its ports.
    others : int
        Racks besides the named one of which the same holds.
    """

    kind: PlaceKind
    names: tuple[str, ...] = ()
    index: int | None = None
    slots: str = ""
    others: int = 0

    def __str__(self) -> str:
        """``node.compute``, ``leaf + storage-leaf``, ``links[2] leaf - spine``, ``rack A01``."""
        if self.kind == "link":
            return f"links[{self.index}] {self.ends}"
        if self.kind == "waiver":
            return f"waivers[{self.index}]"
        if self.kind == "rack":
            label = self.names[0]
            return f"racks {label} and {self.others:,} more" if self.others else f"rack {label}"
        if self.kind == "group":
            return " + ".join(self.names) + (f".{self.slots}" if self.slots else "")
        return " ".join(self.names) or self.kind

    @property
    def ends(self) -> str:
        """The ends of a link: ``leaf - spine``."""
        return " - ".join(self.names)

    @property
    def group(self) -> str:
        """The first group; empty where the place is none."""
        return self.names[0] if self.kind == "group" else ""

    @property
    def lasting(self) -> Place:
        """The place without its number, which changes when what stands before it goes."""
        return replace(self, index=None) if self.kind == "link" else self

    @property
    def lasting_name(self) -> str:
        """Its name in files, which does not depend on its number: a link by its ends."""
        return self.ends if self.kind == "link" else str(self)

    def is_called(self, name: str) -> bool:
        """Whether this name refers to this place; a link also by its ends."""
        shorter = self.names[0] if self.kind == "rack" else self.lasting_name
        return name in (str(self), shorter)

    def renamed(self, rename: Callable[[str], str]) -> Place:
        """The place with other names of groups, wherever it names some."""
        if self.kind not in ("group", "link", "block"):
            return self
        return replace(self, names=tuple(map(rename, self.names)))


DESIGN = Place("design")
NETWORK = Place("network")


def at_group(name: str, slots: str = "") -> Place:
    """A group of devices, or the ports in some of its slots."""
    return Place("group", (name,), slots=slots)


def at_groups(names: Iterable[str]) -> Place:
    """Several groups of which one thing holds."""
    return Place("group", tuple(names))


def at_link(index: int, ends: Iterable[str]) -> Place:
    """A link by its number and its two ends."""
    return Place("link", tuple(ends), index)


def at_axis(name: str) -> Place:
    """An axis."""
    return Place("axis", (name,))


def at_block(*keys: str) -> Place:
    """A key of the design's file, and which of its entries."""
    return Place("block", keys)


def at_racks(label: str, others: int = 0) -> Place:
    """A rack by its label, and how many more."""
    return Place("rack", (label,), others=others)


def at_waiver(index: int) -> Place:
    """A waiver by its number."""
    return Place("waiver", index=index)


def at_file(name: str) -> Place:
    """A file, with the line where that is known."""
    return Place("file", (name,))
