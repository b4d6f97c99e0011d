"""The catalog: finding a part by its id or its kind."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from toposmith.catalog.parts import Gpu, Nic, Node, Part, Switch
from toposmith.errors import ToposmithError

PartT = TypeVar("PartT", bound=Part)


class CatalogError(ToposmithError):
    """No catalog at all could be made; ``problems`` holds one line for each fault found."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class UnknownPart(ToposmithError, KeyError):
    """A part id that the catalog does not hold, or that names another kind of part."""

    def __init__(self, part_id: str, why: str, nearest: Iterable[str] = ()) -> None:
        self.part_id = part_id
        self.nearest = tuple(nearest)
        hint = f"; did you mean {' or '.join(map(repr, self.nearest))}?" if self.nearest else ""
        self.message = f"{why}{hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message  # KeyError would show the repr of it


@dataclass(frozen=True, init=False, eq=False)
class Catalog:
    """The parts one can buy, by id, in the order of their files.

    Iterating yields what designs are made of. Racks and what distributes power in them
    are found by id and by kind, and listed in ``facility``: a design cannot place them.

    Parameters
    ----------
    parts : iterable of Part
        Each id may occur once.
    faults : iterable of str
        What was wrong with parts that had to be left out: a line each, beginning with file and
        line number.
    notes : iterable of str
        What to know though nothing is wrong, such as parts that replace others: lines
        like those of ``faults``.
    own : iterable of str
        The ids of parts that did not come with the program: those of a user's files.

    Raises
    ------
    CatalogError
        When two parts have the same id.
    """

    _by_id: dict[str, Part]
    _by_kind: dict[str, list[Part]]
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    own: frozenset[str]

    def __init__(
        self,
        parts: Iterable[Part],
        faults: Iterable[str] = (),
        notes: Iterable[str] = (),
        own: Iterable[str] = (),
    ) -> None:
        by_id: dict[str, Part] = {}
        twice: list[str] = []
        for part in parts:
            if part.id in by_id:
                twice.append(f"part {part.id!r}: this id occurs more than once")
            by_id[part.id] = part
        if twice:
            raise CatalogError(twice)
        by_kind: dict[str, list[Part]] = defaultdict(list)
        for part in by_id.values():
            by_kind[part.kind].append(part)
        object.__setattr__(self, "_by_id", by_id)
        object.__setattr__(self, "_by_kind", dict(by_kind))
        object.__setattr__(self, "faults", tuple(faults))
        object.__setattr__(self, "notes", tuple(notes))
        object.__setattr__(self, "own", frozenset(own))

    def __iter__(self) -> Iterator[Part]:
        """What designs are made of; racks and power distribution are in :attr:`facility`."""
        return (part for part in self._by_id.values() if not part.FACILITY)

    def __len__(self) -> int:
        """How many parts iterating gives."""
        return sum(len(of) for of in self._by_kind.values() if not of[0].FACILITY)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __contains__(self, part_id: object) -> bool:
        return part_id in self._by_id

    def __getitem__(self, part_id: str) -> Part:
        try:
            return self._by_id[part_id]
        except KeyError:
            raise UnknownPart(
                part_id, f"no part {part_id!r} in the catalog", self.nearest(part_id)
            ) from None

    @property
    def facility(self) -> tuple[Part, ...]:
        """Racks and power distribution, in file order."""
        return tuple(p for p in self._by_id.values() if p.FACILITY)

    def get(self, part_id: str) -> Part | None:
        """Return the part of this id, or None where there is none."""
        return self._by_id.get(part_id)

    def of_kind(self, kind: str) -> list[Part]:
        """Return all parts of one kind, such as ``"switch"``, in file order."""
        return list(self._by_kind.get(kind, ()))

    def nearest(self, part_id: str) -> list[str]:
        """Return up to three ids that look like this one, the most similar first."""
        begun = [one for one in self._by_id if part_id.startswith(f"{one}-")]
        begun = sorted(begun, key=len, reverse=True)[:1]
        like = difflib.get_close_matches(part_id, self._by_id, n=3, cutoff=0.5)
        return list(dict.fromkeys((*begun, *like)))[:3]

    def gpu(self, part_id: str) -> Gpu:
        """Return the GPU of this id; UnknownPart where it is missing or no GPU."""
        return self._of_type(part_id, Gpu)

    def node(self, part_id: str) -> Node:
        """Return the node of this id; UnknownPart where it is missing or no node."""
        return self._of_type(part_id, Node)

    def nic(self, part_id: str) -> Nic:
        """Return the NIC of this id; UnknownPart where it is missing or no NIC."""
        return self._of_type(part_id, Nic)

    def switch(self, part_id: str) -> Switch:
        """Return the switch of this id; UnknownPart where it is missing or no switch."""
        return self._of_type(part_id, Switch)

    def _of_type(self, part_id: str, wanted: type[PartT]) -> PartT:
        part = self.get(part_id)
        if isinstance(part, wanted):
            return part
        kind = wanted.model_fields["kind"].default
        why = f"{part_id!r} is a {part.kind}, no {kind}" if part else f"no {kind} {part_id!r}"
        same_kind = [other.id for other in self.of_kind(kind)]
        close = difflib.get_close_matches(part_id, same_kind, n=3, cutoff=0.5)
        raise UnknownPart(part_id, why, close)
