"""The card of a part, and two of them side by side, as the screens show them."""

from __future__ import annotations

from itertools import zip_longest

from textual.content import Content

from toposmith.catalog import Catalog, Part
from toposmith.catalog.card import UNVERIFIED, part_card
from toposmith.catalog.search import DOUBTS, CardValue, ComparedRow, compared_rows
from toposmith.text import counted, whole_figures, wrapped
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.parts.fits import Fit

_LABEL = "$text-accent"
_MUTED = "$text-muted"
_DOUBT = "$text-warning"
_DIFFERS = "bold $text-warning"
WIDEST_LABEL = 30
"""Cells of the column of labels; longer ones are broken."""
SOURCES_BESIDE_FROM = 80
"""Cells from which the sources of figures have a column of their own."""


def fit_content(fit: Fit | None, glyphs: Glyphs, where: str = "") -> Content | None:
    """Say how a part fits what is selected; None where nothing is to be said."""
    if fit is None:
        return None
    at = f" {where}" if where else ""
    if fit.refusal:
        words = f"{glyphs.error} does not fit{at}: {fit.refusal}"
        return Content.styled(glyphs.shown(words), "$text-error")
    if fit.warning:
        return Content.styled(glyphs.shown(f"{glyphs.warning} {fit.warning}"), _DOUBT)
    words = f"is in{at} now" if fit.now else f"fits{at}"
    return Content.styled(glyphs.shown(f"{glyphs.done} {words}"), "$text-success")


def narrow_card(part: Part, catalog: Catalog, glyphs: Glyphs) -> Content:
    """A card for a column of text: what the part can do first, the sources of its figures last."""
    lines: list[Content] = []
    sources: dict[str, str] = {}
    for label, value, mark in part_card(part, catalog):
        doubt = _doubt(label, CardValue(value, mark))
        sign = f"{glyphs.warning} " if doubt else ""
        words = (f"{sign}{glyphs.shown(label)}: ", doubt or _LABEL)
        if mark.startswith(UNVERIFIED):
            value = f"{value} ({UNVERIFIED})"
        if mark.removeprefix(UNVERIFIED):
            sources[label] = mark
        lines.append(Content.assemble(words, glyphs.shown(value)))
    for label, source in sources.items():
        lines.append(Content.styled(glyphs.shown(f"{label}: {source}"), _MUTED))
    return Content("\n").join(lines)


def wide_card(part: Part, catalog: Catalog, glyphs: Glyphs, width: int) -> Content:
    """A card as a table of label, figure and source, ``width`` cells wide."""
    card = part_card(part, catalog)
    label_width = _label_width([label for label, _, _ in card])
    room = width - 2 - label_width - 2
    value_width = room if room < SOURCES_BESIDE_FROM else room * 3 // 5
    lines: list[Content] = []
    for label, value, mark in card:
        doubt = _doubt(label, CardValue(value, mark))
        beside = bool(mark) and value_width < room
        wide = value_width if beside else room
        values = _broken(value, wide, glyphs)
        marks = _broken(mark, room - value_width - 2, glyphs) if beside else []
        labels = _broken(label, label_width, glyphs)
        for number, (name, said, origin) in enumerate(
            zip_longest(labels, values, marks, fillvalue="")
        ):
            sign = glyphs.warning if doubt and number == 0 else " "
            lines.append(
                Content.assemble(
                    (f"{sign} ", doubt),
                    (f"{name:{label_width}}  ", _LABEL),
                    f"{said:{wide}}" if beside else said,
                    (f"  {origin}" if origin else "", doubt or _MUTED),
                )
            )
        if mark and not beside:
            for line in _broken(mark, room - 2, glyphs):
                lines.append(Content.styled(" " * (label_width + 6) + line, doubt or _MUTED))
    return Content("\n").join(lines)


def compared_cards(one: Part, other: Part, catalog: Catalog, glyphs: Glyphs, width: int) -> Content:
    """Two cards side by side, ``width`` cells wide; rows that differ bear a sign."""
    rows = compared_rows(one, other, catalog)
    label_width = min(_label_width([row.label for row in rows]), max(width // 4, 12))
    column = (width - len(glyphs.differs) - 1 - label_width - 4) // 2
    lines: list[Content] = []
    for row in rows:
        lines += _compared_lines(row, label_width, column, glyphs)
    differing = sum(row.differs for row in rows)
    words = f"{glyphs.differs} {counted(differing, 'row', 'differ')}"
    return Content("\n").join([*lines, Content(""), Content.styled(words, _MUTED)])


def _compared_lines(
    row: ComparedRow, label_width: int, column: int, glyphs: Glyphs
) -> list[Content]:
    sign = glyphs.differs if row.differs else " " * len(glyphs.differs)
    labels = _broken(row.label, label_width, glyphs)
    cells = [_cell_lines(row.label, cell, column, glyphs) for cell in (row.one, row.other)]
    empty = ("", "")
    lines = []
    for number in range(max(len(labels), *map(len, cells))):
        label = labels[number] if number < len(labels) else ""
        said, style = cells[0][number] if number < len(cells[0]) else empty
        against, style_against = cells[1][number] if number < len(cells[1]) else empty
        bold = _DIFFERS if row.differs else ""
        lines.append(
            Content.assemble(
                (f"{sign if number == 0 else ' ' * len(sign)} ", _DIFFERS),
                (f"{label:{label_width}}  ", _LABEL),
                (f"{said:{column}}", style or bold),
                "  ",
                (against, style_against or bold),
            )
        )
    return lines


def _cell_lines(
    label: str, cell: CardValue | None, column: int, glyphs: Glyphs
) -> list[tuple[str, str]]:
    """The lines of a cell, each with its style; of a source only that there is doubt."""
    if cell is None:
        return [(glyphs.dash, _MUTED)]
    doubt = _doubt(label, cell)
    style = doubt if label in DOUBTS else _MUTED if label in ("Source", "Note") else ""
    bare = cell.mark == UNVERIFIED
    value = f"{cell.value} ({cell.mark})" if bare else cell.value
    lines = [(line, style) for line in _broken(value, column, glyphs)]
    if cell.doubtful and not bare:
        said = f"{glyphs.warning} {cell.mark}"
        lines += [(line, _DOUBT) for line in _broken(said, column, glyphs)]
    return lines


def _doubt(label: str, cell: CardValue) -> str:
    """The style of a row that is in doubt; empty for all others."""
    return _DOUBT if label in DOUBTS or cell.doubtful else ""


def _label_width(labels: list[str]) -> int:
    return min(max(len(label) for label in labels), WIDEST_LABEL)


def _broken(text: str, width: int, glyphs: Glyphs) -> list[str]:
    return wrapped(whole_figures(glyphs.shown(text)), max(width, 8))
