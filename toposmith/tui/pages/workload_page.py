"""A workload on a design for its panel: what a step consists of, what the network has to give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.content import Content

from toposmith.findings.finding import worst_first
from toposmith.text import (
    bandwidth,
    counted,
    duration,
    number,
    percent,
    whole_figures,
    wrapped,
)
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_workload import verdict_mark
from toposmith.workloads.assess import Assessment
from toposmith.workloads.communications import TargetVerdict
from toposmith.workloads.goodput import Goodput
from toposmith.workloads.memory import Held
from toposmith.workloads.required_bandwidth import RequiredBandwidth
from toposmith.workloads.serving import Service
from toposmith.workloads.steps_over_gpus import StepsOverGpus
from toposmith.workloads.storage_demand import StorageNeed
from toposmith.workloads.training import Segment, State, TrainingStep, timeline
from toposmith.workloads.workload_assumptions import (
    assumed_of,
    run_words,
    service_words,
    step_words,
)
from toposmith.workloads.workload_in_words import (
    RULE_OF_THUMB,
    allocator_words,
    compared_words,
    days_words,
    exchange_words,
    exposed_words,
    goodput_rows,
    goodput_words,
    groups_words,
    held_words,
    margin_words,
    needed_words,
    nic_rates_words,
    nics_words,
    over_words,
    required_margin_words,
    required_verdict_words,
    service_rows,
    storage_rows,
    verdict_words,
    waits_of_each,
    with_rates,
    with_times,
)
from toposmith.workloads.workload_json import textbook_GBps

_HEADING = "bold $text-accent"
_MUTED = "$text-muted"
_STYLES: dict[State, str] = {
    "compute": "$text-primary",
    "slowed": "$text-secondary",
    "exposed": "$text-error",
    "bubble": "$text-warning",
    "hidden": "$text-success",
}
_SIGNS: dict[State, tuple[str, str]] = {
    "compute": ("█", "="),
    "slowed": ("▚", "~"),
    "exposed": ("▓", "!"),
    "bubble": ("░", "."),
    "hidden": ("▒", "-"),
}
_MEANT: dict[State, str] = {
    "compute": "compute",
    "slowed": "compute, slowed by the network",
    "exposed": "waits for the network",
    "bubble": "pipeline bubble",
    "hidden": "network, hidden behind compute",
}
_TIME_CELLS = 8


def workload_content(
    found: Assessment,
    width: int,
    glyphs: Glyphs,
    required: tuple[RequiredBandwidth, ...] = (),
    over: StepsOverGpus | None = None,
) -> Content:
    """The whole panel.

    Parameters
    ----------
    found : Assessment
        What the workload gets of the design.
    width : int
        Cells of a line.
    glyphs : Glyphs
        The signs to draw with.
    required : tuple of RequiredBandwidth
        What its tensor parallelism exchanges, and the rate that was asked for.
    over : StepsOverGpus, optional
        Its step on ever more GPUs.
    """
    page = _Page(max(width, 24), glyphs)
    page.say(verdict_words(found), "bold")
    page.head(found)
    if found.step is not None:
        tokens = found.workload.training.tokens if found.workload.training else None
        page.step(found, found.step, tokens)
        page.timeline(timeline(found.step), found.step.step_s)
        page.requirements(found.step, textbook_GBps(found))
        if over is not None and len(over.steps) > 1:
            page.over_gpus(over)
        page.memory(found.step.held)
    if found.service is not None:
        page.service(found, found.service)
        page.memory(found.service.held)
    if found.storage is not None and found.storage.found is not None:
        page.storage(found.storage)
    if found.goodput is not None:
        page.goodput(found.goodput)
    page.assumed(found)
    page.findings(found)
    for each in required:
        page.required(each)
    return Content("\n").join(page.lines)


def required_content(
    required: tuple[RequiredBandwidth, ...], width: int, glyphs: Glyphs
) -> Content:
    """The exercise of required bandwidth alone."""
    page = _Page(max(width, 24), glyphs)
    page.say(required_verdict_words(required), "bold")
    for each in required:
        page.required(each)
    return Content("\n").join(page.lines)


@dataclass
class _Page:
    """Lines collected for one width."""

    width: int
    glyphs: Glyphs

    def __post_init__(self) -> None:
        self.lines: list[Content] = []

    def say(self, text: str, style: str = "", *, indent: str = "") -> None:
        shown = whole_figures(self.glyphs.shown(text))
        for line in wrapped(shown, self.width - len(indent)):
            self.lines.append(Content.styled(f"{indent}{line}", style))

    def heading(self, text: str) -> None:
        if self.lines:
            self.lines.append(Content(""))
        self.lines.append(Content.styled(self.glyphs.shown(text), _HEADING))

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Labels with figures; both on one line where there is room."""
        for label, value in pairs:
            label, value = self.glyphs.shown(label), self.glyphs.shown(value)
            room = 24
            if len(value) + room <= self.width:
                self.lines.append(Content.assemble((label.ljust(room), _MUTED), value))
            else:
                self.lines.append(Content.styled(label, _MUTED))
                self.say(value, indent="  ")

    def head(self, found: Assessment) -> None:
        model = found.workload.model
        active = f", {number(model.active_parameters / 1e9)} B active" if model.experts else ""
        self.say(model.name or "a model", "bold")
        self.say(f"{number(model.parameters / 1e9)} B parameters{active}; {found.split}")
        taken = f"{found.split.gpus:,} of {found.gpus:,} GPUs"
        if found.step is None:
            each = max(found.split.tp * found.split.pp, found.split.ep)
            taken = f"copies of {counted(each, 'GPU')} on {found.gpus:,} GPUs"
        self.say(f"{taken}, {found.gpu.name}", _MUTED)
        self.say(run_words(found.workload))

    def assumed(self, found: Assessment) -> None:
        """What the figures rest on."""
        self.heading("rests on")
        self.pairs((one.name, one.words) for one in assumed_of(found))

    def step(self, found: Assessment, step: TrainingStep, tokens: float | None) -> None:
        rates, times, band = found.rates_label, found.times_label, found.step_band
        self.heading("a training step")
        self.say(step_words(times, found.gpu, found.workload.training), _MUTED)
        self.as_if(step.held)
        compared = compared_words(found)
        if compared:
            self.say(compared, _MUTED)
        bound = step.bound_by
        scores = rates.marked(percent(step.mfu_with_scores))
        self.pairs(
            [
                ("step", with_times(step.step_s, times, band)),
                ("MFU", f"{with_rates(step.mfu, rates, band, percent)}; {scores} with scores"),
                (
                    "tokens per second",
                    with_rates(step.tokens_per_s, rates, band, "{:,.0f}".format),
                ),
                *(
                    [("days", days_words(step.days(tokens), tokens, times, band))]
                    if tokens is not None
                    else []
                ),
                ("bound by", bound),
            ]
        )
        blamed = step.blamed
        if blamed is not None:
            where = blamed.link or blamed.limited_by
            most = f"{step.dimension_of(blamed)} {blamed.what}"
            self.say(f"waits longest for {most}, limited by {where}", "$text-warning")

    def as_if(self, held: Held) -> None:
        """That figures are as if a GPU held what it does not."""
        if not held.fits:
            self.say(f"does not fit, as if it did: {over_words(held)}", "$text-error")

    def timeline(self, segments: tuple[Segment, ...], step_s: float) -> None:
        self.heading("one step of one GPU")
        for lane in ("gpu", "network"):
            self.lines.append(self._lane([s for s in segments if s.lane == lane], step_s, lane))
        states = dict.fromkeys(segment.state for segment in segments)
        self._legend(states)
        self.lines.append(Content(""))
        for segment in segments:
            self._segment(segment, step_s)

    def _legend(self, states: Iterable[State]) -> None:
        """What the signs mean; a meaning stays on the line of its sign."""
        line: list[tuple[str, str]] = []
        used = 0
        for state in states:
            words = f" {_MEANT[state]}   "
            if line and used + 1 + len(words.rstrip()) > self.width:
                self.lines.append(Content.assemble(*line))
                line, used = [], 0
            line += [(self._sign(state), _STYLES[state]), (words, "")]
            used += 1 + len(words)
        self.lines.append(Content.assemble(*line))

    def over_gpus(self, found: StepsOverGpus) -> None:
        """A bar for each number of GPUs: what its step consists of."""
        self.heading("the step by number of GPUs")
        self.say(found.words)
        for step in found.steps:
            own = [each for each in timeline(step) if each.lane == "gpu"]
            self.lines.append(self._lane(own, step.step_s, f"{step.split.gpus:,}"))

    def requirements(self, step: TrainingStep, textbook: float | None) -> None:
        if not step.communication:
            return
        self.heading("the step waits for each dimension")
        for name, exposed_s, verdict in waits_of_each(step):
            mark, style = verdict_mark(verdict, self.glyphs)
            told = self.glyphs.shown(f"{name}  {exposed_words(exposed_s, step.step_s)}")
            self.lines.append(Content.assemble((f"{mark} ", style), told))
        self.heading("needed to hide behind compute, busbw per GPU")
        for each in step.communication:
            margin = margin_words(each) if each.margin < 100 else "ample"
            own = "" if each.overlaps else ", not overlapped"
            waits = f"the step waits {exposed_words(each.exposed_s, step.step_s)}"
            words = f"{waits}; needs {needed_words(each)}, gets {each.busbw.words}: {margin}{own}"
            what = self.glyphs.shown(f"{each.dimension} {each.what}, {counted(each.ranks, 'rank')}")
            self.lines.append(Content.styled(what, "bold"))
            self.say(words, indent="  ")
        if textbook is not None:
            self.say(f"tp on average, by {RULE_OF_THUMB}: {bandwidth(textbook)}", _MUTED)

    def required(self, found: RequiredBandwidth) -> None:
        self.heading("required bandwidth, per GPU and direction")
        self.say(exchange_words(found))
        self.say(groups_words(found), _MUTED)
        for line in found.lines:
            met: TargetVerdict = "satisfied" if line.verdict == "met" else "missed"
            mark, style = verdict_mark("unknown" if line.verdict == "unknown" else met, self.glyphs)
            rule = self.glyphs.shown(f"{line.rule.words}, {line.rule.formula}")
            self.lines.append(Content.assemble((f"{mark} ", style), (rule, "bold")))
            self.say(
                f"needs {bandwidth(line.needed_GBps)}; line rate {line.line_rate.words}, predicted "
                f"{line.predicted.words}: {line.verdict}, {required_margin_words(line)}, limited "
                f"by {line.holds}",
                style,
                indent="  ",
            )
            if line.nics or (line.beyond_gpu and not found.inside_node):
                self.say(f"NICs a node at line rate: {nics_words(line)}", indent="  ")
        if not found.inside_node:
            for nics in sorted({1, found.gpus_of_node}):
                self.say(nic_rates_words(found, nics), _MUTED)

    def memory(self, held: Held) -> None:
        self.heading("memory of a GPU")
        memory, memory_gb, fits = held.use, held.gpu_gb, held.fits
        share = memory.total / 1e9 / memory_gb
        style = "$text-success" if fits else "$text-error"
        words = f"{number(memory.total / 1e9)} of {number(memory_gb)} GB"
        verdict = "fits" if fits else "does not fit"
        bar = self.glyphs.bar(share, min(self.width - len(words) - len(verdict) - 3, 40))
        self.lines.append(Content.assemble((bar, style), f" {words}, ", (verdict, style)))
        self.say(held_words(held), _MUTED)
        if fits and memory.allocator_share:
            self.say(allocator_words(held), _MUTED)

    def service(self, found: Assessment, service: Service) -> None:
        self.heading("serving")
        self.say(service_words(found.times_label, found.gpu, found.workload.serving), _MUTED)
        self.as_if(service.held)
        self.pairs(service_rows(found, service))

    def storage(self, need: StorageNeed) -> None:
        self.heading("storage")
        self.pairs(storage_rows(need))

    def goodput(self, found: Goodput) -> None:
        self.heading("goodput")
        self.say(goodput_words(found))
        self.pairs(goodput_rows(found))

    def findings(self, found: Assessment) -> None:
        findings = worst_first(found.findings)
        if not findings:
            return
        self.heading("findings")
        styles = {"error": "$text-error", "warning": "$text-warning"}
        for one in findings:
            mark = self.glyphs.mark(one.severity)
            self.say(f"{mark} {one.where}: {one.text}", styles.get(one.severity, _MUTED))

    def _sign(self, state: State) -> str:
        return _SIGNS[state][self.glyphs.ascii_only]

    def _lane(self, segments: list[Segment], step_s: float, name: str) -> Content:
        """A lane of the step from end to end; what is too short for a cell is left to its rows."""
        label = f"{name:8}"
        room = self.width - len(label)
        cells: list[State | None] = [None] * room
        for segment in segments:
            start = round(segment.start_s / step_s * room)
            for at in range(start, min(round(segment.end_s / step_s * room), room)):
                cells[at] = segment.state
        parts: list[tuple[str, str]] = [(label, _MUTED)]
        for state in cells:
            parts.append((self._sign(state), _STYLES[state]) if state else (" ", ""))
        return Content.assemble(*_joined(parts))

    def _segment(self, segment: Segment, step_s: float) -> None:
        """What a segment is, how long it takes, and its share as a bar."""
        share = (segment.end_s - segment.start_s) / step_s
        time = duration(segment.end_s - segment.start_s).rjust(_TIME_CELLS + 2)
        wide = min(44, self.width * 3 // 5)
        room = max(self.width - wide - len(time), 0)
        label = self.glyphs.shortened(self.glyphs.shown(segment.label), wide - 1).ljust(wide)
        many = max(round(share * room), 1) if room else 0
        bar = (self._sign(segment.state) * many).ljust(room)
        style = _STYLES[segment.state]
        self.lines.append(Content.assemble(label, (bar, style), self.glyphs.shown(time)))


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours of one style as one piece: each change of style costs bytes on the line."""
    joined: list[tuple[str, str]] = []
    for text, style in parts:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        else:
            joined.append((text, style))
    return joined
