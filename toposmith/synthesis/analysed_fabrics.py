"""What fabrics cost at least and promise at most, and what an analysis proves of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from math import inf
from typing import TypeVar

from toposmith.amount import Amount, Piece
from toposmith.analysis.request import Collective
from toposmith.bill.bill import Bill
from toposmith.bill.terms import Terms
from toposmith.bill.totals import PriceTotal
from toposmith.catalog import Catalog, Switch
from toposmith.collectives import collective_name
from toposmith.design.document import Design
from toposmith.design.placement_block import PlacementBlock
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.text_plot.curves import LEAST_ROWS, Axis, scatter
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.review.failures.without import intact, without_each
from toposmith.synthesis.best_first import Offer, Outcome
from toposmith.synthesis.fabric_requirements import Requirements, all_ports
from toposmith.synthesis.fabrics import Fabric, fabrics
from toposmith.synthesis.needs import figure_at_hand
from toposmith.synthesis.purchases import Outlay
from toposmith.text import bandwidth, counted, money

# Fabrics analysed in full.

Item = TypeVar("Item")

COMPARED = ("switch", "nic", "cable", "transceiver")
"""Parts that are counted where prices are unknown; fibres count as cables."""


@dataclass(frozen=True)
class Proposal:
    """A fabric analysed in full.

    Parameters
    ----------
    fabric : Fabric
        The fabric by its numbers.
    design : Design
        The fabric as a design.
    figures : dict of str to Labelled
        Busbw of a GPU, GB/s, by collective; after one that misses its need the others are not
        predicted.
    counts : dict of str to int
        Parts of the bill by kind, fibres among the cables; where the needs are not met there is
        no bill, and these are those of the fabric's numbers.
    cost : Outlay
        Price and power of the whole bill, and those counts that are compared.
    racks : int or None
        Racks; None where there are too many devices to place.
    longest_m : float or None
        The longest cable; None where the length of any is unknown.
    free_ports : int
        Ports of all switches that nothing takes.
    listed : bool
        Whether the catalog has cables and modules for all of its links.
    broken : tuple of str
        Which requirements it does not meet, by their keys.
    after_failure : float or None
        The least share kept of any figure, times that of the GPUs, after any one cable or switch
        of the fabric fails; None where that was not computed.
    gpus_cut_off : int
        GPUs that the worst of these failures cuts off.
    replugged : int or None
        Cables to be plugged elsewhere at growth; None where it cannot grow so, or need not.
    """

    fabric: Fabric
    design: Design
    figures: dict[Collective, Labelled]
    counts: dict[str, int]
    cost: Outlay
    racks: int | None = None
    longest_m: float | None = None
    free_ports: int = 0
    listed: bool = True
    broken: tuple[str, ...] = ()
    after_failure: float | None = None
    gpus_cut_off: int = 0
    replugged: int | None = None

    @property
    def price(self) -> tuple[Decimal, str] | None:
        """Of the whole bill; None where a part has no price, or they are in several currencies."""
        return self.cost.price.only

    @property
    def order(self) -> tuple[object, ...]:
        """By what rows are ranked: price where there is one, else switches, NICs, cables."""
        return (not self.listed, *self.cost.order, self.fabric.words, self.fabric.part_words)


def spread(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    """The first and some evenly up to the last, where there are too many."""
    if len(items) <= most:
        return tuple(items)
    step = (len(items) - 1) / (most - 1)
    return tuple(items[round(at * step)] for at in range(most))


def front_plot(
    proposals: Sequence[Proposal],
    width: int,
    height: int,
    *,
    chosen: int | None = None,
    ascii_only: bool = False,
) -> list[str]:
    """Draw each proposal as its number: its exchange by its price.

    Where a price is unknown, by the number of parts: switches, NICs, cables and modules. Empty
    where there are fewer than two points, or there is no room.
    """
    figures = [_exchange(one) for one in proposals]
    if len(proposals) < 2 or None in figures:
        return []
    costs, across = _costs(proposals)
    ups = [figure or 0.0 for figure in figures]
    name = (
        "all_to_all" if "all_to_all" in proposals[0].figures else next(iter(proposals[0].figures))
    )
    if min(ups) == max(ups):
        height = min(height, LEAST_ROWS)  # the points lie on one line
    up = Axis(collective_name(name), bandwidth(min(ups)), bandwidth(max(ups)))
    points = list(zip(costs, ups, strict=True))
    return scatter(points, across, up, width, height, chosen=chosen, ascii_only=ascii_only)


def _exchange(one: Proposal) -> float | None:
    """All-to-all, which feels every tier; else the first figure."""
    figures = dict(one.figures)
    return figures.get("all_to_all", next(iter(figures.values()))).value


def _costs(proposals: Sequence[Proposal]) -> tuple[list[float], Axis]:
    prices = [one.price for one in proposals if one.price is not None]
    if len(prices) == len(proposals) and len({currency for _, currency in prices}) == 1:
        values = [float(amount) for amount, _ in prices]
        least, most = min(prices), max(prices)
        return values, Axis("price", money(*least), money(*most))
    parts = [float(sum(one.counts.get(kind, 0) for kind in COMPARED)) for one in proposals]
    least_words, most_words = (counted(int(edge), "part") for edge in (min(parts), max(parts)))
    return parts, Axis("number of parts", least_words, most_words)


KEPT, JOINED, LISTED = "kept", "joined", "listed"
"""Figures of a front beside those of collectives: the least share that one failure leaves, where
that is asked for; whether switches join all rails; whether the catalog has cables for all links."""

ALIKE = 0.99
"""Figures this near are one figure: nobody buys a switch for the difference."""

CABLES_OF = 4
"""Where prices are unknown, a switch is worth no less than the cables of a quarter of its cages and
a NIC than one: so two switches are not saved for twenty cables, nor the reverse held open."""

FEW_NODES = 4
"""Nodes on one switch that show what a node takes in at most."""

CLEARLY = 1.05
"""A figure this far below what cuts allow is held back by the nodes, not by a cut."""


@dataclass
class AnalysedFabrics:
    """The fabrics that requirements leave open, with costs, promises and proofs.

    Parameters
    ----------
    asked : Requirements
        What is asked for.
    catalog, terms
        Parts, and the terms of the bills.
    known : dict of Fabric to Proposal or None
        Those that were analysed, each once; None for what cannot be built.
    """

    asked: Requirements
    catalog: Catalog
    terms: Terms
    known: dict[Fabric, Proposal | None] = field(default_factory=dict)
    _taken_in: dict[object, Mapping[str, float]] = field(default_factory=dict)
    _outcomes: dict[Fabric, Outcome[Fabric]] = field(default_factory=dict)

    @cached_property
    def everything(self) -> list[Fabric]:
        """Every fabric that the numbers allow, each once, the cheapest first."""
        return sorted(every_fabric(self.asked, self.catalog), key=lambda one: self.cost(one).order)

    @property
    def sound(self) -> Iterator[Proposal]:
        """Everything analysed that can be built."""
        return (one for one in self.known.values() if one is not None)

    def offers(self) -> Iterator[Offer[Fabric]]:
        """All that may meet the needs, with what they cost and promise."""
        for one in self.everything:
            if self.may_meet(one):
                made, promise = partial(self._hopeful, one), partial(self._nearly, one)
                yield Offer(made, self.cost(one), promise)

    def _hopeful(self, one: Fabric) -> Fabric | None:
        """The fabric, if what its nodes take in still lets it meet the needs."""
        return one if self.may_meet(one, self.promise(one)) else None

    def _nearly(self, one: Fabric) -> dict[str, float]:
        """A little less than its promise: what is nearly reached counts as reached."""
        return {name: most * ALIKE for name, most in self.promise(one).items()}

    # What they cost at least

    def cost(self, one: Fabric) -> Outlay:
        """Counts and power of its numbers, and the price of switches and NICs."""
        switches = Counter({one.ports.leaf: one.leaves})
        switches[one.ports.spine] += one.switches - one.leaves
        known, unknown = 0.0, Counter[Piece]()
        for part, many in switches.items():
            power_w = self._switches[part].power_w
            known += many * (power_w or 0.0)
            if power_w is None and many:
                unknown[part, None] += many
        nics = one.nodes * one.ports.nics
        cages = sum(many * self._switches[part].cages.count for part, many in switches.items())
        counts = (one.switches, nics, one.cables + nics + cages / CABLES_OF)
        return Outlay(counts, Amount(known, unknown), self._price(switches, one.ports.nic, nics))

    def _price(self, switches: Mapping[str, int], nic: str | None, nics: int) -> PriceTotal:
        """What switches and NICs cost together: the whole costs no less."""
        if self.terms.prices is None:
            return PriceTotal()
        known: dict[str, Decimal] = {}
        for part, many in (*switches.items(), *(((nic, nics),) if nic else ())):
            price = self.terms.prices.price(part)
            if price is not None and many:
                known[price.currency] = known.get(price.currency, Decimal(0)) + many * price.amount
        return PriceTotal(known)

    @cached_property
    def _switches(self) -> dict[str, Switch]:
        return {one.id: one for one in self.catalog.of_kind("switch") if isinstance(one, Switch)}

    # What they promise at most

    @property
    def names(self) -> tuple[Collective, ...]:
        """The collectives that are analysed: those with a need, all-reduce and all-to-all."""
        return tuple(dict.fromkeys((*self.asked.needs, *COLLECTIVES)))

    def may_meet(self, one: Fabric, promise: Mapping[str, float] | None = None) -> bool:
        """Whether nothing known without an analysis says that a requirement is not met."""
        if "switch" in self.asked.survive and not one.survives_switch:
            return False
        if self.asked.budget is not None:
            most, currency = self.asked.budget
            if self.cost(one).price.known.get(currency, 0) > most:
                return False
        return self.may_meet_needs(one, promise)

    def may_meet_needs(self, one: Fabric, promise: Mapping[str, float] | None = None) -> bool:
        """The same of the needs alone."""
        if self._in_groups:
            return True
        if promise is None:
            promise = {name: one.at_most_GBps(name) for name in self.asked.needs}
        return all(promise.get(name, inf) >= least for name, least in self.asked.needs.items())

    def promise(self, one: Fabric) -> dict[str, float]:
        """What it gives at most: what its nodes take in, and what its cuts let through.

        Empty where groups communicate, of which cuts around all GPUs say nothing.
        """
        if self._in_groups:
            return {}
        taken_in = self._taken_in.get(_nodes_of(one)) or self._of_few(one)
        found = {name: min(taken_in.get(name, inf), one.at_most_GBps(name)) for name in self.names}
        if self.asked.survive:
            # of several leaves one takes that share of a node's ports, and of what enters an SU
            several = one.rails * one.planes if not one.cores else 1
            found[KEPT] = 1.005 - 1 / several if several > 1 else 1.0
        return {**found, JOINED: float(one.joined), LISTED: 1.0}

    @property
    def _in_groups(self) -> bool:
        return bool(self.asked.request.job.layout.sizes)

    def _of_few(self, one: Fabric) -> Mapping[str, float]:
        """The figures of a few nodes of the same ports on one switch; none where none joins two."""
        ports = one.ports
        key = (ports.nic, ports.nics, ports.node_gbit, ports.leaf)
        if key not in self._taken_in:
            fit = ports.leaf_cages * ports.below // ports.node_ports
            nodes = min(FEW_NODES, one.nodes, fit)
            found: dict[str, float] = {}
            if nodes > 1:
                small = Fabric(ports, nodes, nodes)
                planned = PlannedDesign.of(small.design(), self.catalog)
                for name in self.names:
                    value = self._figure(planned, name).value
                    found |= {} if value is None else {name: value * 1.002}
            self._taken_in[key] = found
        return self._taken_in[key]

    def _learn(self, one: Fabric, figures: Mapping[Collective, Labelled]) -> None:
        """What nodes take in, where a proof shows that no cut above held it back."""
        known = dict(self._taken_in.get(_nodes_of(one)) or self._of_few(one))
        for name, figure in figures.items():
            above = one.lets_through_GBps(name)
            if figure.value is not None and figure.value * CLEARLY < above:
                known[name] = min(known.get(name, inf), figure.value * 1.002)
        self._taken_in[_nodes_of(one)] = known

    def _figure(self, planned: PlannedDesign, name: Collective) -> Labelled:
        return figure_at_hand(planned, replace(self.asked.request, collective=name)).amount

    # What an analysis proves

    def proof(self, one: Fabric) -> Outcome[Fabric] | None:
        """Its figures by the engine and its bill, needs and failures checked."""
        if one not in self.known:
            self.known[one] = self._analysed(one)
        made = self.known[one]
        if made is None:
            return None
        if one not in self._outcomes:
            cost = self.cost(one)
            if "needs" not in made.broken:  # else there is no bill
                cost = replace(cost, price=made.cost.price)
            self._outcomes[one] = Outcome(one, self._gains(made), cost, not made.broken)
        return self._outcomes[one]

    def _gains(self, made: Proposal) -> dict[str, float]:
        """Figures that are compared; one at most or at least so much only with its like."""
        found = {
            f"{name}{figure.label.sign}": figure.value
            for name, figure in made.figures.items()
            if figure.value is not None
        }
        if self.asked.survive:
            found[KEPT] = made.after_failure or 0.0
        return {**found, JOINED: float(made.fabric.joined), LISTED: float(made.listed)}

    def _analysed(self, one: Fabric) -> Proposal | None:
        asked, design = self.asked, one.design()
        if asked.kw_per_rack is not None:
            block = PlacementBlock(max_power_w=asked.kw_per_rack * 1000)
            design = design.model_copy(update={"placement": block})
        planned = PlannedDesign.of(design, self.catalog)
        plan = planned.plan
        if any(each.severity == "error" for each in (*plan.findings, *port_findings(plan))):
            return None
        busbw = dict.fromkeys(self.names, Labelled(None, UNKNOWN))
        unmet = False
        # an exchange is quicker to predict than an all-reduce, and what misses a need is not wanted
        for name in sorted(
            self.names, key=lambda each: (each not in asked.needs, each == "all_reduce")
        ):
            figure = figure_at_hand(planned, replace(asked.request, collective=name))
            busbw[name] = figure.amount
            unmet = not figure.holds(asked.needs.get(name, 0.0)) and name in asked.needs
            if unmet:
                break
        if not self._in_groups:
            self._learn(one, busbw)
        if unmet:
            nics = one.nodes * one.ports.nics
            counts = {"switch": one.switches, "nic": nics, "cable": one.cables}
            return Proposal(one, design, busbw, counts, self.cost(one), broken=("needs",))
        evaluated = EvaluatedDesign(
            design, self.catalog, asked.request, terms=self.terms, shared=planned
        )
        bill = evaluated.bill
        counts = {kind: bill.quantity(kind) for kind in COMPARED}
        counts["cable"] += bill.quantity("fibre")
        lengths = [line.length_m for line in bill.lines if line.kind in ("cable", "fibre")]
        known = [length for length in lengths if length is not None]
        way = None if asked.later is None else one.grown(asked.later)
        made = Proposal(
            one,
            design,
            busbw,
            counts,
            Outlay(tuple(counts[kind] for kind in COMPARED), bill.power_w, bill.price),
            bill.racks.count if bill.racks is not None and not bill.racks.unplaced else None,
            max(known, default=0.0) if len(known) == len(lengths) else None,
            sum(
                max(0, use.free) * planned.devices[name]
                for (name, _), use in port_use(plan).items()
                if plan.groups[name].switch is not None
            ),
            listed=bill.listed,
            replugged=None if way is None else way[1],
        )
        broken = list(_broken(made, bill, asked))
        if asked.survive and not broken:
            kept, cut_off, survives = worst_failure(evaluated, asked, self.names)
            made = replace(made, after_failure=kept, gpus_cut_off=cut_off)
            broken += [] if survives else ["survive"]
        return replace(made, broken=tuple(broken))

    def told(self, made: Proposal) -> Proposal:
        """A proposal with what it keeps after a failure."""
        evaluated = EvaluatedDesign(made.design, self.catalog, self.asked.request, terms=self.terms)
        kept, cut_off, _ = worst_failure(evaluated, self.asked, tuple(made.figures))
        return replace(made, after_failure=kept, gpus_cut_off=cut_off)


def every_fabric(asked: Requirements, catalog: Catalog) -> Iterator[Fabric]:
    """Every fabric of the parts and limits that are asked for, each once."""
    seen: set[Fabric] = set()
    for ports in all_ports(asked, catalog):
        for one in fabrics(
            ports,
            asked.nodes,
            need_GBps=asked.needs.get("all_to_all", 0.0),
            align=asked.align or 1,
            later=asked.later or 0,
        ):
            most = asked.oversubscription
            thick = most is None or one.oversubscription <= most * (1 + 1e-9)
            if thick and (not asked.shapes or one.shape in asked.shapes) and one not in seen:
                seen.add(one)
                yield one


def _nodes_of(one: Fabric) -> tuple[object, ...]:
    """What decides how much nodes take in, of so many."""
    ports = one.ports
    return ports.nic, ports.nics, ports.node_gbit, ports.leaf, one.rails, one.planes, one.tiers


def _broken(made: Proposal, bill: Bill, asked: Requirements) -> Iterator[str]:
    """The requirements beside figures that a bill does not keep."""
    if asked.budget is not None:
        amount, currency = asked.budget
        kept = made.listed and made.price is not None and made.price[1] == currency
        if not kept or made.price is None or made.price[0] > amount:
            yield "budget"
    longest, racks = made.longest_m, bill.racks  # what is unknown keeps no limit
    if asked.longest_m is not None and (longest is None or longest > asked.longest_m):
        yield "longest"
    if asked.kw_per_rack is not None and (racks is None or racks.over_limit):
        yield "kw_per_rack"
    if asked.later is not None and made.replugged is None:
        yield "later"


def worst_failure(
    evaluated: EvaluatedDesign, asked: Requirements, names: Sequence[Collective]
) -> tuple[float | None, int, bool]:
    """The least kept after one cable or switch fails, GPUs cut off, and whether needs survive."""
    start = intact(evaluated.plan, evaluated.catalog, asked.request, names)
    worst, cut_off, survives = 1.0, 0, True
    for kind, outcome in without_each(start):
        worst = min(worst, outcome.whole_share or 0.0)
        cut_off = max(cut_off, outcome.gpus_cut_off)
        runs = all(kept.after_GBps is not None for kept in outcome.kept)
        if kind in asked.survive and (outcome.gpus_cut_off or not runs):
            survives = False
    return worst, cut_off, survives
