"""Pages of a review: which blocks, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from toposmith.analysis.load_tables import LINKS_IN_WORDS, links_table, tiers_table
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import asked_words, where_words
from toposmith.bill.order_words import order_lines
from toposmith.catalog.prices import Price
from toposmith.collectives import collective_name
from toposmith.documents.markdown import Block, Heading, Page, Paragraph, Sentences
from toposmith.documents.table import Table, table_of_words
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.report.markup import as_html, document, paragraph, safe
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import findings_table, findings_words
from toposmith.review.differences.consequences import Differences
from toposmith.review.differences.differences_table import differences_table
from toposmith.review.failures.networks_beside import compute_switches, not_looked_at
from toposmith.review.failures.sweep import Sweep
from toposmith.review.failures.sweep_in_words import (
    before_line,
    beside_notes,
    connection_lines,
    failures_table,
    reasons,
    survival_notes,
)
from toposmith.review.sidecar.approval import moved_words, signed_figures
from toposmith.review.sidecar.verdict import Comment, Decision, Review, listed_words, moved_figures
from toposmith.text import (
    ALGORITHM_NAMES,
    PROTOCOL_NAMES,
    bandwidth,
    counted,
    money,
    oversubscription,
    percent,
    signed_percent,
)

ROUTING_WORDS = {
    "ideal": "switches spread traffic over the capacity that is left on each path, without loss; "
    "plain ECMP gives less where connections collide",
    "adaptive": "switches spread packets over the paths, with a small loss",
    "detour": "switches spread traffic over minimal paths and detours through one other group, as "
    "well as can be",
    "dimension-order": "switches send traffic along one axis after the other, the shorter way "
    "around",
    "static": "switches hash each connection onto one path, as plain ECMP does",
}

_ASSUMED = (
    *("length-assumed", "length-unknown", "rack-height-unknown", "rack-power-unknown"),
    *("rack-too-many", "unknown-fact", "unverified-fact", "no-sharp", "no-adaptive-routing"),
    *("wider-nvlink-domain", "detours-not-best", "exchange-not-routed", "rccl-not-modelled"),
    "small-messages",
)
"""Findings that say what a figure assumes, or what is not known of it."""


def basis_lines(evaluated: EvaluatedDesign) -> Iterator[str]:
    """Of what figures are, how far published results were from such, what was not looked at."""
    request = evaluated.asked
    yield (
        f"Messages of {asked_words(request, nccl=evaluated.plan.nccl)}, ranks "
        f"{request.job.placement}; sizes as nccl-tests counts them."
    )
    for collective, analysis in evaluated.analyses.items():
        yield f"{collective_name(collective)}: {published_words(analysis)}."
    yield f"Assumed: {'; '.join(_assumed(evaluated))}."
    yield f"Looked at: {', '.join(_looked_at(evaluated.plan)) or 'no network'}."
    yield f"Not looked at: {'; '.join(not_looked_at(evaluated.network))}."


def published_words(analysis: Analysis) -> str:
    """How far published results were from such a prediction, or that none are known."""
    band = analysis.band
    if analysis.busbw_GBps is None:
        return "no prediction, and no band of published results"
    if band is None:
        return f"a model's figure; {analysis.no_band or 'too few published results'}"
    which = "all published results" if band.is_span else "published results"
    return (
        f"a model's figure; {which} of such systems: {signed_percent(band.low)} to "
        f"{signed_percent(band.high)} of this prediction ({counted(band.systems, 'system')}, "
        f"{counted(band.curves, 'curve')}; {band.where})"
    )


def _assumed(evaluated: EvaluatedDesign) -> Iterator[str]:
    yield ROUTING_WORDS[evaluated.asked.routing.mode]
    yield "one job alone on the network, and no slow device"
    codes = [one.code for one in evaluated.findings if one.code in _ASSUMED]
    if codes:
        yield f"what these findings say: {', '.join(dict.fromkeys(codes))}"


def _looked_at(plan: Plan) -> Iterator[str]:
    """The network of the collectives: slots of nodes, and its switches."""
    network = ComputeNetwork(plan)
    yield from (f"{group}.{slots}" for group, slots in network.slots.items())
    yield from (name for name in plan.groups if name in compute_switches(network))


UNPROVEN = "Names and addresses are those that git was given; nothing but a signature proves them."
"""The note below decisions."""

OWN_UNKNOWN = "Whether who approved changed the design is unknown: git does not say who did."

PAIRS_NOT_LOOKED_AT = "Pairs of failures were not looked at."
MOST_FAILURES = 40
"""Classes of failures on a page; the worst come first."""


def review_page(
    evaluated: EvaluatedDesign,
    sweep: Sweep,
    review: Review,
    *,
    against: Differences | None = None,
    change: Sequence[Block] = (),
    program: str = "",
    date: str = "",
    revision: str = "",
) -> Page:
    """Everything that decides whether to sign a design, and where to sign it.

    Parameters
    ----------
    evaluated : EvaluatedDesign
        Figures, bill and findings of the design.
    sweep : Sweep
        What it keeps after failures.
    review : Review
        Comments and decisions.
    against : Differences, optional
        From an older design to this one.
    change : sequence of Block, optional
        What is to be done on the metal, step by step.
    program : str
        The version that computed it.
    date, revision : str
        The day of the page, and the revision of git that the file is of; empty if unknown.
    """
    title = f"Review: {evaluated.design.name or 'unnamed design'}"
    versions = _versions(evaluated, program, date, revision)
    blocks: list[Block] = [Heading(title, 1), *_design(evaluated, versions)]
    blocks += [Heading("State of the review"), *_said(review, evaluated)]
    blocks += [Heading("What the figures are of"), Sentences(tuple(basis_lines(evaluated)))]
    blocks += [Heading("Figures"), _figures(evaluated), *_limits(evaluated)]
    blocks += [Heading("Bill"), *_bill(evaluated)]
    blocks += [Heading("Findings"), *_findings(evaluated)]
    blocks += [Heading("Failures"), *_failures(sweep)]
    if against is not None:
        blocks += [Heading(f"Differences from {against.old.source}"), *differences_blocks(against)]
    blocks += [Heading("Change order"), *change] if change else []
    blocks += [Heading("Signatures"), *_signatures(evaluated, versions, review.needed)]
    return Page(title, tuple(blocks))


def review_comment(
    evaluated: EvaluatedDesign, review: Review, against: Differences | None = None
) -> Page:
    """The comment for a merge request: the state of the review, what changes, what is open.

    Parameters
    ----------
    evaluated : EvaluatedDesign
        The design as it is proposed.
    review : Review
        Comments and decisions.
    against : Differences, optional
        From the design as it was.
    """
    title = f"Review of {evaluated.source}: {review.words}"
    blocks: list[Block] = [Heading(title, 2), *_decided(review, evaluated)]
    if against is not None:
        blocks += [Heading(f"Differences from {against.old.source}", 3)]
        blocks += differences_blocks(against)
    else:
        basis = next(iter(basis_lines(evaluated)))
        blocks += [Heading("Figures", 3), _figures(evaluated), Paragraph(basis)]
    said = findings_words(evaluated.findings)
    blocks.append(Paragraph(f"Findings: {said}."))
    blocks += _comments(review.open_comments)
    return Page(title, tuple(blocks))


def differences_page(found: Differences) -> Page:
    """What changed from one design to another."""
    title = f"Differences: {found.old.source} -> {found.new.source}"
    return Page(title, (Heading(title, 1), *differences_blocks(found)))


def differences_blocks(found: Differences) -> tuple[Block, ...]:
    """The differences without a title."""
    table = differences_table(found)
    told = tuple(Paragraph(note.text) for note in table.head)
    return (*told, table) if table.rows else told


def _versions(evaluated: EvaluatedDesign, program: str, date: str, revision: str) -> str:
    """The state of the design, the catalog and the program that a page is of, with its date."""
    bill = evaluated.bill
    said = (
        f"File {evaluated.source}",
        f"git revision {revision}" if revision else "no git revision",
        f"design sha256 {evaluated.digest[:16]}",
        f"catalog of {bill.catalog_parts} parts sha256 {bill.catalog_sha256[:16]}",
        f"Toposmith {program}" if program else "",
        date,
    )
    return ", ".join(filter(None, said))


def _signatures(evaluated: EvaluatedDesign, versions: str, needed: int) -> Iterator[Block]:
    """What is signed, and a line for who designed it and for each approval that is needed."""
    yield Paragraph(f"Signed is: {versions}. The whole digest is {evaluated.digest}.")
    rows = (("designed by",), *(("approved by",) for _ in range(needed)))
    lines = tuple((*row, *("." * wide for wide in (24, 24, 14, 32))) for row in rows)
    yield table_of_words(("", "name", "role", "date", "signature"), lines)


def _design(evaluated: EvaluatedDesign, versions: str) -> Iterator[Block]:
    first, bill = evaluated.first, evaluated.bill
    if evaluated.design.note:
        yield Paragraph(" ".join(evaluated.design.note.split()))
    yield Paragraph(f"{versions}.")
    worst = evaluated.worst_oversubscription
    yield Sentences(
        (
            f"{counted(first.gpus, 'GPU')} in {counted(first.nodes, 'node')}",
            f"worst oversubscription {oversubscription(worst)}",
            f"power {bill.power_w.amount('W')}",
            f"height {bill.rack_units.amount('U')}",
            f"cost {evaluated.cost_words}",
        )
    )


def _said(review: Review, evaluated: EvaluatedDesign) -> Iterator[Block]:
    yield Paragraph(f"{review.words[0].upper()}{review.words[1:]}.")
    if moved := moved_words(review.pinned, evaluated):
        yield Paragraph(f"{moved[0].upper()}{moved[1:]}.")
    yield from _decided(review, evaluated)
    yield from _comments(review.comments)


def _decided(review: Review, evaluated: EvaluatedDesign) -> Iterator[Block]:
    if lines := tuple(review_lines(review, evaluated)):
        yield Sentences(lines)
    if review.decisions:
        yield Paragraph(unproven_words(review))


def review_lines(review: Review, evaluated: EvaluatedDesign) -> Iterator[str]:
    """What is wrong with the review itself, and each decision with what is to be known of it."""
    yield from review.faults
    for decision in review.decisions:
        yield from decision_lines(decision, evaluated)


def unproven_words(review: Review) -> str:
    """What proves who decided, and whether that was the designer where git cannot tell."""
    unknown = any(
        each.approved and each.own is None and not each.stale for each in review.decisions
    )
    return f"{UNPROVEN} {OWN_UNKNOWN}" if unknown else UNPROVEN


def _comments(comments: Sequence[Comment]) -> Iterator[Block]:
    if comments:
        rows = tuple(row for comment in comments for row in comment_rows(comment))
        yield table_of_words(("id", "state", "place", "comment", "author", "date"), rows)


def decision_lines(decision: Decision, evaluated: EvaluatedDesign) -> Iterator[str]:
    """A decision in a sentence, and what is to be known of an approval."""
    yield decision.words
    if decision.stale and decision.entry.figures and not decision.moved:
        moved = listed_words(list(moved_figures(decision.entry.figures, signed_figures(evaluated))))
        yield f"figures since: {moved or 'the same'}"
    yield from decision.remarks
    if decision.entry.not_looked_at:
        yield f"not looked at in the approval: {'; '.join(decision.entry.not_looked_at)}"


def comment_rows(comment: Comment) -> Iterator[tuple[str, ...]]:
    """A comment as cells, and each reply below it."""
    place = f"{comment.place} (no longer in the design)" if comment.gone else comment.place
    place += f" (was {comment.was})" if comment.was else ""
    state = "open" if comment.open else f"resolved by {comment.settled_by}"
    yield (comment.mark, state, place, comment.text, comment.author, comment.date)
    for reply in comment.replies:
        yield ("", "reply", "", reply.text, reply.author, reply.date)


def _figures(evaluated: EvaluatedDesign) -> Table:
    names = ("collective", "groups", "runs", "busbw", "is", "bound", "is", "of the bound")
    rows = tuple(_figure_row(name, each) for name, each in evaluated.analyses.items())
    return table_of_words((*names, "limited by"), rows, (3, 5, 7))


def _figure_row(collective: Collective, analysis: Analysis) -> tuple[str, ...]:
    links = [load.words for load in analysis.limiting]
    algorithm = ALGORITHM_NAMES.get(analysis.algorithm, analysis.algorithm)
    protocol = PROTOCOL_NAMES.get(analysis.protocol, analysis.protocol)
    by = ", ".join(links) if analysis.limited_by == "links" else analysis.limited_by or "unknown"
    return (
        collective_name(collective),
        analysis.communicator.words,
        " ".join(filter(None, (algorithm, protocol))) or "unknown",
        analysis.busbw.words,
        analysis.busbw_label.words if analysis.busbw_GBps is not None else "",
        bandwidth(analysis.bound.value),
        analysis.bound.label.words if analysis.bound.value is not None else "",
        percent(analysis.share_of_bound),
        by,
    )


def _limits(evaluated: EvaluatedDesign) -> Iterator[Block]:
    for name, analysis in evaluated.analyses.items():
        if analysis.limits:
            yield Heading(f"Links under {collective_name(name)} (model), most loaded first", 3)
            yield links_table(analysis.limits, analysis)
            yield Paragraph(f"{LINKS_IN_WORDS}.")
        if analysis.bound_cut:
            cut = ", ".join(f"{each.cables:,} x {each.link}" for each in analysis.bound_cut)
            of = f" {where_words(analysis, runs=False)}" if analysis.reduces else ""
            yield Paragraph(f"The cut of the bound{of} ({analysis.bound_label.words}): {cut}.")
    if evaluated.first.tiers:
        yield Heading("Tiers", 3)
        yield tiers_table(evaluated.first)


def _bill(evaluated: EvaluatedDesign) -> Iterator[Block]:
    """What there is to buy, and how much of it has a part number to order by and a price."""
    bill = evaluated.bill
    yield Sentences(
        (
            bill.orderable_words,
            f"prices: {bill.price.state}; cost {evaluated.cost_words}",
            *order_lines(bill),
        )
    )
    spared = any(line.spares for line in bill.lines)
    priced = bool(bill.price.known)
    rows = tuple(
        (
            line.name,
            line.ordered_as or "unknown",
            "" if line.length_m is None else f"{line.length_m:g} m",
            f"{line.quantity:,}",
            *((f"{line.spares:,}" if line.spares else "",) if spared else ()),
            "unknown" if line.price is None else _price(line.price, 1),
            "unknown" if line.price is None else _price(line.price, line.quantity),
            *((line.price.stated if line.price else "",) if priced else ()),
        )
        for line in bill.lines
    )
    names = ["part", "ordered as", "length", "quantity", "price", "amount"]
    if spared:
        names.insert(4, "spares")
    right = tuple(range(2, len(names)))
    yield table_of_words((*names, "of, and terms") if priced else tuple(names), rows, right)


def _price(price: Price, many: int) -> str:
    return money(float(price.amount * many), price.currency)


def _findings(evaluated: EvaluatedDesign) -> Iterator[Block]:
    said = findings_words(evaluated.findings)
    yield Paragraph(f"{said[0].upper()}{said[1:]}.")
    if evaluated.findings:
        yield findings_table(evaluated.findings)


RESTARTED = "figures after a failure assume that the job restarts on the nodes that are left"


def _failures(sweep: Sweep) -> Iterator[Block]:
    yield Paragraph(f"{before_line(sweep)}; {RESTARTED}.")
    if not sweep.singles:
        yield Sentences(tuple(_not_looked_at(sweep)))
        return
    yield Sentences(tuple(note.text for note in (*survival_notes(sweep), *beside_notes(sweep))))
    yield Heading("Single failures, one of each class of equivalent things, worst first", 3)
    table = failures_table(sweep.singles, sweep)
    yield replace(table, rows=table.rows[:MOST_FAILURES])
    if len(table.rows) > MOST_FAILURES:
        yield Paragraph(
            f"{counted(len(table.rows) - MOST_FAILURES, 'more class')} keep as much or more."
        )
    if sweep.doubles:
        yield Heading(f"Pairs of failures, {sweep.doubles_words}, worst first", 3)
        yield failures_table(sweep.doubles[:MOST_FAILURES], sweep)
    else:
        yield Paragraph(PAIRS_NOT_LOOKED_AT)
    notes = (
        *reasons((*sweep.singles, *sweep.doubles)),
        *connection_lines(sweep),
        *_not_looked_at(sweep),
    )
    yield Sentences(notes)


def _not_looked_at(sweep: Sweep) -> Iterator[str]:
    for text in sweep.not_looked_at:
        yield f"not looked at: {text}"
    if not sweep.complete:
        yield "ended early: not every failure was looked at"


def page_html(page: Page) -> str:
    """A whole page."""
    return document(page.title, *(f"{_block(block)}\n" for block in page.blocks))


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{safe(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return paragraph(block.text)
    if isinstance(block, Sentences):
        return "<ul>" + "".join(f"<li>{safe(line)}</li>" for line in block.lines) + "</ul>"
    return as_html(block)
