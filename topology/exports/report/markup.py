"""Pieces of HTML, with every text from a design or a catalog escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from toposmith.catalog.plain_text import visible


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
    to_right = set(right)
    titled = f"<caption>{safe(caption)}</caption>" if caption else ""
    body = "".join(f"<tr>{_cells('td', row, to_right)}</tr>" for row in rows)
    ending = f"<tfoot><tr>{_cells('td', foot, to_right)}</tr></tfoot>" if foot else ""
    return (
        f'<div class="scroll"><table>{titled}<thead><tr>{_cells("th", head, to_right)}</tr></thead>'
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


def _cells(tag: str, cells: Sequence[str], right: set[int]) -> str:
    return "".join(
        f'<{tag} class="r">{safe(cell)}</{tag}>'
        if place in right
        else f"<{tag}>{safe(cell)}</{tag}>"
        for place, cell in enumerate(cells)
    )
