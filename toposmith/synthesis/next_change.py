"""What to do next for a figure: the first of its fixes, else what could go; both in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.cancellation import TimeLimit
from toposmith.collectives import collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.labels import Labelled
from toposmith.labels import as_data as label_data
from toposmith.synthesis.left_out import LeftOut, Spares, what_can_be_left_out
from toposmith.synthesis.needs import FIGURE, LEAST_GAIN, WORKLOAD, Aim, Margin
from toposmith.synthesis.purchases import purchase_as_data, purchase_words
from toposmith.synthesis.ranked_fixes import (
    MOST_FIXES,
    Fix,
    Progress,
    RankedFixes,
    by_purchase,
    gives_as_much,
    ranked_fixes,
)
from toposmith.synthesis.side_effects import FigurePair, Worsened, mend_first_words
from toposmith.text import bandwidth, change, counted, joined, number, percent

SPARES_ORDER = (
    "the greatest saving first: by price where all is priced, then switches, NICs, cables"
)
"""By what is ranked what could be left out."""


def now_words(found: RankedFixes) -> str:
    """The figure as it stands, and what holds it back."""
    now, request, aim = found.now, found.of.asked, found.aim
    label = f" ({now.amount.label.words})" if now.amount.value is not None else ""
    limit = f", {aim.held_by} {now.limit}" if now.limit else ""
    if not aim.of_collective:
        return f"{aim.words(request)} {now.amount.words}{label}{limit}"
    what = f"{aim.words(request)} {now.amount.words} per GPU"
    return f"{what}{label}{limit}; {asked_words(request, nccl=found.of.plan.nccl)}"


def order_words(found: RankedFixes) -> str:
    """By what several fixes are ranked, and what stands elsewhere; empty for one alone."""
    if len(found.fixes) < 2:
        return ""
    return "; ".join((_order(found.fixes), *_moved(found.fixes)))


def _order(fixes: Sequence[Fix]) -> str:
    parts = "by switches to buy, then NICs, then cables and fibres, then modules"
    if not all(fix.purchase.known for fix in fixes):
        return "the smallest first: by switches to buy, then NICs, then cables"
    if all(fix.purchase.price for fix in fixes if fix.purchase.parts):
        return "the cheapest first"
    if any(fix.purchase.price for fix in fixes):
        return f"the cheapest first, then what has no price: {parts}"
    return f"the smallest first: {parts}"


def _moved(fixes: Sequence[Fix]) -> Iterator[str]:
    """What does not stand where its purchase would have it."""
    if list(fixes) == sorted(fixes, key=by_purchase):
        return
    if any(fix.needs.apart for fix in fixes):
        yield "right behind what leaves rails unjoined, what joins them and gives as much"
    if any(fix.needs.slowed for fix in fixes):
        yield "NICs below their speed behind what gives as much at its own"


def then_words(found: RankedFixes, fix: Fix) -> str:
    """The figure after a fix with its kind, what is won, and what holds it back then."""
    then = f"; then {found.aim.held_by} {fix.limit}" if fix.limit else ""
    return f"{fix.after.words} ({fix.after.label.words}), {gain_words(fix)}{then}"


def gain_words(fix: Fix) -> str:
    """``+12.0 GB/s, x 2.00``."""
    before, after = fix.before.value, fix.after.value
    of_what = " of required" if isinstance(fix.after, Margin) and fix.gain is not None else ""
    factor = f", {change(after / before)}" if before and after else ""
    return f"{gained(fix)}{of_what}{factor}"


def gained(fix: Fix) -> str:
    """``+12.0 GB/s``: what a fix wins; ``new`` where nothing ran before."""
    if fix.gain is None:
        return "new"
    return f"+{percent(fix.gain) if isinstance(fix.after, Margin) else bandwidth(fix.gain)}"


def none_words(found: RankedFixes) -> str:
    """That there is no fix, in few words."""
    return _reasons(found)[0]


def why_none(found: RankedFixes) -> str:
    """Why there is no fix."""
    return "; ".join(_reasons(found))


def _reasons(found: RankedFixes) -> tuple[str, ...]:
    """Why there is no fix, and what was not tried for it."""
    now = found.now
    if now.limited_by == "time":
        return ("the current figure was not worked out in that time",)
    if now.amount.value is None and found.aim is WORKLOAD:
        return (
            "the design has no training workload with traffic between nodes that runs on it: "
            "`toposmith workload` says what is missing",
        )
    if now.amount.value is None:
        return ("no collective can run; see `toposmith check`",)
    if now.amount.label.sign:
        kind = now.amount.label.words
        return (f"only a limit ({kind}): fixes cannot be ranked by it",)
    if now.limited_by == "latency":
        return ("limited by latency: larger messages would lift it, no cable does",)
    if now.limited_by == "channels":
        return ("no change of the fabric was found that lifts NCCL's channels",)
    if not found.tried and not found.complete:
        return (f"{now.limit} limits it",)
    if not found.tried:
        return (
            f"no change of {now.limit} was found that lifts it without an error",
            "NICs of a node that are part of its board stay unchanged",
        )
    return (
        f"no change was found that lifts it: {counted(found.tried, 'change')} of cables, counts "
        "and parts analysed",
        "NICs of a node that are part of its board or at the limit of their slots stay unchanged",
    )


NO_PATH = "no path"
"""What is left of a collective that could not run any more."""


def pair_words(figure: FigurePair) -> str:
    """``all-to-all 48.3 GB/s -> 8.01 GB/s``."""
    return f"{_figure_name(figure)} {figure.before.words} -> {_after_words(figure)}"


def _figure_name(figure: FigurePair) -> str:
    name = collective_name(figure.collective)
    return name if figure.pxn else f"{name} without PXN"


def _after_words(figure: FigurePair) -> str:
    """What is left; PXN alone joins what has no figure without it."""
    lost = figure.after.value is None and not figure.pxn
    return NO_PATH if lost else figure.after.words


def _falls_words(figure: FigurePair) -> str:
    after = _after_words(figure)
    return f"has {after}" if after == NO_PATH else f"falls to {after}"


def suffers_words(left: LeftOut) -> str:
    """Which figures fall."""
    if not left.suffers:
        held = joined(_figure_name(figure) for figure in left.figures)
        return f"{held} stay unchanged" if len(left.figures) > 1 else f"{held} stays unchanged"
    return "; ".join(map(pair_words, left.suffers))


def cost_lines(change: Fix | LeftOut) -> list[str]:
    """What else a change does: figures that fall, findings that it adds or makes worse."""
    lines = []
    if isinstance(change, Fix) and change.falls:
        lines.append(f"with nothing failed: {'; '.join(map(pair_words, change.falls))}")
    if isinstance(change, Fix) and not change.reviewed:
        lines.append("which figures fall was not worked out")
    if isinstance(change, Fix) and change.stops_h is not None:
        before_h, after_h = change.stops_h
        if not before_h / LEAST_GAIN < after_h < before_h * LEAST_GAIN:
            hours = f"every {number(after_h)} h, {number(before_h)} h before it"
            lines.append(f"a job on all GPUs stops {hours}")
    lines += [f"adds {one.severity} {one.where}: {one.text}" for one in change.added]
    lines += [
        f"worsens {one.after.severity} {one.after.where}, {one.words}: {one.after.text}"
        for one in change.worsened
    ]
    return lines


def cost_cell(change: Fix | LeftOut) -> str:
    """The same, short: ``all-to-all falls to 4.00 GB/s, warns of leaves joined by one switch``."""
    pairs = change.falls if isinstance(change, Fix) else change.suffers
    falls = [f"{_figure_name(pair)} {_falls_words(pair)}" for pair in pairs]
    warned = [one.record.title for one in change.added]
    warned += [
        f"{one.after.record.title} {one.after.value.words}"
        for one in change.worsened
        if one.after.value is not None
    ]
    warns = [f"warns of {joined(dict.fromkeys(warned))}"] if warned else []
    return ", ".join([*falls, *warns])


def spare_words(found: Spares) -> str:
    """In one sentence what could go, the greatest saving: for where the network does not limit.

    What leaves something without a path is never said so shortly.
    """
    whole = [one for one in found.left_out if not one.splits]
    left = next((one for one in whole if not one.suffers), whole[0] if whole else None)
    if left is None:
        return ""
    cost = cost_cell(left)
    words = f"it holds with less: {left.label}"
    return f"{words}, but {cost}" if cost else f"{words}; {suffers_words(left)}"


NOT_ALL_SPARES = "stopped before all was tried; more could perhaps be left out"
"""What is said where a limit of time ended the search for what could go."""


def unmet_words(found: Spares) -> str:
    """Which needs the design does not meet as it stands: ``all-reduce 356 GB/s of 400 GB/s``."""
    return ", ".join(
        f"{collective_name(name)} {has.words} of {bandwidth(found.needs[name])}"
        for name, has in found.unmet.items()
    )


def _figure(of: Labelled) -> dict[str, Any]:
    value = None if of.value is None else round(of.value, 6)
    return {"busbw_GBps": value, **label_data(of.label)}


def _findings(found: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {"code": one.code, "severity": one.severity, "where": one.where, "text": one.text}
        for one in found
    ]


def _worsened(found: Iterable[Worsened]) -> list[dict[str, Any]]:
    return [
        {
            **said,
            "before": one.before.value.amount if one.before.value else None,
            "after": one.after.value.amount if one.after.value else None,
            "unit": one.after.value.unit if one.after.value else None,
        }
        for one in found
        for said in _findings([one.after])
    ]


def _pairs(figures: Iterable[FigurePair]) -> list[dict[str, Any]]:
    return [
        {
            "collective": pair.collective,
            "before": _figure(pair.before),
            "after": _figure(pair.after),
        }
        for pair in figures
    ]


def _lifted(found: RankedFixes, amount: Labelled) -> dict[str, Any]:
    value = None if amount.value is None else round(amount.value, 6)
    return {found.aim.key: value, **label_data(amount.label)}


def fixes_as_data(found: RankedFixes, spares: Spares | None) -> dict[str, Any]:
    """The fixes under stable keys (see ``docs/synthesis.md``)."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        "collective": found.of.asked.collective,
        **asked_as_data(found.of.asked, nccl=found.of.plan.nccl),
        "lift": found.aim.name,
        "now": {**_lifted(found, found.now.amount), "limited_by": found.now.limit or None},
        "fixes": [
            {
                "change": fix.label,
                **_lifted(found, fix.after),
                ("gain_GBps" if found.aim.of_collective else "gain_share"): None
                if fix.gain is None
                else round(fix.gain, 6),
                "then_limited_by": fix.limit or None,
                "routing": fix.request.routing.mode,
                "falls": _pairs(pair for pair in fix.falls if pair.pxn),
                "falls_without_pxn": _pairs(pair for pair in fix.falls if not pair.pxn),
                "adds": _findings(fix.added),
                "worsens": _worsened(fix.worsened),
                "stops_h": fix.stops_h,
                **purchase_as_data(fix.purchase),
            }
            for fix in found.fixes
        ],
        "analysed": found.tried,
        "complete": found.complete,
        "why_none": None if found.fixes else why_none(found),
        "mend_first": list(found.mend_first),
        "spare": spares_as_data(spares)["spare"] if spares is not None else [],
    }


def spares_as_data(found: Spares) -> dict[str, Any]:
    """What can be left out, under stable keys."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        **asked_as_data(found.of.asked, nccl=found.of.plan.nccl),
        "needs": dict(found.needs),
        "unmet": list(found.unmet),
        "after_worst_failure": found.after_failure or None,
        "complete": found.complete,
        "mend_first": list(found.mend_first),
        "spare": [
            {
                "what": left.what,
                "change": left.label,
                "figures": [
                    {**said, "needed_GBps": figure.needed_GBps}
                    for figure in left.figures
                    if figure.pxn
                    for said in _pairs([figure])
                ],
                "falls_without_pxn": _pairs(pair for pair in left.suffers if not pair.pxn),
                "after_worst_failure": left.after_failure or None,
                "adds": _findings(left.added),
                "worsens": _worsened(left.worsened),
                **purchase_as_data(left.purchase),
            }
            for left in found.left_out
        ],
    }


BESIDE_STEPS = 2_000_000
"""Steps that the same search takes at most."""

BESIDE_SECONDS = 3.0
"""How long fixes are searched where they are shown beside figures without being asked for: most
designs take a tenth of it, single analyses of the largest dragonflies a third."""


@dataclass(frozen=True)
class NextChange:
    """The fixes of a design; where nothing raises its figure, what could be left out instead."""

    fixes: RankedFixes
    spares: Spares | None = None

    @property
    def fix(self) -> Fix | None:
        """The smallest change that raises the figure; None where none was found."""
        return self.fixes.fixes[0] if self.fixes.fixes else None

    @property
    def joined(self) -> Fix | None:
        """What joins the rails that the first fix leaves apart, with as much, else the most."""
        if self.fix is None or not self.fix.needs.apart:
            return None
        joins = [fix for fix in self.fixes.fixes if not fix.needs.apart]
        as_much = (fix for fix in joins if gives_as_much(fix, self.fixes.fixes[0]))
        return next(as_much, max(joins, key=lambda fix: fix.after.value or 0.0, default=None))

    @property
    def joined_words(self) -> tuple[str, ...]:
        """The same, its figure, and what it buys; or that no change joins the rails."""
        if self.fix is None or not self.fix.needs.apart:
            return ()
        if self.joined is None:
            return ("none of the other changes joins its rails",)
        bought = purchase_words(self.joined.purchase)
        return (f"rails joined: {self.joined.label}", self.joined.after.words, bought)

    def of_finding(self, finding: Finding) -> Fix | None:
        """The first fix that gives what a finding requires, else the one that gives most.

        None where no fix raises the figure of the finding.
        """
        fixes = self.fixes.fixes
        if not finding.record.lifted_by_fixes or not fixes:
            return None
        required = finding.values.get("required_GBps")
        if not isinstance(required, int | float):
            return fixes[0]
        enough = (fix for fix in fixes if (fix.after.value or 0.0) >= required)
        return next(enough, max(fixes, key=lambda fix: fix.after.value or 0.0))

    @property
    def words(self) -> tuple[str, ...]:
        """The change, what it gives and what it buys; or why there is none, and what could go."""
        fix = self.fix
        if fix is not None:
            then = then_words(self.fixes, fix)
            joins = filter(None, ["; ".join(self.joined_words)])
            return (fix.label, then, self.buys, *cost_lines(fix), *joins, *self._stopped)
        return (why_none(self.fixes), *self._mend_first, *self._stopped, *self._less)

    @property
    def none_words(self) -> tuple[str, ...]:
        """That there is no change, in few words, and what could go."""
        return (none_words(self.fixes), *self._mend_first, *self._stopped, *self._less)

    @property
    def _mend_first(self) -> tuple[str, ...]:
        """Of what something is broken, where changes were left out for that."""
        words = mend_first_words(self.fixes.mend_first)
        return (words,) if words else ()

    @property
    def _less(self) -> tuple[str, ...]:
        """What could be left out, where that was searched and found."""
        if self.spares is None:
            return ()
        stopped = "" if self.spares.complete else NOT_ALL_SPARES
        return tuple(filter(None, (spare_words(self.spares), stopped)))

    @property
    def buys(self) -> str:
        """What the change buys; empty where there is none."""
        return purchase_words(self.fix.purchase) if self.fix is not None else ""

    @property
    def costs(self) -> str:
        """What else the change does, short: ``all-reduce to 189 GB/s``."""
        return cost_cell(self.fix) if self.fix is not None else ""

    @property
    def _stopped(self) -> tuple[str, ...]:
        """That not all changes were tried."""
        if self.fixes.complete:
            return ()
        return (f"stopped after {counted(self.fixes.tried, 'change')}; there may be others",)

    def mending(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Findings, each with the change that raises its figure."""
        return tuple(
            self._with_fix(finding) if finding.record.lifted_by_fixes else finding
            for finding in findings
        )

    def _with_fix(self, finding: Finding) -> Finding:
        fix = self.of_finding(finding)
        if fix is None or fix.after.value is None:
            return finding.with_worked_out({"no_change": none_words(self.fixes)})
        return finding.with_worked_out({"change": fix.label, "change_GBps": fix.after.value})


def next_change(
    of: EvaluatedDesign,
    aim: Aim = FIGURE,
    *,
    progress: Progress | None = None,
    seconds: float | None = None,
    limit: TimeLimit | None = None,
    reviewed: int | None = None,
) -> NextChange:
    """Search what raises a figure, and where nothing does, what could be left out.

    Parameters
    ----------
    of : EvaluatedDesign
        The design, with its request and the terms of its bill.
    aim : Aim
        What is raised.
    progress : callable, optional
        Called after every analysis; where it returns False the search ends, incomplete.
    seconds : float, optional
        After which the search ends, incomplete, half of them for changes and the other half for
        what they buy and take elsewhere; without it all changes are tried.
    limit : TimeLimit, optional
        In place of seconds, one that may be ended before.
    reviewed : int, optional
        Of how many fixes side effects are computed; if not given, of all, and with a limit of
        time of the first.
    """
    limit = limit or TimeLimit(seconds, inf if seconds is None else BESIDE_STEPS)
    if reviewed is None:
        reviewed = MOST_FIXES if seconds is None else 1
    found = ranked_fixes(of, aim, most_reviewed=reviewed, progress=progress, limit=limit)
    amount = found.now.amount
    # nothing is measured by a figure that is a limit
    measured = aim is FIGURE and amount.value is not None and not amount.label.sign
    searched = measured and found.complete and not found.fixes
    if not searched:
        return NextChange(found)
    return NextChange(found, what_can_be_left_out(of, others=True, limit=limit))


def findings_with_fixes(of: EvaluatedDesign) -> tuple[Finding, ...]:
    """The findings of a design; where a change may raise the figure of one, it is searched."""
    findings = of.findings
    if not any(one.record.lifted_by_fixes and one.waived is None for one in findings):
        return findings
    return next_change(of, limit=TimeLimit(steps=BESIDE_STEPS)).mending(findings)
