"""Pieces of HTML, with every text from a design or a catalog escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from toposmith.documents.table import Cell, Table, Tone, table_of_words
from toposmith.exports.drawing.svg import DARK, LIGHT, ink_rules
from toposmith.plain_text import visible

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing is fetched and nothing runs, regardless of the page's content."""


_CLASSES = {Tone.BAD: "error", Tone.WARNING: "warning", Tone.DIM: "info", Tone.QUIET: "info"}
"""The classes of the page's style by tone."""


def document(title: str, *content: str) -> str:
    """A whole page: one file that opens offline, in the colours of its reader, and prints."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{safe(title)}</title><style>{_css()}</style></head>\n<body><main>"
        f"{''.join(content)}</main></body></html>\n"
    )


def _css() -> str:
    page = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    dark = f"@media(prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    light = f"@media print{{:root{{{_variables(LIGHT)}}}}}"
    drawn = ink_rules({ink: f"var(--{ink})" for ink in LIGHT})
    return f":root{{color-scheme:light dark;{_variables(LIGHT)}}}{dark}{light}{page}{drawn}"


def _variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--{ink}:{colour};" for ink, colour in palette.items())


def safe(text: object) -> str:
    """Text that no browser takes for markup, with control characters written out."""
    return escape(visible(str(text)), quote=True)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Iterable[int] = (),
    caption: str = "",
    foot: Sequence[str] = (),
) -> str:
    """A table of cells that are escaped here; the columns in ``right`` hold figures."""
    return as_html(table_of_words(head, rows, set(right)), caption=caption, foot=foot)


def as_html(told: Table, *, caption: str = "", foot: Sequence[str] = ()) -> str:
    """A table of a document, its tones as classes of the page's style."""
    told = told.in_words
    right = set(told.right)

    def line(tag: str, cells: Iterable[Cell]) -> str:
        made = (_cell(tag, cell, right=at in right) for at, cell in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    titled = f"<caption>{safe(caption)}</caption>" if caption else ""
    body = "".join(line("td", row.cells) for row in told.rows)
    ending = f"<tfoot>{line('td', map(Cell, foot))}</tfoot>" if foot else ""
    return (
        f'<div class="scroll"><table>{titled}<thead>{line("th", map(Cell, told.titles))}</thead>'
        f"<tbody>{body}</tbody>{ending}</table></div>"
    )


def section(anchor: str, title: str, *content: str) -> str:
    """A section with its heading, which the list at the top leads to."""
    return f'<section id="{safe(anchor)}"><h2>{safe(title)}</h2>{"".join(content)}</section>'


def cards(figures: Iterable[tuple[str, str]]) -> str:
    """The figures that a manager looks for first: each with what it is."""
    shown = (
        f'<div class="card"><b>{safe(figure)}</b><span>{safe(what)}</span></div>'
        for figure, what in figures
    )
    return f'<div class="cards">{"".join(shown)}</div>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph."""
    return f'<p class="{kind}">{safe(text)}</p>' if kind else f"<p>{safe(text)}</p>"


def _cell(tag: str, cell: Cell, *, right: bool) -> str:
    kind = " ".join(filter(None, ("r" if right else "", _CLASSES.get(cell.tone, ""))))
    opened = f'{tag} class="{kind}"' if kind else tag
    return f"<{opened}>{safe(cell.text)}</{tag}>"
