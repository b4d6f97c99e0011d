"""The fabrics that a search found, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible
from toposmith.synthesis.fabrics_table import fabrics_table
from toposmith.synthesis.front_plot import front_plot
from toposmith.synthesis.search_words import (
    asked_for,
    looked_words,
    ranked_by,
)

if TYPE_CHECKING:
    from toposmith.synthesis.fabric_search import Search

PLOT_COLUMNS, PLOT_ROWS = 78, 14


def search_report(found: Search) -> str:
    """The Pareto front as a table, with the reason why nothing is cheaper."""
    lines = [visible(asked_for(found)), ""]
    if found.proposals:
        lines += table_lines(fabrics_table(found))
        lines += ["", ranked_by(found)]
        lines += ["busbw per GPU: model; N-1: what any one cable or switch leaves of it, at worst"]
        if drawn := front_plot(found.proposals, PLOT_COLUMNS, PLOT_ROWS):
            lines += ["", *drawn]
        title = "Why not cheaper"
    else:
        lines.append("nothing was found that meets all of that")
        title = "Why"
    if found.reasons:
        lines += ["", title, *(f"  {visible(each.words)}" for each in found.reasons)]
    if found.left_out:
        title = "Switches that are in none of these" if found.proposals else "By switch"
        lines += ["", title, *(f"  {visible(each.words)}" for each in found.left_out)]
    lines += ["", looked_words(found)]
    return "".join(f"{line}\n" for line in lines)
