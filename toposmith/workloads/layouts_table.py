"""The layouts of a model on a cluster as a table, the quickest first."""

from __future__ import annotations

from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import inverse
from toposmith.text import counted, duration, percent
from toposmith.workloads.layout_search import Ranked, Ranking
from toposmith.workloads.workload_assumptions import batch_words, step_words

_COLUMNS = (
    Column("best", rank=4),
    Column("layout"),
    Column("step", right=True),
    Column("MFU", rank=2, right=True),
    Column("exposed", rank=3, right=True),
    Column("bubble", rank=5, right=True),
    Column("memory GB", rank=3, right=True),
    Column("micro-batch", rank=6, right=True),
    Column("chunks", rank=7, right=True),
    Column("ZeRO", rank=8, right=True),
    Column("recompute", rank=9),
    Column("", rank=10),
)


def layouts_table(found: Ranking, sign: str) -> Table:
    """The layouts, the quickest first; ``sign`` marks those that none beats in time and memory."""
    many = counted(found.looked_at, "layout")
    words = f"{many} of this model on this cluster, {found.fitting:,} fit; the quickest first"
    if found.training is not None:
        words += f"; {batch_words(found.training)}"
    if not found.complete:
        words += " (stopped before the end)"
    head = (
        Note(words),
        Note(step_words(found.times_label, found.gpu, found.training), Tone.QUIET),
        Note(f"{sign} none is both quicker and smaller"),
    )
    rows = tuple(_row(each, number, sign) for number, each in enumerate(found.layouts))
    return Table(_COLUMNS, rows, head, "no layout fits")


def _row(each: Ranked, number: int, sign: str) -> Row:
    step, block = each.step, each.split.block
    unfit = Tone.PLAIN if step.fits else Tone.DIM
    cells = (
        Cell(sign if each.pareto else "", float(not each.pareto)),
        Cell(str(each.split), str(each.split), unfit),
        *_times(each),
        Cell(
            f"{step.held.use.total / 1e9:,.0f}",
            step.held.use.total,
            Tone.PLAIN if step.fits else Tone.BAD,
        ),
        Cell(f"{block.micro_batch:,}", block.micro_batch),
        Cell(f"{block.interleave:,}", block.interleave),
        Cell(str(block.zero), block.zero),
        Cell(block.recompute, block.recompute),
        Cell("" if step.fits else "does not fit", tone=Tone.BAD),
    )
    detail = [
        f"{each.split}, micro-batch {block.micro_batch}, {counted(block.interleave, 'chunk')} a "
        "stage, "
        f"ZeRO {block.zero}, recompute {block.recompute}"
    ]
    if not step.fits:
        detail.append(f"does not fit: a GPU has {step.held.gpu_gb:,.0f} GB; timed as if it did")
    if step.blamed is not None:
        blamed = step.blamed
        detail.append(f"waits longest for {step.dimension_of(blamed)} {blamed.what}")
    return Row(str(number), cells, tuple(detail), of=each)


def _times(each: Ranked) -> tuple[Cell, ...]:
    """Step, MFU, exposed and bubble."""
    step = each.step
    exposed, bubble = step.exposed_s / step.step_s, step.bubble_s / step.step_s
    return (
        Cell(step.times_label.marked(duration(step.step_s)), step.step_s),
        Cell(inverse(step.times_label).marked(percent(step.mfu)), step.mfu),
        Cell(percent(exposed), exposed),
        Cell(percent(bubble), bubble),
    )
