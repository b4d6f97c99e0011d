"""Findings as a table, the same on every page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toposmith.documents.table import Cell, Column, Row, Table, Tone
from toposmith.findings.finding import Finding, counts, rank, severity_words

TONES = {"error": Tone.BAD, "warning": Tone.WARNING, "info": Tone.PLAIN}


def findings_table(findings: Iterable[Finding]) -> Table:
    """Each finding with its figure and its fix, in the order given."""
    columns = (
        *(Column("severity"), Column("where"), Column("reason", wraps=True)),
        *(Column("figure"), Column("fix", wraps=True), Column("code")),
    )
    rows = (
        (
            Cell(severity_words(one), rank(one), Tone.DIM if one.waived else TONES[one.severity]),
            *(Cell(one.where), Cell(one.text), Cell(one.figure or "")),
            *(Cell(one.fix), Cell(one.code)),
        )
        for one in findings
    )
    return Table(columns, tuple(Row(str(at), cells) for at, cells in enumerate(rows)))


def head_tone(findings: Sequence[Finding]) -> Tone:
    """The tone of the worst that counts."""
    found = counts(findings)
    return Tone.BAD if found["error"] else Tone.WARNING if found["warning"] else Tone.PLAIN
