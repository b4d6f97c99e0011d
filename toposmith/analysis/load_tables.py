"""The links and the tiers of an analysis as tables, the same on every page."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.documents.table import Cell, Column, Row, Table, Tone
from toposmith.text import bandwidth, percent

LINKS_IN_WORDS = (
    "connections: port to port; capacity: line rate of each; effective: payload that protocol "
    "overhead leaves of it; load: payload; used: load of effective"
)
"""What the columns of links are."""


def links_table(loads: Iterable[LinkLoad], analysis: Analysis) -> Table:
    """Links with what they carry, in the order given; those that limit are marked."""
    binding = set(map(id, analysis.limiting))
    columns = (
        *(Column("link"), Column("tier", rank=2), Column("connections", right=True)),
        *(Column("capacity", rank=2, right=True), Column("effective", rank=2, right=True)),
        *(Column("load", right=True), Column("used", right=True), Column("")),
    )
    rows = (
        (
            *(Cell(load.words), Cell(load.tier), Cell(f"{load.cables:,}", load.cables)),
            Cell(bandwidth(load.capacity_GBps), load.capacity_GBps),
            Cell(bandwidth(load.usable_GBps), load.usable_GBps),
            Cell(bandwidth(load.load_GBps), load.load_GBps),
            Cell(percent(load.utilization), load.utilization),
            Cell("limits", tone=Tone.BAD) if id(load) in binding else Cell(""),
        )
        for load in loads
    )
    return Table(columns, tuple(Row(str(at), cells) for at, cells in enumerate(rows)))


def tiers_table(analysis: Analysis) -> Table:
    """The tiers from the nodes up, with their oversubscription."""
    columns = (
        *(Column("tier"), Column("switches", right=True), Column("ports below", right=True)),
        *(Column("ports above", right=True), Column("oversubscription", right=True)),
    )
    rows = (
        (
            *(Cell(tier.name), Cell(f"{tier.devices:,}"), Cell(f"{tier.ports_down:,}")),
            *(Cell(f"{tier.ports_up:,}"), Cell(tier.words)),
        )
        for tier in analysis.tiers
    )
    return Table(columns, tuple(Row(str(at), cells) for at, cells in enumerate(rows)))
