"""Kinds of parts: one record each, used by all code that reads, shows and counts parts."""

from __future__ import annotations

from toposmith.catalog.kinds.all_kinds import KINDS, add_kind, billed_kinds, kind_of, part_adapter
from toposmith.catalog.kinds.record import CardRow, PartKind, Speed, Speeds

__all__ = [
    "KINDS",
    "CardRow",
    "PartKind",
    "Speed",
    "Speeds",
    "add_kind",
    "billed_kinds",
    "kind_of",
    "part_adapter",
]
