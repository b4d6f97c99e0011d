"""All kinds of parts, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from toposmith.catalog.kinds.devices import GPUS, NICS, NODES, NVLINK_SWITCHES, STORAGE, SWITCHES
from toposmith.catalog.kinds.record import PartKind
from toposmith.catalog.kinds.supplies import (
    CABLES,
    FIBRES,
    MODULES,
    PDUS,
    RACK_SYSTEMS,
    RACKS,
    TRANSCEIVERS,
)
from toposmith.catalog.parts import Part

_OWN: tuple[PartKind[Any], ...] = (
    *(NODES, NICS, SWITCHES, NVLINK_SWITCHES, GPUS, CABLES, TRANSCEIVERS, FIBRES),
    *(STORAGE, RACKS, PDUS, MODULES, RACK_SYSTEMS),
)

KINDS: dict[str, PartKind[Any]] = {kind.id: kind for kind in _OWN}
"""Every kind of part, by what part files call it."""


def add_kind(kind: PartKind[Any]) -> None:
    """Add a kind of part; catalogs that are loaded from here on know it.

    Raises
    ------
    ValueError
        Where there is a kind of this name.
    """
    if kind.id in KINDS:
        raise ValueError(f"there is a kind of part {kind.id!r}")
    KINDS[kind.id] = kind


def kind_of(part: Part) -> PartKind[Any]:
    """The kind of a part."""
    return KINDS[part.kind]


def part_adapter() -> TypeAdapter[Any]:
    """The validator of a part of any kind; its ``kind`` selects the model."""
    known = tuple(KINDS)
    if known not in _ADAPTERS:
        _ADAPTERS.clear()
        _ADAPTERS[known] = TypeAdapter(_any_of(KINDS.values()))
    return _ADAPTERS[known]


_ADAPTERS: dict[tuple[str, ...], TypeAdapter[Any]] = {}


def _any_of(kinds: Iterable[PartKind[Any]]) -> Any:
    models: Any = reduce(or_, (kind.model for kind in kinds))
    return Annotated[models, Field(discriminator="kind")]


OWN_PART: Any = _any_of(_OWN)
"""A part of any kind that comes with the program, as pydantic reads it."""


def only_own_kinds() -> bool:
    """Whether no kinds were added to those that come with the program."""
    return len(KINDS) == len(_OWN)


def billed_kinds() -> tuple[str, ...]:
    """Kinds of what can be bought, in the order of the bill."""
    bought = [kind for kind in KINDS.values() if kind.bill_rank is not None]
    return tuple(kind.id for kind in sorted(bought, key=lambda kind: kind.bill_rank or 0))
