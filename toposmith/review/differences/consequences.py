"""What follows from a change: figures, parts to buy or return, findings gained and resolved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

from toposmith.amount import Amount
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.result import Analysis
from toposmith.bill.bill import Bill
from toposmith.collectives import collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.labels import EXACT, UNKNOWN, Label, inverse
from toposmith.review.differences.changes import (
    Change,
    changes,
    dealt_otherwise,
    in_old_words,
    nothing_in_common,
    order_of_the_file,
    same_groups,
)

NOISE = 0.001
"""Relative change of a figure that counts as none: a per mille."""

Better = Literal["more", "less", ""]
"""Whether more or less of a figure is better; empty where neither is."""


@dataclass(frozen=True)
class FigureChange:
    """A figure of both designs; None is unknown.

    Parameters
    ----------
    key, label : str
        Stable name, and the words for a person.
    unit : str
        ``GB/s``, ``W``, ``U``, ``:1``, a currency, or nothing for counts.
    before, after : float or None
        The figures.
    better : str
        Whether more or less is better.
    unit_after : str
        The unit of the later figure where it is another one; two currencies are never subtracted.
    label_before, label_after : Label
        What kinds of figures they are, ``unknown`` of None; what is at least so much is no measure
        of a change.
    least_before, least_after : float or None
        What a total is at least that lacks the figure of a part.
    """

    key: str
    label: str
    unit: str
    before: float | None
    after: float | None
    better: Better = ""
    unit_after: str = ""
    _: KW_ONLY
    label_before: Label
    label_after: Label
    least_before: float | None = None
    least_after: float | None = None

    @property
    def comparable(self) -> bool:
        """Whether both figures have one unit and are of one kind.

        Amounts of two currencies are not, nor are an exact bound and another, nor figures that are
        at least or at most so much.
        """
        one_unit = not self.unit_after or self.unit_after == self.unit
        return one_unit and self.of_one_kind

    @property
    def of_one_kind(self) -> bool:
        """Whether both figures are of one kind, and none is at least or at most so much."""
        before, after = self.label_before, self.label_after
        return before.kind == after.kind and not before.sign

    @property
    def factor(self) -> float | None:
        """After over before; None where these are unknown or not comparable."""
        if not self.before or self.after is None or not self.comparable:
            return None
        return self.after / self.before

    @property
    def differs(self) -> bool:
        """Whether the figure is another, beyond a per mille; counts are never rounded."""
        if self.before is None or self.after is None:
            floors = self.least_before != self.least_after
            return self.before is not self.after or floors
        if self.unit_after not in ("", self.unit):
            return True
        if not self.of_one_kind and self.label_before != self.label_after:
            return True
        if not self.unit:
            return self.after != self.before
        return abs(self.after - self.before) > NOISE * max(abs(self.before), abs(self.after))

    @property
    def worse(self) -> bool:
        """Whether the change is for the worse; a figure that became unknown is."""
        if not self.differs or not self.better:
            return False
        if self.before is None or self.after is None:
            return self.after is None
        if not self.comparable:
            return False
        return (self.after < self.before) == (self.better == "more")


@dataclass(frozen=True)
class PartChange:
    """A part of which more or fewer are needed; ``length_m`` of cables and fibres."""

    part: str
    name: str
    length_m: float | None
    before: int
    after: int

    @property
    def buy(self) -> int:
        """How many to buy; what is to return is negative."""
        return self.after - self.before


@dataclass(frozen=True)
class Differences:
    """Two designs: what changed, and what follows."""

    old: EvaluatedDesign
    new: EvaluatedDesign
    changes: tuple[Change, ...]
    figures: tuple[FigureChange, ...]
    parts: tuple[PartChange, ...]
    gained: tuple[Finding, ...]
    resolved: tuple[Finding, ...]
    changed: tuple[tuple[Finding, Finding], ...]
    nothing_in_common: bool

    @property
    def differ(self) -> bool:
        """Whether anything but positions on the canvas changed."""
        return bool(self.changes) or self.has_consequences

    @property
    def has_consequences(self) -> bool:
        """Whether a figure, the parts or the findings are others."""
        findings = self.gained or self.resolved or self.changed
        return bool(self.parts or findings) or any(figure.differs for figure in self.figures)

    @property
    def worse(self) -> tuple[str, ...]:
        """What is worse than before: bandwidth, bounds, oversubscription, findings."""
        return (
            *(figure.label for figure in self.figures if figure.worse),
            *(f"{f.code} at {f.where}" for f in self.gained if f.counts),
            *(
                f"{now.code} at {now.where}"
                for was, now in self.changed
                if _weight(was) < _weight(now)
            ),
        )


def differences(old: EvaluatedDesign, new: EvaluatedDesign) -> Differences:
    """Compare two designs whose figures were asked alike."""
    same = same_groups(old.design, new.design)
    dealt = tuple(dealt_otherwise(old.plan, new.plan))
    found = Differences(
        old,
        new,
        (*changes(old.design, new.design), *dealt),
        tuple(_figures(old, new)),
        tuple(part_changes(old.bill, new.bill)),
        *_finding_changes(old, new, same),
        nothing_in_common(old.design, new.design),
    )
    if not found.has_consequences:
        return found
    # an order from which nothing follows is a way to write the same
    order = (
        one for one in order_of_the_file(old.plan, new.plan) if not (dealt and one.where == "links")
    )
    return replace(found, changes=(*found.changes, *order))


def _figures(old: EvaluatedDesign, new: EvaluatedDesign) -> Iterator[FigureChange]:
    one, other = old.first, new.first
    yield _figure("gpus", "GPUs", "", (one.gpus, other.gpus), EXACT)
    yield _figure("nodes", "nodes", "", (one.nodes, other.nodes), EXACT)
    for name in old.analyses:
        a, b = old.analyses[name], new.analyses[name]
        words = collective_name(name)
        groups = _groups(a, b)
        rates = (a.busbw_GBps, b.busbw_GBps)
        labels = (a.busbw_label, b.busbw_label)
        yield _figure(f"busbw_{name}", f"{words} busbw{groups}", "GB/s", rates, *labels, "more")
        bounds = (a.bound.value, b.bound.value)
        labels = (a.bound.label, b.bound.label)
        yield _figure(f"bound_{name}", f"{words} bound{groups}", "GB/s", bounds, *labels, "more")
    halves = (one.bisection_GBps, other.bisection_GBps)
    labels = (one.bisection_label, other.bisection_label)
    yield _figure("bisection", "bisection", "GB/s", halves, *labels)
    before, after = old.oversubscription, new.oversubscription
    for tier, was, now in _ratios(before, after):
        # a tier that one design has not is no figure that became unknown, and 0.9:1 is no lack
        both = was in before and now in after
        ratios = (before.get(was), after.get(now))
        better: Better = "less" if both and (ratios[1] or 0) > 1 + NOISE else ""
        label = f"{tier} oversubscription"
        key = f"oversubscription_{tier}"
        yield _figure(key, label, ":1", ratios, EXACT, better=better)
    currency = old.currency or new.currency or ""
    prices = (old.price, new.price)
    cost = _figure("cost", "cost", currency, prices, cost_label(old.bill), cost_label(new.bill))
    yield replace(cost, unit_after=new.currency or currency)
    if old.price is not None and new.price is not None:
        yield from _cost_shares(old, new, currency)
    yield _totals("power", "power", "W", old.bill.power_w, new.bill.power_w)
    yield _totals("rack_units", "rack units", "U", old.bill.rack_units, new.bill.rack_units)


def _cost_shares(
    old: EvaluatedDesign, new: EvaluatedDesign, currency: str
) -> Iterator[FigureChange]:
    """What each GPU and each GB/s of an all-to-all cost, where both prices are known."""
    was, now = (of.exchanged.share_amounts(of.bill.price) for of in (old, new))
    rates = (inverse(old.exchanged.label), inverse(new.exchanged.label))
    found = (
        _figure("cost_per_gpu", "cost per GPU", currency, (was[0], now[0]), EXACT),
        _figure("cost_per_GBps", "cost per GB/s of all-to-all", currency, (was[1], now[1]), *rates),
    )
    for one in found:
        yield replace(one, unit_after=new.currency or currency)


def _ratios(
    before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[str, str, str]]:
    """The tiers of two designs, each with its name in both.

    Where one has a ratio for each group of a tier, and the other one for all of them, the groups
    are compared with that one.
    """
    names = dict.fromkeys((*before, *after))
    split = {name.partition(" (")[0] for name in names if " (" in name}
    for name in names:
        tier = name.partition(" (")[0]
        if name not in split:
            yield name, name if name in before else tier, name if name in after else tier


def cost_label(bill: Bill) -> Label:
    """A sum of the prices that were given; exact where no line of it rests on an assumption."""
    assumed = [one.text for one in bill.to_settle if one.label == "assumed"]
    return Label("assumed", "what the bill rests on", "; ".join(assumed)) if assumed else EXACT


def _figure(
    key: str,
    words: str,
    unit: str,
    figures: tuple[float | None, float | None],
    label: Label,
    later: Label | None = None,
    better: Better = "",
) -> FigureChange:
    """A figure of both designs, of the same kind in both where no later one is named."""
    before, after = figures
    return FigureChange(
        *(key, words, unit, before, after, better),
        label_before=UNKNOWN if before is None else label,
        label_after=UNKNOWN if after is None else later or label,
    )


def _groups(old: Analysis, new: Analysis) -> str:
    """Whose figures are compared, where they are not those of all GPUs in both designs."""
    one, other = old.communicator, new.communicator
    if one.kind == other.kind == WORLD:
        return ""
    return f" ({one.words})" if one.words == other.words else f" ({one.words} -> {other.words})"


def _totals(key: str, label: str, unit: str, one: Amount, other: Amount) -> FigureChange:
    """Two sums; one that lacks the figure of a part is unknown, but for what it is at least."""
    return FigureChange(
        key,
        label,
        unit,
        one.exact,
        other.exact,
        label_before=one.label,
        label_after=other.label,
        least_before=None if one.complete else one.floor,
        least_after=None if other.complete else other.floor,
    )


def part_changes(old: Bill, new: Bill) -> Iterator[PartChange]:
    """The parts of which two bills have other numbers."""
    before, after = _quantities(old), _quantities(new)
    names = {line.part: line.name for bill in (old, new) for line in bill.lines}
    for part, length in dict.fromkeys((*after, *before)):
        counts = (before[part, length], after[part, length])
        if counts[0] != counts[1]:
            yield PartChange(part, names[part], length, *counts)


def _quantities(bill: Bill) -> Counter[tuple[str, float | None]]:
    found: Counter[tuple[str, float | None]] = Counter()
    for line in bill.lines:
        found[line.part, line.length_m] += line.quantity
    return found


def _finding_changes(
    old: EvaluatedDesign, new: EvaluatedDesign, same: Mapping[str, str]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[tuple[Finding, Finding], ...]]:
    """Findings that only the new design has, those that only the old one has, and changed ones.

    Two findings are the same if code, severity, place and whether they are waived are; links are
    known by their ends. Of the others, two of one code at one place are a change. What is said of
    pins is about the catalog, which is one for both designs.
    """
    before, after = _by_place(old, {}), _by_place(new, same)
    gained: list[Finding] = []
    resolved: list[Finding] = []
    changed: list[tuple[Finding, Finding]] = []
    for place in dict.fromkeys((*after, *before)):
        was, now = before.get(place, []), after.get(place, [])
        kept = Counter(map(_standing, was)) & Counter(map(_standing, now))
        was, now = _without(was, kept), _without(now, kept)
        many = min(len(was), len(now))
        changed += zip(was, now, strict=False)
        gained += now[many:]
        resolved += was[many:]
    return tuple(gained), tuple(resolved), tuple(changed)


def _by_place(of: EvaluatedDesign, same: Mapping[str, str]) -> dict[Hashable, list[Finding]]:
    """The findings of a design by code and place, in names of the old design."""
    found: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in of.findings:
        if finding.code == "pinned-parts-changed":
            continue
        place = finding.place.lasting.renamed(lambda name: in_old_words(name, same))
        if place.kind in ("group", "link"):  # in whichever order a file has them
            place = replace(place, names=tuple(sorted(place.names)))
        found[finding.code, place].append(finding)
    return found


def _standing(finding: Finding) -> tuple[str, bool]:
    return finding.severity, finding.waived is not None


def _without(findings: list[Finding], kept: Counter[tuple[str, bool]]) -> list[Finding]:
    """The findings but so many of each severity, waived or not."""
    left, rest = Counter(kept), []
    for finding in findings:
        if left[_standing(finding)]:
            left[_standing(finding)] -= 1
        else:
            rest.append(finding)
    return rest


def _weight(finding: Finding) -> int:
    """How much a finding counts: waived ones and remarks nothing, errors more than warnings."""
    return ("warning", "error").index(finding.severity) + 1 if finding.counts else 0
