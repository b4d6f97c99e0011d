"""Candidates as designs, analysed with their bills and what a failure leaves of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from toposmith.analysis.request import Collective
from toposmith.bill.bill import Bill
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.design.placement_block import PlacementBlock
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.breakable import failure_classes
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.review.failures.without import intact, without
from toposmith.synthesis.candidates import (
    Requirements,
    grown,
)
from toposmith.synthesis.closed_forms import Candidate
from toposmith.synthesis.figures_at_hand import figure_at_hand
from toposmith.synthesis.outlays import Outlay
from toposmith.synthesis.proposals import COMPARED, Proposal


@dataclass
class Pool:
    """Fabrics analysed so far, each once.

    Parameters
    ----------
    asked : Requirements
        What is asked for.
    catalog, terms
        Parts, and the terms of the bills.
    known : dict of Candidate to Proposal or None
        None for what cannot be built.
    """

    asked: Requirements
    catalog: Catalog
    terms: Terms
    known: dict[Candidate, Proposal | None] = field(default_factory=dict)

    def analysed(self, candidate: Candidate) -> Proposal | None:
        """The fabric in full; None where it cannot be built."""
        if candidate not in self.known:
            self.known[candidate] = analysed(candidate, self.asked, self.catalog, self.terms)
        return self.known[candidate]

    @property
    def all(self) -> list[Proposal]:
        """Everything that can be built."""
        return [one for one in self.known.values() if one is not None]


def analysed(
    candidate: Candidate, asked: Requirements, catalog: Catalog, terms: Terms
) -> Proposal | None:
    """A fabric as a design, analysed and with its bill; None where it has an error."""
    design = candidate.design()
    if asked.kw_per_rack is not None:
        block = PlacementBlock(max_power_w=asked.kw_per_rack * 1000)
        design = design.model_copy(update={"placement": block})
    planned = PlannedDesign.of(design, catalog)
    plan = planned.plan
    if any(one.severity == "error" for one in (*plan.findings, *port_findings(plan))):
        return None
    names = tuple(dict.fromkeys((*asked.needs, *COLLECTIVES)))
    busbw = dict.fromkeys(names, Labelled(None, UNKNOWN))
    unmet = False
    # an exchange is quicker to predict than an all-reduce, and what misses a need is not wanted
    for name in sorted(names, key=lambda one: (one not in asked.needs, one == "all_reduce")):
        figure = figure_at_hand(planned, replace(asked.request, collective=name))
        busbw[name] = figure.amount
        unmet = not figure.holds(asked.needs.get(name, 0.0)) and name in asked.needs
        if unmet:
            break
    if unmet:
        counts = {
            "switch": candidate.switches,
            "nic": candidate.nodes * candidate.ports.nics,
            "cable": candidate.cables,
        }
        return Proposal(candidate, design, busbw, counts, candidate.cost, broken=("needs",))
    evaluated = EvaluatedDesign(design, catalog, asked.request, terms=terms, shared=planned)
    bill = evaluated.bill
    counts = {kind: bill.quantity(kind) for kind in COMPARED}
    counts["cable"] += bill.quantity("fibre")
    lengths = [line.length_m for line in bill.lines if line.kind in ("cable", "fibre")]
    known = [length for length in lengths if length is not None]
    made = Proposal(
        candidate,
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
        replugged=_replugged(candidate, asked),
    )
    broken = list(_broken(made, bill, asked))
    if asked.survive and not broken:
        kept, cut_off, survives = worst_failure(evaluated, asked, names)
        made = replace(made, after_failure=kept, gpus_cut_off=cut_off)
        broken += [] if survives else ["survive"]
    return replace(made, broken=tuple(broken))


def _replugged(candidate: Candidate, asked: Requirements) -> int | None:
    if asked.later is None:
        return None
    way = grown(candidate, asked.later)
    return None if way is None else way[1]


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
    for each in failure_classes(start.network, evaluated.catalog):
        if each.kind in ("node", "NIC"):
            continue
        outcome = without(start, (each.member(),))
        worst = min(worst, outcome.whole_share or 0.0)
        cut_off = max(cut_off, outcome.gpus_cut_off)
        kind = "cable" if each.kind == "cable" else "switch"
        runs = all(kept.after_GBps is not None for kept in outcome.kept)
        if kind in asked.survive and (outcome.gpus_cut_off or not runs):
            survives = False
    return worst, cut_off, survives
