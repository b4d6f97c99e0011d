"""A part in a list: its name, what it is, and how it fits what is selected."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content, Span
from textual.css.styles import RulesMap

from toposmith.catalog import Catalog, Part, Switch
from toposmith.catalog.card import one_line
from toposmith.catalog.part_text import PROTOCOL_NAMES
from toposmith.text import whole_figures, wrapped
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.parts.fits import Fit
from toposmith.tui.questions import Choice


class PartLine(Content):
    """Lines that are broken for their width already; Textual would break hundreds again."""

    def get_height(self, rules: RulesMap, width: int) -> int:
        """As many lines as it was broken into, where each has room."""
        lines = self.plain.split("\n")
        if all(_cells(line) <= width for line in lines):
            return len(lines)
        return super().get_height(rules, width)


def part_line(
    part: Part,
    catalog: Catalog | None,
    glyphs: Glyphs,
    width: int,
    fit: Fit | None = None,
    *,
    marked: bool = False,
) -> PartLine:
    """Write a part: name and facts on one line where they fit; else the facts that do, below.

    Below come what it costs where it fits, or why it does not fit; one that does not is dim.
    """
    refused = fit is not None and bool(fit.refusal)
    name = glyphs.shown(part.name)
    before = f"{glyphs.marked} " if marked else ""
    facts = glyphs.shown(one_line(part, catalog))
    pieces = [(before, "bold $text-accent"), (name, "$text-disabled" if refused else "")]
    room = width - len(before) - len(name)
    if not refused:
        if len(facts) + 2 <= room:
            pieces += [(" " * (room - len(facts)), ""), (facts, "$text-muted")]
        else:
            below = glyphs.shortened(_clauses(facts, width - 2), max(width - 2, 8))
            pieces += [("\n", ""), (f"  {below}", "$text-muted")]
    if fit is not None:
        lines, style = _fit_lines(fit, glyphs, max(width - 4, 8))
        for line in lines:
            pieces += [("\n", ""), (line, style)]
    return _assembled(pieces)


def part_choice(part: Part, catalog: Catalog, refusal: str = "") -> Choice:
    """A part as an answer: its name, what it is, and of a switch its network."""
    facts = one_line(part, catalog)
    network = PROTOCOL_NAMES.get(part.protocol, "") if isinstance(part, Switch) else ""
    words = f"{part.name}: {facts}" if facts else part.name
    return Choice(part.id, f"{words}, {network}" if network else words, refusal=refusal)


def _assembled(pieces: Sequence[tuple[str, str]]) -> PartLine:
    """Texts and their styles as one; ten times as fast as by joining pieces of content."""
    spans, at = [], 0
    for text, style in pieces:
        if text and style:
            spans.append(Span(at, at + len(text), style))
        at += len(text)
    return PartLine("".join(text for text, _ in pieces), spans)


def _cells(line: str) -> int:
    return len(line) if line.isascii() else cell_len(line)


def _fit_lines(fit: Fit, glyphs: Glyphs, width: int) -> tuple[list[str], str]:
    """Why a part does not fit, or what it costs, and in which style; a mere fit needs no words."""
    if fit.refusal:
        sign, words, style = glyphs.error, fit.refusal, "$text-disabled"
    elif fit.warning:
        sign, words, style = glyphs.warning, fit.warning, "$text-warning"
    elif fit.now:
        sign, words, style = glyphs.done, "fitted now", "$text-success"
    else:
        return [], ""
    first, *rest = wrapped(whole_figures(glyphs.shown(words)), width)
    return [f"  {sign} {first}", *(f"    {line}" for line in rest)], style


def _clauses(facts: str, width: int) -> str:
    """As many of the facts as fit, whole."""
    clauses = facts.split(", ")
    while len(clauses) > 1 and len(", ".join(clauses)) > width:
        clauses.pop()
    return ", ".join(clauses)
