"""Proposals of a search as points: what they give by what they cost."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.collectives import collective_name
from toposmith.exports.text_plot.scatter import LEAST_ROWS, Axis, scatter
from toposmith.synthesis.proposals import COMPARED, Proposal
from toposmith.text import bandwidth, counted, money


def front_plot(
    proposals: Sequence[Proposal],
    width: int,
    height: int,
    *,
    chosen: int | None = None,
    ascii_only: bool = False,
) -> list[str]:
    """Draw each proposal as its number: its exchange by its price.

    Where a price is unknown, by the number of parts: switches, NICs, cables and modules. Empty
    where there are fewer than two points, or there is no room.
    """
    figures = [_exchange(one) for one in proposals]
    if len(proposals) < 2 or None in figures:
        return []
    costs, across = _costs(proposals)
    ups = [figure or 0.0 for figure in figures]
    name = (
        "all_to_all" if "all_to_all" in proposals[0].figures else next(iter(proposals[0].figures))
    )
    if min(ups) == max(ups):
        height = min(height, LEAST_ROWS)  # the points lie on one line
    up = Axis(collective_name(name), bandwidth(min(ups)), bandwidth(max(ups)))
    points = list(zip(costs, ups, strict=True))
    return scatter(points, across, up, width, height, chosen=chosen, ascii_only=ascii_only)


def _exchange(one: Proposal) -> float | None:
    """All-to-all, which feels every tier; else the first figure."""
    figures = dict(one.figures)
    return figures.get("all_to_all", next(iter(figures.values()))).value


def _costs(proposals: Sequence[Proposal]) -> tuple[list[float], Axis]:
    prices = [one.price for one in proposals if one.price is not None]
    if len(prices) == len(proposals) and len({currency for _, currency in prices}) == 1:
        values = [float(amount) for amount, _ in prices]
        least, most = min(prices), max(prices)
        return values, Axis("price", money(*least), money(*most))
    parts = [float(sum(one.counts.get(kind, 0) for kind in COMPARED)) for one in proposals]
    least_words, most_words = (counted(int(edge), "part") for edge in (min(parts), max(parts)))
    return parts, Axis("number of parts", least_words, most_words)
