"""Several designs as a table: what each delivers, costs and lacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.evaluation import EvaluatedDesign
from toposmith.labels import Labelled
from toposmith.review.design_table import ComparedDesign as DesignRow
from toposmith.text import oversubscription, power
from toposmith.tui.drawing.glyphs import Glyphs

_COLUMNS = (
    Column(""),
    Column("design", fill=20),
    Column("GPUs", right=True),
    Column("all-reduce", right=True),
    Column("bound", rank=4, right=True),
    Column("all-to-all", rank=2, right=True),
    Column("worst ratio", rank=5, right=True),
    Column("cost", rank=6, right=True),
    Column("power", rank=7, right=True),
    Column("findings", rank=3, right=True),
)


def designs_table(
    rows: Sequence[DesignRow],
    marked: Collection[str],
    head: tuple[Note, ...],
    glyphs: Glyphs,
) -> Table:
    """The designs that were looked at so far; those of ``marked`` have a mark."""
    shown = tuple(_row(row, row.source in marked, glyphs) for row in rows)
    return Table(_COLUMNS, shown, head, "no designs (.yaml) here; s shows those that come along")


def _row(row: DesignRow, marked: bool, glyphs: Glyphs) -> Row:
    mark = Cell(glyphs.marked if marked else "", int(marked), Tone.ACCENT)
    evaluated = row.evaluated
    if evaluated is None:
        cells = [Cell("", None) for _ in _COLUMNS[3:]]
        name = Cell(f"{row.source}: cannot be read", row.source, Tone.BAD)
        return Row(row.source, (mark, name, Cell("", None), *cells), (row.why,))
    figures = evaluated.analyses
    first, other = figures["all_reduce"], figures["all_to_all"]
    worst = evaluated.worst_oversubscription
    drawn = evaluated.bill.power_w
    cells = [
        Cell(f"{first.gpus:,}", first.gpus),
        _rate(first.busbw),
        _rate(first.bound),
        _rate(other.busbw),
        Cell(oversubscription(worst), worst),
        Cell(evaluated.cost_words, evaluated.price),
        Cell(drawn.said(power), drawn.exact),
        _findings(evaluated),
    ]
    said = evaluated.design.name or "unnamed design"
    return Row(row.source, (mark, Cell(row.source, row.source), *cells), (said,))


def _rate(rate: Labelled) -> Cell:
    """A rate with its sign."""
    return Cell(rate.words, rate.value)


def _findings(evaluated: EvaluatedDesign) -> Cell:
    errors, warnings = evaluated.findings_of("error"), evaluated.findings_of("warning")
    said = [f"{many} {noun}" for many, noun in ((errors, "err"), (warnings, "warn")) if many]
    said += [f"{evaluated.waived} waived"] if evaluated.waived else []
    tone = Tone.BAD if errors else Tone.WARNING if warnings else Tone.PLAIN
    return Cell(", ".join(said) or "none", 1e6 * errors + warnings, tone)
