"""A workload on a design, as plain text. All figures are those of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.command.reports.analysis import findings_lines
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.plain_text import visible
from toposmith.text import UNKNOWN, bandwidth, counted, duration, number, percent
from toposmith.workloads.layouts_table import layouts_table
from toposmith.workloads.steps_over_gpus import over_gpus_table
from toposmith.workloads.training import timeline
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

if TYPE_CHECKING:
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.goodput import Goodput
    from toposmith.workloads.layout_search import Ranking
    from toposmith.workloads.memory import Held
    from toposmith.workloads.required_bandwidth import RequiredBandwidth
    from toposmith.workloads.serving import Service
    from toposmith.workloads.steps_over_gpus import StepsOverGpus
    from toposmith.workloads.training import Segment, TrainingStep

BAR = 60
_VERDICTS = {"satisfied": "", "missed": "WAITS", "unknown": UNKNOWN}
STATES = {"compute": "=", "slowed": "~", "exposed": "!", "bubble": ".", "hidden": "-"}


def workload_report(found: Assessment) -> str:
    """All results for a workload on a design."""
    blocks = [[visible(verdict_words(found))], _head(found)]
    if found.step is not None:
        tokens = found.workload.training.tokens if found.workload.training else None
        blocks.append(_step(found, found.step, tokens))
        blocks.append(_timeline(timeline(found.step), found.step.step_s))
        blocks.append(_requirements(found.step, textbook_GBps(found)))
        blocks.append(_memory(found.step.held))
    if found.service is not None:
        blocks.append(_service(found, found.service))
        blocks.append(_memory(found.service.held))
    if found.storage is not None and found.storage.found is not None:
        rows = [(name, visible(words)) for name, words in storage_rows(found.storage)]
        blocks.append(["Storage (model)", *_labelled(rows)])
    if found.goodput is not None:
        blocks.append(_goodput(found.goodput))
    blocks.append(_assumed(found))
    blocks.append(findings_lines(found.findings))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def required_report(design: str, found: tuple[RequiredBandwidth, ...]) -> str:
    """The bandwidth that groups require by every rule, against what is available."""
    verdict = visible(required_verdict_words(found))
    blocks = [
        [verdict],
        [visible(design) or "unnamed design"],
        *(required_lines(each) for each in found),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def required_lines(found: RequiredBandwidth) -> list[str]:
    """The required bandwidth of one group and message size."""
    rows = [
        (
            f"  {line.rule.words}",
            line.rule.formula,
            bandwidth(line.needed_GBps),
            line.line_rate.words,
            line.predicted.words,
            required_margin_words(line),
            line.verdict if line.verdict == "met" else line.verdict.upper(),
            visible(line.holds),
        )
        for line in found.lines
    ]
    head = ("  ", "sends", "needs", "line rate", "predicted", "margin", "", "limited by")
    lines = [
        f"Required bandwidth, per GPU and direction: {visible(exchange_words(found))}",
        f"  {groups_words(found)}",
        *columns(head, rows, right=(2, 3, 4, 5)),
    ]
    if found.inside_node:
        return lines
    lines.append("  NICs a node that would do at line rate, if switches and slots carry it")
    many = max(len(line.rule.words) for line in found.lines)
    lines += [f"    {line.rule.words:{many}}  {nics_words(line)}" for line in found.lines]
    lines.append("  and what a GPU gets of NICs at line rate")
    for nics in sorted({1, found.gpus_of_node}):
        lines.append(f"    {nic_rates_words(found, nics)}")
    return lines


def ranking_report(found: Ranking, most: int) -> str:
    """The ``most`` fastest layouts."""
    table = layouts_table(found, "*")
    lines = [visible(note.text) for note in table.head]
    lines += ["", *table_lines(replace(table, rows=table.rows[:most]))] if table.rows else []
    if len(table.rows) > most:
        lines.append(f"the first {most} of {len(table.rows):,}")
    if found.findings:
        lines += ["", *findings_lines(found.findings)]
    return "\n".join(lines) + "\n"


def over_gpus_report(found: StepsOverGpus) -> str:
    """What a step waits for on ever more GPUs."""
    table = over_gpus_table(found)
    lines = [*(visible(note.text) for note in table.head), "", *table_lines(table)]
    return "\n".join(lines) + "\n"


def _head(found: Assessment) -> list[str]:
    model = found.workload.model
    active = model.active_parameters
    sparse = f", {number(active / 1e9)} B active" if model.experts else ""
    zero = f", zero={found.step.split.block.zero}" if found.step is not None else ""
    return [
        f"{visible(found.design) or 'unnamed design'}: {counted(found.gpus, 'GPU')}, "
        f"{visible(found.gpu.name)}",
        f"{visible(model.name) or 'a model'}, {number(model.parameters / 1e9)} B "
        f"parameters{sparse}; {found.split}{zero}",
        run_words(found.workload),
    ]


def _assumed(found: Assessment) -> list[str]:
    """Every assumption with the option or the key that changes it."""
    rows = [(f"  {one.name}", one.words, one.option) for one in assumed_of(found)]
    return list(columns(("  rests on", "", "changed by"), rows))


def _step(found: Assessment, step: TrainingStep, tokens: float | None) -> list[str]:
    blamed = step.blamed
    rates, times, band = found.rates_label, found.times_label, found.step_band
    scores = rates.marked(percent(step.mfu_with_scores))
    rows = [
        ("step", with_times(step.step_s, times, band)),
        ("MFU", f"{with_rates(step.mfu, rates, band, percent)}; {scores} with scores"),
        ("tokens per second", with_rates(step.tokens_per_s, rates, band, "{:,.0f}".format)),
        ("compute", _share(step.compute_s, step)),
        ("exposed communication", _share(step.exposed_s, step)),
        ("pipeline bubble", _share(step.bubble_s, step)),
        ("slowed by overlap", _share(step.slowed_s, step)),
        ("hidden communication", duration(step.hidden_s)),
        ("bound by", step.bound_by),
    ]
    if tokens is not None:
        rows.insert(3, ("days", days_words(step.days(tokens), tokens, times, band)))
    if blamed is not None:
        where = f", limited by {visible(blamed.link) or blamed.limited_by}"
        rows.append(("waits most for", f"{step.dimension_of(blamed)} {blamed.what}{where}"))
    compared = compared_words(found)
    return [
        f"Training ({visible(step_words(found.times_label, found.gpu, found.workload.training))})",
        *as_if(step.held),
        *([f"  {visible(compared)}"] if compared else []),
        *_labelled(rows),
    ]


def as_if(held: Held) -> list[str]:
    """That figures are as if a GPU held what it does not; nothing where it does."""
    return [] if held.fits else [f"  DOES NOT FIT, as if it did: {over_words(held)}"]


def _share(time_s: float, step: TrainingStep) -> str:
    return f"{duration(time_s)}, {percent(time_s / step.step_s)}"


def _timeline(segments: tuple[Segment, ...], step_s: float) -> list[str]:
    """A bar for each segment, one a line."""
    wide = max(len(segment.label) for segment in segments)
    signs = "= compute, ~ slowed, ! exposed, . bubble, - hidden"
    lines = [f"One step of a GPU ({signs}), {duration(step_s)} (model)"]
    for segment in segments:
        start = round(segment.start_s / step_s * BAR)
        end = max(start + 1, round(segment.end_s / step_s * BAR))
        bar = " " * min(start, BAR - 1) + STATES[segment.state] * (end - start)
        time = duration(segment.end_s - segment.start_s)
        lines.append(f"  {segment.label:{wide}}  |{bar[:BAR]:{BAR}}|  {time}")
    return lines


def _requirements(step: TrainingStep, textbook: float | None) -> list[str]:
    if not step.communication:
        return []
    rows = [
        (
            f"  {each.dimension}",
            each.what,
            f"{each.ranks:,}",
            needed_words(each),
            each.busbw.words,
            margin_words(each),
            "" if each.overlaps else "not overlapped",
            exposed_words(each.exposed_s, step.step_s),
        )
        for each in step.communication
    ]
    head = ("  ", "communication", "ranks", "needs", "gives", "margin", "", "the step waits")
    title = "Needed to hide behind compute, busbw per GPU (model)"
    waits = [
        (f"  {name}", exposed_words(exposed_s, step.step_s), _VERDICTS[of])
        for name, exposed_s, of in waits_of_each(step)
    ]
    lines = ["The step waits", *columns(("  for", "", ""), waits), ""]
    lines += [title, *columns(head, rows, right=(2, 3, 4, 5, 7))]
    if textbook is not None:
        exact = sum(c.wire_bytes for c in step.communication if c.dimension == "tp") / step.step_s
        lines.append(
            f"  tp on average over the step: {bandwidth(exact / 1e9)} per GPU by the bytes of its "
            f"messages; {bandwidth(textbook)} by {RULE_OF_THUMB}"
        )
    return lines


def _memory(held: Held) -> list[str]:
    memory = held.use
    verdict = "fits" if held.fits else "DOES NOT FIT"
    total = f"{number(memory.total / 1e9)} of {number(held.gpu_gb)} GB"
    words = f"{held_words(held)}; the rest is kept free"
    lines = [f"Memory of a GPU: {total}, {verdict} ({words}) (model)"]
    if held.fits and memory.allocator_share:
        lines.append(f"  {allocator_words(held)}")
    return lines


def _service(found: Assessment, service: Service) -> list[str]:
    return [
        f"Serving ({service_words(found.times_label, found.gpu, found.workload.serving)})",
        *as_if(service.held),
        *_labelled(service_rows(found, service)),
    ]


def _goodput(found: Goodput) -> list[str]:
    return [f"Goodput: {goodput_words(found)} (model)", *_labelled(goodput_rows(found))]


def _labelled(rows: list[tuple[str, str]]) -> list[str]:
    wide = max(len(label) for label, _ in rows)
    return [f"  {label:{wide}}  {value}" for label, value in rows]
