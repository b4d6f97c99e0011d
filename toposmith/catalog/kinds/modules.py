"""Boards and supplies that a modular switch is ordered with."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import number_rows, power_rows, weight_row
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.parts import Module
from toposmith.text import counted


def _line(module: Module, _catalog: Catalog | None) -> str:
    cages = f", {counted(module.cages, 'cage')}" if module.cages else ""
    return f"{module.use} of a modular switch{cages}"


def _rows(module: Module, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(module)
    yield "use", "Use", module.use
    if module.cages is not None:
        yield "cages", "Cages", str(module.cages)
    yield weight_row(module)
    yield from power_rows(module)


MODULES = PartKind(Module, "Switch modules", _line, _rows, bill_rank=1)
