"""The bill of materials: every part to buy, unknown figures marked, lengths from its racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toposmith.bill.bill_lines import BillLine, cabling_lines, device_lines, ordered
from toposmith.bill.cable_lots import (
    CableLot,
    Quantities,
    cage_findings,
    connections_of,
    count_quantities,
    device_classes,
    lots_of,
    mixed_findings,
)
from toposmith.bill.link_counts import as_wired, count_singly
from toposmith.bill.link_parts import Chooser
from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.bill.scope import Scope, racks_not_whole, scope_of, unlisted_switches
from toposmith.bill.terms import (
    CablingPolicy,
    Lengths,
    SparePolicy,
    Terms,
    all_parts,
    catalog_digest,
    design_digest,
    policy_of,
    prices_digest,
    spares_of,
)
from toposmith.bill.totals import (
    WITHOUT_POWER,
    PriceTotal,
    RackCount,
    Total,
    price_total,
    rack_count,
    rack_lines,
    total,
)
from toposmith.bill.unsettled_items import Unsettled, noted, unsettled, untaken_parts
from toposmith.catalog import Catalog
from toposmith.catalog.kinds import KINDS, billed_kinds
from toposmith.catalog.prices import PriceList
from toposmith.fabric.breakout_limits import breakout_findings
from toposmith.fabric.management_ports import assumed_management
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding, at_block, found
from toposmith.racks.lengths import CableRun, runs
from toposmith.racks.placement import Placement, place
from toposmith.racks.rack_checks import airflow_findings, rack_findings, short_lengths
from toposmith.racks.rack_loads import length_assumptions
from toposmith.racks.whole_racks import sold_whole
from toposmith.text import counted, plain_number
from toposmith.version import program_version

__all__ = ["Bill", "EndCount", "LinkCount", "RunCount", "Total", "make_bill"]

_BLOCKING = ("no-cable", "no-nvlink-switches", "rack-not-whole")
_ABOUT_RACKS = (
    *("rack-height-unknown", "rack-height-published", "rack-power-unknown", "rack-too-many"),
)


@dataclass(frozen=True)
class RunCount:
    """Connections of a link with the same parts and length, and the cables or fibres for them.

    ``part`` and ``cables`` are None where the catalog has no suitable part; ``length_m``, the
    length to order, also where the link's length is unknown.
    """

    part: str | None
    length_m: float | None
    connections: int
    cables: int | None


@dataclass(frozen=True)
class LinkCount:
    """A link's connections (ports joined to ports), by runs with the same parts and length."""

    link: str
    speed_gbit: int
    runs: tuple[RunCount, ...]

    @property
    def connections(self) -> int:
        """Ports joined to ports."""
        return sum(run.connections for run in self.runs)

    @property
    def without_cable(self) -> int:
        """Connections for which the catalog has no cable."""
        return sum(run.connections for run in self.runs if run.part is None)

    @property
    def cables(self) -> int | None:
        """Cables or fibres; None where the catalog lacks parts for some of the link."""
        many = [run.cables for run in self.runs]
        known = [cables for cables in many if cables is not None]
        return sum(known) if len(known) == len(many) else None


@dataclass(frozen=True)
class EndCount:
    """Cages used at one end of the links, and the transceivers plugged into them.

    ``most_cages`` is the number at the switch that uses the most; 0 at nodes.
    """

    end: str
    cages: int
    modules: int
    most_cages: int = 0


@dataclass(frozen=True)
class Bill:
    """A bill of materials with its totals, its counts and its inputs.

    ``lengths`` is the source of lengths that links do not give themselves: ``racks`` where runs
    were given, else ``given``. ``price`` covers what the design needs, ``spares_price`` the
    spares alone, ``order_price`` both, with minimum order quantities; all other
    totals exclude spares. ``currency`` is the requested one, ``signed`` the statement of its
    authors. ``racks`` is None where the design does not place devices, ``prices_sha256`` where no
    price list was given.
    ``scope`` says what the bill covers, ``to_settle`` what is open before it can be ordered.
    """

    design: str
    design_sha256: str
    program: str
    catalog_parts: int
    catalog_sha256: str
    policy: CablingPolicy
    spares: SparePolicy
    lengths: Lengths
    prices_sha256: str | None
    lines: tuple[BillLine, ...]
    power_w: Total
    rack_units: Total
    weight_kg: Total
    price: PriceTotal
    spares_price: PriceTotal
    order_price: PriceTotal
    links: tuple[LinkCount, ...]
    ends: tuple[EndCount, ...]
    scope: Scope
    to_settle: tuple[Unsettled, ...]
    racks: RackCount | None = None
    findings: tuple[Finding, ...] = field(default=())
    currency: str | None = None
    signed: Mapping[str, str] = field(default_factory=dict)

    @property
    def lead_time_words(self) -> str:
        """``84 days for qm9700; 3 of 14 lines say theirs``: lead times; empty without any."""
        said = [line for line in self.lines if line.price and line.price.lead_time_days]
        if not said:
            return ""
        longest = max(line.price.lead_time_days or 0 for line in said if line.price)
        parts = {line.part for line in said if line.price and line.price.lead_time_days == longest}
        many = f"{len(said)} of {counted(len(self.lines), 'line')} say theirs"
        return f"{counted(longest, 'day')} for {', '.join(sorted(parts))}; {many}"

    @property
    def within_switches_w(self) -> float:
        """Power in W of modules and cables that is included in the figures of their switches."""
        return round(sum(line.within_switches_w for line in self.lines), 3)

    @property
    def within_switches_words(self) -> str:
        """The sentence that totals count them once; empty where there are none."""
        if not self.within_switches_w:
            return ""
        watts = plain_number(self.within_switches_w, "W")
        return f"{watts} of modules and cables within the switches' figures, not added again"

    @property
    def listed(self) -> bool:
        """Whether every part of the fabric as drawn has a line."""
        return not any(_blocks(finding) for finding in self.findings)

    @property
    def complete(self) -> bool:
        """Whether nothing on it is unknown or assumed, so that it can be ordered as it is."""
        return not self.to_settle

    @property
    def orderable(self) -> int:
        """The number of lines with a complete, verified part number."""
        return sum(line.orderable for line in self.lines)

    @property
    def orderable_words(self) -> str:
        """``orderable: 3 of 11 lines``."""
        lines = len(self.lines)
        return f"orderable: {self.orderable:,} of {counted(lines, 'line')}"

    def lines_of(self, kind: str) -> list[BillLine]:
        """The lines of one kind of parts."""
        return [line for line in self.lines if line.kind == kind]

    def quantity(self, kind: str) -> int:
        """The total quantity of parts of one kind, without spares."""
        return sum(line.quantity for line in self.lines_of(kind))


def make_bill(
    plan: Plan,
    catalog: Catalog,
    *,
    prices: PriceList | None = None,
    policy: CablingPolicy | None = None,
    spares: SparePolicy | None = None,
    runs: Sequence[CableRun] = (),
    placement: Placement | None = None,
    wiring: NumberedConnections | None = None,
) -> Bill:
    """List everything that a design needs.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; what is absent is left out, what is down is not.
    catalog : Catalog
        Where cables, transceivers and fibres are chosen from.
    prices : PriceList, optional
        Prices; without it no line has one. Its faults become findings.
    policy : CablingPolicy, optional
        Allowed media; by default that of the design's ``bill:`` block.
    spares : SparePolicy, optional
        Spares; by default those of the design's ``bill:`` block.
    runs : sequence of CableRun
        Lengths by the racks, m, for links without a ``length:``.
    placement : Placement, optional
        Placement of devices; racks and PDUs that the design names then also get lines.
    wiring : NumberedConnections, optional
        Connections that a lock keeps; their parts and lengths count in place of chosen ones.

    Returns
    -------
    Bill
        Lines by kind, then by part id. What could not be listed is a finding, and
        ``listed`` is then false; ``complete`` is false where anything is unknown or assumed.
    """
    policy = policy or policy_of(plan.design)
    spares = spares or spares_of(plan.design)
    listed = prices or PriceList()
    alike = device_classes(plan)
    connections = connections_of(plan, alike)
    chooser = Chooser(plan, catalog, policy, listed, runs)
    lots, cabling_findings = lots_of(plan.every_link, connections, runs, chooser)
    counted = count_quantities(plan, alike, lots)
    if wiring is not None:
        lots, counted = as_wired(plan, wiring, lots)
    elif placement is not None and runs:
        count_singly(plan, lots, placement, chooser, counted)
    else:
        cabling_findings += mixed_findings(plan.every_link, lots)
    racks = rack_count(plan, placement) if placement else None
    sold = sold_whole(plan, catalog)
    untaken = list(untaken_parts(plan, lots, counted))
    cabling = cabling_lines(plan, catalog, lots, counted)
    unpriced = [
        *device_lines(plan, catalog, sold),
        *(noted(line, untaken) for line in cabling),
        *(rack_lines(racks, placement, catalog) if racks and placement else ()),
    ]
    kinds = billed_kinds()
    lines = sorted(
        (ordered(line, listed, spares) for line in unpriced),
        key=lambda line: (kinds.index(line.kind), line.part, line.length_m or 0.0),
    )
    racked = [line for line in lines if KINDS[line.kind].racked]
    drawing = [line for line in lines if line.kind not in WITHOUT_POWER]
    findings = (
        *plan.findings,
        *port_findings(plan),
        *breakout_findings(plan),
        *cage_findings(plan, counted),
        *cabling_findings,
        *(one.finding for one in untaken),
        *unlisted_switches(plan, sold),
        *racks_not_whole(plan, sold),
        *(_rack_findings(plan, catalog, placement) if placement else ()),
        # where the design places its devices, its racks are checked as a whole
        *(
            airflow_findings(placement, catalog)
            if placement and plan.design.placement is None
            else ()
        ),
        *(short_lengths(plan, catalog, placement, runs) if placement and runs else ()),
        *_price_findings(listed),
    )
    power_w = total(drawing, lambda line: line.added_power_w, lambda line: line.least_power_w)
    rack_units = total(racked, lambda line: line.rack_units)
    weight_kg = total(lines, lambda line: line.weight_kg)
    price = price_total(lines, lambda line: line.quantity)
    measured = placement is not None and any(plan.link(run.link).length_m is None for run in runs)
    to_settle = unsettled(
        lines,
        blocking=filter(_blocks, findings),
        racks=racks,
        lengths=length_assumptions(placement) if placement and measured else (),
        totals=(
            ("power_w", "power", power_w),
            ("rack_units", "height", rack_units),
            ("weight_kg", "weight", weight_kg),
        ),
        price=price if prices is not None else None,
        management=assumed_management(plan),
        untaken=tuple(dict.fromkeys(one.part for one in untaken if not one.coded)),
    )
    links = tuple(_link_counts(plan, lots, counted))
    return Bill(
        design=plan.design.name,
        design_sha256=design_digest(plan.design),
        program=program_version(),
        catalog_parts=len(all_parts(catalog)),
        catalog_sha256=catalog_digest(catalog),
        policy=policy,
        spares=spares,
        lengths="racks" if runs else "given",
        prices_sha256=prices_digest(prices) if prices is not None else None,
        lines=tuple(lines),
        power_w=power_w,
        rack_units=rack_units,
        weight_kg=weight_kg,
        price=price,
        spares_price=price_total(lines, lambda line: line.spares),
        order_price=price_total(lines, lambda line: line.paid_pieces),
        links=links,
        ends=tuple(_end_counts(counted)),
        scope=scope_of(plan, alike, placement, _without_cable(links), sold),
        to_settle=tuple(to_settle),
        racks=racks,
        findings=findings,
        currency=listed.wanted,
    )


def _blocks(finding: Finding) -> bool:
    """Whether it says that something of the design is not listed."""
    return finding.severity == "error" or finding.code in _BLOCKING


def _without_cable(links: Iterable[LinkCount]) -> tuple[tuple[str, int], ...]:
    """Links with connections for which the catalog has no cable."""
    missing = ((each.link, each.without_cable) for each in links)
    return tuple((link, many) for link, many in missing if many)


def _rack_findings(plan: Plan, catalog: Catalog, placement: Placement) -> Iterator[Finding]:
    """Racks that cannot be, and heights and power that rest on what the catalog lacks."""
    own = plan.design.placement is not None
    for finding in rack_findings(plan, catalog, placement) if own else placement.findings:
        if finding.code in _ABOUT_RACKS or finding.severity == "error":
            yield finding


def _price_findings(prices: PriceList) -> Iterator[Finding]:
    """Faults name file and line themselves."""
    for fault in prices.faults:
        yield found("price-list", at_block("prices"), reason=str(fault))


def _link_counts(
    plan: Plan, lots: Mapping[int, tuple[CableLot, ...]], counted: Quantities
) -> Iterable[LinkCount]:
    for link in plan.every_link:
        runs = []
        for number, lot in enumerate(lots[link.index]):
            recipe = lot.recipe
            part, length, cables = None, None, None
            if recipe is not None:
                part, length = recipe.body.id, recipe.length_m
                cables = counted.bodies[link.index, number]
            runs.append(RunCount(part, length, lot.connections, cables))
        yield LinkCount(link.label, link.speed_gbit, tuple(runs))


def _end_counts(counted: Quantities) -> Iterable[EndCount]:
    modules: Counter[str] = Counter()
    for (end, _), many in counted.modules.items():
        modules[end] += many
    for end, cages in counted.cages.items():
        yield EndCount(end, cages, modules[end], counted.most_cages[end])


def placed_bill(
    plan: Plan,
    catalog: Catalog,
    terms: Terms | None = None,
    *,
    placement: Placement | None = None,
    measured: Callable[[], Sequence[CableRun]] | None = None,
    wiring: Callable[[], NumberedConnections] | None = None,
) -> Bill:
    """The bill with its racks, and with the lengths that they give.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where parts are chosen from.
    terms : Terms, optional
        Prices, policy, spares, what it is signed with; with lengths ``given`` links that have no
        length of their own stay without one.
    placement : Placement, optional
        Where devices stand, if that is known already; else by the ``placement:`` block or its
        default.
    measured : callable, optional
        Gives the lengths of cables along those racks, if they are known already.
    wiring : callable, optional
        Gives the connections that a lock keeps, on these terms.
    """
    terms = terms or Terms()
    placed = placement or place(plan, catalog)
    along = measured or (lambda: runs(plan, placed))
    lengths = along() if terms.lengths == "racks" else ()
    bill = make_bill(
        plan,
        catalog,
        prices=terms.prices,
        policy=terms.policy,
        spares=terms.spares,
        runs=lengths,
        placement=placed,
        wiring=wiring() if wiring is not None and lengths else None,
    )
    return with_statements(bill, terms)


def with_statements(bill: Bill, terms: Terms) -> Bill:
    """The bill with what it is signed with; nothing else depends on it."""
    return replace(bill, signed=terms.signed)
