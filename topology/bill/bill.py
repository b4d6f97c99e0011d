"""The bill of materials: every part to buy, with what is known of it and what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from catalog import Catalog
from topology.bill.cabling import Recipe, choose_parts
from topology.bill.lines import KINDS, BillLine, cabling_lines, device_lines
from topology.bill.provenance import catalog_digest, design_digest, program_version
from topology.bill.quantities import Quantities, count_quantities
from topology.fabric.plan import Finding, Plan
from topology.fabric.ports import port_findings

_BLOCKING = ("no-cable",)


@dataclass(frozen=True)
class Total:
    """A sum with what it lacks: the parts whose figure is not known are named, never zero."""

    known: float
    lines_without: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every line has its figure."""
        return not self.lines_without


@dataclass(frozen=True)
class LinkCount:
    """A link's connections (ports joined to ports), and the cables or fibres that make them.

    ``cables`` is None where the catalog could not build the link.
    """

    link: str
    speed_gbit: int
    length_m: float | None
    connections: int
    cables: int | None
    part: str | None


@dataclass(frozen=True)
class EndCount:
    """Cages taken at one end of the links, and the transceivers plugged into them."""

    end: str
    cages: int
    modules: int


@dataclass(frozen=True)
class Bill:
    """A bill of materials with its totals, its counts and where it came from."""

    design: str
    design_sha256: str
    program: str
    catalog_parts: int
    catalog_sha256: str
    lines: tuple[BillLine, ...]
    power_w: Total
    rack_units: Total
    weight_kg: Total
    links: tuple[LinkCount, ...]
    ends: tuple[EndCount, ...]
    findings: tuple[Finding, ...]

    @property
    def complete(self) -> bool:
        """Whether every part of the design is on the bill (prices and figures aside)."""
        return not any(f.severity == "error" or f.code in _BLOCKING for f in self.findings)

    def lines_of(self, kind: str) -> list[BillLine]:
        """The lines of one kind of parts."""
        return [line for line in self.lines if line.kind == kind]

    def quantity(self, kind: str) -> int:
        """How many parts of one kind there are in all."""
        return sum(line.quantity for line in self.lines_of(kind))


def make_bill(plan: Plan, catalog: Catalog) -> Bill:
    """List everything that a design needs.

    Parameters
    ----------
    plan : Plan
        The design, understood; what is absent is left out, what is down is not.
    catalog : Catalog
        Where cables, transceivers and fibres are chosen from.

    Returns
    -------
    Bill
        Lines by kind, then by part id. What could not be listed is a finding, and
        ``complete`` is then false.
    """
    recipes, cabling_findings = _recipes(plan, catalog)
    counted = count_quantities(plan, recipes)
    lines = sorted(
        [*device_lines(plan, catalog), *cabling_lines(plan, catalog, recipes, counted)],
        key=lambda line: (KINDS.index(line.kind), line.part, line.length_m or 0.0),
    )
    racked = [line for line in lines if line.kind in ("node", "switch")]
    return Bill(
        design=plan.design.name,
        design_sha256=design_digest(plan.design),
        program=program_version(),
        catalog_parts=len(catalog),
        catalog_sha256=catalog_digest(catalog),
        lines=tuple(lines),
        power_w=_total(lines, lambda line: line.power_w),
        rack_units=_total(racked, lambda line: line.rack_units),
        weight_kg=_total(lines, lambda line: line.weight_kg),
        links=tuple(_link_counts(plan, recipes, counted)),
        ends=tuple(_end_counts(counted)),
        findings=(*plan.findings, *port_findings(plan), *cabling_findings),
    )


def _recipes(plan: Plan, catalog: Catalog) -> tuple[dict[int, Recipe], list[Finding]]:
    recipes: dict[int, Recipe] = {}
    findings: list[Finding] = []
    for link in plan.links:
        recipe, found = choose_parts(plan, link, catalog)
        findings += found
        if recipe is not None:
            recipes[link.index] = recipe
    return recipes, findings


def _total(lines: Iterable[BillLine], figure: Callable[[BillLine], float | None]) -> Total:
    known = 0.0
    without: dict[str, None] = {}
    for line in lines:
        value = figure(line)
        if value is None:
            without[line.part] = None
        else:
            known += value
    return Total(round(known, 3), tuple(without))


def _link_counts(
    plan: Plan, recipes: dict[int, Recipe], counted: Quantities
) -> Iterable[LinkCount]:
    for link in plan.links:
        recipe = recipes.get(link.index)
        yield LinkCount(
            link.label,
            link.speed_gbit,
            plan.design.links[link.index].length,
            counted.connections[link.index],
            counted.bodies[link.index] if recipe else None,
            recipe.body.id if recipe else None,
        )


def _end_counts(counted: Quantities) -> Iterable[EndCount]:
    for end, cages in counted.cages.items():
        modules = sum(many for (at, _), many in counted.modules.items() if at == end)
        yield EndCount(end, cages, modules)
