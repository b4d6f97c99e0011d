"""The record of a kind of part: its model, checks, card, one line and place on the bill.

Code that reads, checks, shows, finds and counts parts uses these records; ``docs/extending.md``
says how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from toposmith.catalog.parts import Part

if TYPE_CHECKING:
    from toposmith.catalog.catalog import Catalog

PartT = TypeVar("PartT", bound=Part)

CardRow = tuple[str, str, str]
"""A row of a card before its mark: the field that it shows, its label, its value."""

Speed = tuple[str, int]
"""A protocol and Gb/s of a port."""

Speeds = tuple[Sequence[Speed], Sequence[Speed]]
"""The speeds that a part has by itself, and those that its ports can be split into."""


def _nothing(_part: Part) -> Iterable[str]:
    return ()


def _no_fault(_part: Part, _catalog: Catalog) -> Iterable[str]:
    return ()


def _no_speed(_part: Part) -> Speeds:
    return (), ()


@dataclass(frozen=True)
class PartKind(Generic[PartT]):
    """A kind of part.

    Parameters
    ----------
    model : type of Part
        Its fields with their types and ranges; the default of its ``kind`` is what part files,
        commands and bills call it.
    title : str
        The heading above parts of this kind, ``Switches``.
    line : callable
        The part in a few words, ``64 x 400 Gb/s, OSFP``; the catalog, where one is given, supplies
        the names of the parts that it refers to.
    rows : callable
        The rows of its card below name and vendor.
    faults : callable, optional
        What cannot be true of it: one line for each, beginning with the field.
    warnings : callable, optional
        Its doubtful figures: one line for each, beginning with the field.
    names : callable, optional
        Ids of the parts that it refers to, which are read and checked first.
    names_hosts : bool
        Whether these are nodes or others that refer to parts themselves.
    numbers : callable, optional
        What else it is ordered by, besides its part number and ordering number.
    speeds : callable, optional
        Speeds by which a search finds it: ``400``, ``ndr``, ``200gbe``.
    described : callable, optional
        What a bill says it is; without one, its ``line``.
    placed : bool
        Whether a design can have groups of it, which stand in racks and on the bill; nodes, storage
        and switches have ports too, which the fabric is made of.
    bill_rank : int or None
        Its place among the kinds on a bill; None for what is never bought by itself.
    racked : bool
        Whether it stands in a rack, so that a bill sums its height.
    passive : bool
        Whether it draws no power by its nature.
    """

    model: type[PartT]
    title: str
    line: Callable[[PartT, Catalog | None], str]
    rows: Callable[[PartT, Catalog], Iterable[CardRow]]
    faults: Callable[[PartT, Catalog], Iterable[str]] = _no_fault
    warnings: Callable[[PartT, Catalog], Iterable[str]] = _no_fault
    names: Callable[[PartT], Iterable[str]] = _nothing
    names_hosts: bool = False
    numbers: Callable[[PartT], Iterable[str]] = _nothing
    speeds: Callable[[PartT], Speeds] = _no_speed
    described: Callable[[PartT, Catalog], str] | None = None
    placed: bool = False
    bill_rank: int | None = None
    racked: bool = False
    passive: bool = False

    @property
    def id(self) -> str:
        """What part files, commands and bills call it."""
        return str(self.model.model_fields["kind"].default)

    @property
    def names_others(self) -> bool:
        """Whether its parts may name other parts."""
        return self.names is not _nothing
