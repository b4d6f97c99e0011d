"""The live panel's content: figures in, lines of text out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.content import Content

from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis, LinkLoad, Tier
from toposmith.analysis.summary import (
    assumptions,
    band_range,
    band_words,
    how_words,
    scale_words,
    where_words,
)
from toposmith.catalog.part_text import domain_noun
from toposmith.collectives import collective_name
from toposmith.findings.finding import (
    Finding,
    counts,
    findings_words,
    waived_count,
    waiver_words,
    worst_first,
)
from toposmith.labels import Labelled, inverse
from toposmith.text import (
    LIMIT_WORDS,
    UNKNOWN,
    at_line_rate,
    bandwidth,
    counted,
    duration_us,
    joined,
    message_size,
    percent,
)
from toposmith.tui.canvas.trunk_figures import FULL_FROM
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.history_line import history_line
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import (
    LiveWorkload,
    basis_of,
    pairs_of,
    verdict_mark,
)
from toposmith.tui.pages.panel_text import HEADING, MUTED, PanelText
from toposmith.workloads.workload_assumptions import DOES_NOT_FIT, run_words
from toposmith.workloads.workload_in_words import exposed_words, verdict_words, waits_of_each

if TYPE_CHECKING:
    from toposmith.synthesis.next_change import NextChange

SHOWN_LIMITS = 5
LEAST_BAR = 3
NAME_COLUMN = 11
"""Cells that the names of links take at least, so that their bars begin in one column."""
_PORTS = re.compile(r"([\w-]+)\.\w+")
_SEVERITY_STYLES = {"error": "$text-error", "warning": "$text-warning", "info": "$text-muted"}


def headline(figures: LiveFigures) -> str:
    """The number in large digits; empty where it is not known."""
    analysis = figures.analysis
    if analysis is None or analysis.busbw_GBps is None:
        return ""
    return f"{analysis.busbw_label.sign}{_number(analysis.busbw_GBps)}"


def _number(busbw_GBps: float) -> str:
    """The number of a rate without its unit."""
    return bandwidth(busbw_GBps).partition(" ")[0]


def live_lines(
    figures: LiveFigures, width: int, glyphs: Glyphs, *, large: bool, whole: bool = False
) -> Content:
    """Write the panel: the figure, what it rests on, what limits it, what is wrong, what lifts it.

    Parameters
    ----------
    figures : LiveFigures
        What to show.
    width : int
        Cells of a line.
    glyphs : Glyphs
        The signs to draw with.
    large : bool
        Whether the number is shown above in large digits already.
    whole : bool
        Whether to go on with how it is run, what is assumed, tiers, findings and the note.
    """
    report = _Report(width, glyphs)
    analysis = figures.analysis
    if figures.waiting:
        report.say("computing ... Esc stops", "$text-warning")
        report.say("figures of before:", MUTED)
    if figures.trouble:
        report.say(figures.trouble, "$text-error")
    elif analysis is None:
        report.say("computing ... Esc stops", MUTED)
    elif analysis.gpus == 0:
        report.no_gpus(analysis)
    else:
        report.headline(figures, analysis, large=large)
        report.facts(figures, analysis)
        report.workload(figures.workload, whole=whole)
        report.links(analysis)
        report.gap()
        report.counts(figures.findings, judged=figures.judged)
        report.next_change(figures.next, searching=figures.searching)
        if whole:
            report.published(analysis)
            report.run(analysis, figures.request)
            report.cluster(analysis)
            report.tiers(analysis)
    if whole or analysis is None or not analysis.gpus:
        report.findings(figures.findings)
        report.note(figures.note)
    else:
        if analysis.busbw_GBps is None:
            report.findings(tuple(worst_first(figures.findings)[:1]))  # why there is no figure
        report.pair("all that it rests on", "(.)", MUTED, label_style=MUTED)
    return report.content()


class _Report(PanelText):
    """The sections of the live panel."""

    def no_gpus(self, analysis: Analysis) -> None:
        """What brings figures: a node, or the part that a group names and no catalog has."""
        unknown = (one for one in analysis.findings if one.code == "unknown-part")
        values = (one.all_values for one in unknown)
        parts = [str(value["part"]) for value in values if "part" in value]
        if not parts:
            self.say("no GPUs yet", "bold")
            self.say("Press a, choose a node and press Enter: the figures appear here.", MUTED)
        else:
            self.say("no GPUs known", "bold")
            verb = "is" if len(parts) == 1 else "are"
            self.say(f"{joined(parts, 'and')} {verb} not in the catalog", "$text-error")

    def headline(self, figures: LiveFigures, analysis: Analysis, *, large: bool) -> None:
        """The figure, what is measured, and how the figure moved."""
        if analysis.busbw_GBps is None:
            self.say(UNKNOWN, "bold")
        else:
            label, words = analysis.busbw_label, analysis.busbw.words
            shown = words.rpartition(" ")[2] if large else words
            style = "bold" if large else "bold $text-accent"
            self.pair(f"{shown} per GPU", label.kind, MUTED, label_style=style)
            if label.of:
                self.say(label.of, "$text-warning")
        name = collective_name(analysis.collective)
        self.say(f"{name} busbw, {message_size(analysis.message_bytes)}")
        ranks = analysis.communicator
        if ranks.concurrent > 1:
            self.say(f"{ranks.kind} of {ranks.size:,}, {ranks.concurrent:,} at once")
        self._change("last change", figures.before, analysis)
        if figures.before is None or figures.before != figures.saved:
            self._change("since saved", figures.saved, analysis)
        self.trail(figures.trail)

    def facts(self, figures: LiveFigures, analysis: Analysis) -> None:
        """What such systems reached, the bound, the limit, the other collective: a line each."""
        self.gap()
        band, busbw_GBps, bound = analysis.band, analysis.busbw_GBps, analysis.bound
        if busbw_GBps is not None:
            if band is not None:
                of = f", {counted(band.systems, 'system')}"
                self.pair_if_fits("measured", band_range(busbw_GBps, band), of)
            if bound.value is not None:
                share = analysis.share_of_bound
                of = "above " if share is None else f"{percent(share)} of "
                self.pair("bound", f"{of}{bandwidth(bound.value)}")
        if analysis.limited_by and not analysis.limiting:
            self.pair("limit", LIMIT_WORDS.get(analysis.limited_by, UNKNOWN), "bold $text-warning")
        saved = figures.saved_beside if figures.before != figures.saved else None
        self.beside(figures.beside, saved)

    def published(self, analysis: Analysis) -> None:
        """Where published results fell around such figures, and what the bound is of."""
        self.heading("rests on")
        self.band(analysis)
        if analysis.busbw_GBps is not None:
            self._bound(analysis)

    def band(self, analysis: Analysis) -> None:
        """Where published results fell around such figures."""
        band, busbw_GBps = analysis.band, analysis.busbw_GBps
        if busbw_GBps is None:
            return
        if band is None:
            if not analysis.busbw_label.of:  # which says why already
                self.say(analysis.no_band, MUTED)
            return
        self.say(band_words(band))
        share = "all known" if band.is_span else "8 of 10" if band.supports_8_of_10 else ""
        if scale_words(band, analysis.communicator.size):
            share = f"up to {band.most_gpus:,} GPUs"
        self.pair(share, band_range(busbw_GBps, band), MUTED)

    def _bound(self, analysis: Analysis) -> None:
        share, bound = analysis.share_of_bound, analysis.bound
        if bound.value is None:
            if analysis.busbw_label.kind != "at least":
                self.say(f"bound {UNKNOWN}", MUTED)
            return
        label = bound.label
        kind = f"upper bound: {label.of}" if label.kind == "bound" else label.words
        if analysis.reduces:
            kind = f"{kind}, {where_words(analysis, runs=True)}"
        of = "above" if share is None else f"{percent(share)} of"
        self.say(f"{of} the {bandwidth(bound.value)} bound at line rate ({kind})")

    def _change(self, label: str, old: Analysis | None, new: Analysis) -> None:
        """How a figure differs from an earlier one of the same kind; nothing where it does not."""
        same = old is not None and old.collective == new.collective and old.gpus > 0
        if old is None or not same or old.message_bytes != new.message_bytes:
            return
        was, now = _digits(old.busbw), _digits(new.busbw)
        if was == now:
            return
        worse = new.busbw_GBps is None or (
            old.busbw_GBps is not None and new.busbw_GBps < old.busbw_GBps
        )
        style = "$text-warning" if worse else "$text-success"
        self.pair(label, f"{was} {self.glyphs.arrow} {now}", style)

    def counts(self, findings: tuple[Finding, ...], *, judged: bool) -> None:
        """Errors, warnings and what was waived of all findings, on a line that is always there.

        Before the design has been reviewed, an empty list is not a result.
        """
        told = [one for one in findings if one.severity != "info" or one.waived]
        found = {severity: many for severity, many in counts(told).items() if many}
        style = _SEVERITY_STYLES[next(iter(found))] if found else MUTED
        words = findings_words(told)
        if not told:
            words = "no warnings" if judged else "looking ..."
        label = "findings (f)"
        if found and len(label) + len(words) >= self.width:
            marks = [f"{self.glyphs.mark(severity)} {n:,}" for severity, n in found.items()]
            waived = waived_count(told)
            words = "  ".join([*marks, *([f"{waived:,} waived"] if waived else [])])
        self.pair(label, words, style)

    def workload(self, workload: LiveWorkload | None, *, whole: bool) -> None:
        """Whether the design serves its model, and what its step waits for."""
        if workload is None:
            return
        found = workload.found
        name = found.workload.model.name if found is not None else ""
        trains = found is None or found.workload.training is not None
        verb = "trains" if trains else "serves"
        head = self.glyphs.shown(f"{verb} {name}" if name else "workload") + " (t)"
        self.gap()
        kind = "" if found is None else (found.times_label.kind if found.step is not None else "")
        self.pair(head, kind, MUTED, label_style=HEADING)
        if workload.trouble:
            self.say(f"{self.glyphs.error} {workload.trouble}", "$text-error")
            return
        if found is None:
            self.say("computing ...", MUTED)
            return
        self.say(self.glyphs.shown(verdict_words(found).partition("; if it did")[0]))
        figures = list(pairs_of(found))
        self._workload_figures(figures[:1])
        step = found.step
        for name, exposed_s, verdict in waits_of_each(step) if step is not None else ():
            mark, style = verdict_mark(verdict, self.glyphs)
            words = exposed_words(exposed_s, step.step_s) if step is not None else ""
            self.pair(f"{mark} waits for {name}", words, style, label_style=style)
        before, now = workload.before, workload.figure
        same = before is not None and now is not None and before.name == now.name
        if before is not None and now is not None and same and before != now:
            self.pair("last change", f"{before.words} {self.glyphs.arrow} {now.words}")
        if whole:
            self._workload_figures(figures[1:])
            if basis := basis_of(found):
                self.say(f"{run_words(found.workload)}; {basis}", MUTED)
        for finding in found.findings:
            if finding.severity == "error":
                self.say(f"{self.glyphs.error} {finding.where}: {finding.text}", "$text-error")

    def _workload_figures(self, figures: list[tuple[str, str]]) -> None:
        for label, words in figures:
            style = "$text-error" if words == DOES_NOT_FIT else ""
            self.pair(label, self.glyphs.shown(words), style)

    def links(self, analysis: Analysis) -> None:
        """The links that carry most, a bar each; what limits is marked."""
        if not analysis.limits:
            return
        self.gap()
        binding = analysis.limiting
        ranked = sorted(analysis.limits, key=lambda load: -load.utilization)
        shown = ranked[:SHOWN_LIMITS]
        names = short_names([load.words for load in shown])
        for load, name in zip(shown, names, strict=True):
            self._limit(load, name, binds=load in binding)
        if len(ranked) > SHOWN_LIMITS:
            self.say(f"and {counted(len(ranked) - SHOWN_LIMITS, 'link')} with less", MUTED)
        if any(finding.code == "minimal-paths-limit" for finding in analysis.findings):
            self.say("on minimal paths alone; M, routing: detour goes around it", MUTED)

    def next_change(self, found: NextChange | None, *, searching: bool) -> None:
        """The smallest change that raises the figure; what could go where nothing raises it."""
        if found is None and not searching:
            return
        if found is None:
            self.pair("searching fixes ...", "(I)", MUTED, label_style=MUTED)
            return
        fix = found.fix
        if fix is None:
            none = "no fix found" if found.fixes.complete else "no fix found in time"
            self.pair(none, "(I)", MUTED, label_style=MUTED)
            return
        self.gap()
        self.pair("fix", "(I)", label_style=HEADING)
        self.say(fix.label)
        self.say(f"{self.glyphs.arrow} {fix.after.words}", "$text-success")
        self.say(found.buys, MUTED)
        if found.costs:
            self.say(f"but {found.costs}", "$text-warning")
        for line in found.joined_words:
            self.say(line)
        if not found.fixes.complete:
            self.say(found.words[-1], MUTED)
        others = len(found.fixes.fixes) - 1
        if others:
            self.say(f"and {counted(others, 'other change')}", MUTED)

    def run(self, analysis: Analysis, request: Request | None) -> None:
        """What NCCL runs, under which assumptions, and how long that takes."""
        if analysis.busbw_GBps is None:
            return
        self.heading("run by NCCL (model)")
        self.say(how_words(analysis))
        label = analysis.busbw_label
        self.pair("time", inverse(label).marked(duration_us(analysis.time_us)))
        self.pair("of which latency", duration_us(analysis.latency_us))
        self.pair("algbw", label.marked(bandwidth(analysis.algbw_GBps)))
        if analysis.path is not None and analysis.path.latency_us is not None:
            self.pair("wire, one way", duration_us(analysis.path.latency_us))
        if analysis.other_bound is not None:
            self.say(f"bound {where_words(analysis, runs=False)}", MUTED)
            self.pair("", bandwidth(analysis.other_bound.value), MUTED)
        if request is not None:
            forced = [word for word in assumptions(request) if word.endswith((" only", "SHARP"))]
            if forced:
                self.say(", ".join(forced), MUTED)
        if analysis.assumed:
            self.heading("assumed (M changes it)")
        for one in analysis.assumed:
            self.pair(one.name, one.words, MUTED)

    def _limit(self, load: LinkLoad, name: str, *, binds: bool) -> None:
        """A link with a bar and its share, on one line where its name leaves room for a bar."""
        style = "$text-error" if binds else style_of_load(load.utilization)
        share = percent(load.utilization).rjust(5)
        mark = f" {self.glyphs.limits}" if binds else "  "
        room = self.width - len(share) - len(mark) - 1
        figure = (f" {share}{mark}", f"bold {style}" if binds else "")
        beside = room - len(name) - 1
        if beside < LEAST_BAR:
            self.say(name)
            beside, name = room, ""
        else:
            beside = min(beside, room - NAME_COLUMN - 1)
            name = name.ljust(room - beside)
        bar = self.glyphs.bar(load.utilization, beside)
        self.lines.append(Content.assemble(name, (bar, style), figure))

    def beside(self, analysis: Analysis | None, saved: Analysis | None) -> None:
        """The figure of the other collective, which other links may limit."""
        if analysis is not None:
            name, value = collective_name(analysis.collective), analysis.busbw.words
            value = self.glyphs.shown(value)
            fits = len(name) + len(" busbw ") + len(value) <= self.width
            self.pair(f"{name} busbw" if fits else name, value)
            for finding in analysis.findings:
                if finding.code == "cannot-run":
                    self.say(finding.text, MUTED)
            if saved is not None and _digits(saved.busbw) != _digits(analysis.busbw):
                self._change("since saved", saved, analysis)

    def trail(self, values: tuple[float | None, ...]) -> None:
        """The figure over the last edits, from the first of them on whose figure is known."""
        known = [at for at, value in enumerate(values) if value is not None]
        values = values[known[0] :] if known else ()
        if sum(value is not None for value in values) > 1:
            edits = counted(len(values) - 1, "edit")
            self.pair(f"last {edits}", history_line(values, self.glyphs), "$text-accent")

    def cluster(self, analysis: Analysis) -> None:
        self.heading("cluster")
        self.pair("bisection", at_line_rate(analysis.bisection_GBps))
        if analysis.bisection_GBps is not None and analysis.bisection_label.kind != "bound":
            self.say(analysis.bisection_label.words, MUTED)
        self.pair("GPUs", f"{analysis.gpus:,}")
        self.pair("nodes", f"{analysis.nodes:,}")
        if analysis.nvlink_domains:
            self.pair(f"{domain_noun(analysis.gpu_links)}s", f"{analysis.nvlink_domains:,}")

    def tiers(self, analysis: Analysis) -> None:
        if not analysis.tiers:
            return
        self.heading("tiers")
        for tier in analysis.tiers:
            self.pair(f"{tier.name} {self.glyphs.times}{tier.devices:,}", _oversubscription(tier))
            self.say(f"  {counted(tier.ports_down, 'port')} below, {tier.ports_up:,} above", MUTED)

    def findings(self, findings: tuple[Finding, ...]) -> None:
        unique = worst_first(findings)
        if not unique:
            return
        self.heading("findings")
        for finding in unique:
            waived = finding.waived is not None
            style = MUTED if waived else _SEVERITY_STYLES[finding.severity]
            said = f"{finding.severity}, waived {waiver_words(finding)}"
            word = said if waived else finding.severity
            self.say(f"{self.glyphs.mark(finding.severity)} {word}", style)
            if waived and finding.waived:
                self.say(f"{finding.where}: {finding.waived.reason}", MUTED)
                continue
            self.say(f"{finding.where}: {finding.text}")

    def note(self, note: str) -> None:
        if not note:
            return
        self.heading("note")
        for paragraph in note.splitlines():
            self.say(paragraph, MUTED)


def style_of_load(utilization: float) -> str:
    """The style of a link that does not limit: red is for what limits."""
    return "$text-warning" if utilization >= FULL_FROM else "$text-success"


def short_names(names: list[str]) -> list[str]:
    """Names of links without what does not tell them apart: ``node-leaf``, ``node NVLink``.

    The ports at an end go where no other name reads the same then, and the room around the dash.
    """
    tight = [name.replace(" - ", "-") for name in names]
    short = [_PORTS.sub(r"\1", name) for name in tight]
    return [few if short.count(few) == 1 else all_ for few, all_ in zip(short, tight, strict=True)]


def _oversubscription(tier: Tier) -> str:
    return tier.words or "top tier"


def _digits(busbw: Labelled) -> str:
    """A rate in few letters: its sign and number, and its unit where that is not GB/s."""
    if busbw.value is None:
        return UNKNOWN
    return f"{busbw.label.sign}{bandwidth(busbw.value)}".removesuffix(" GB/s")
