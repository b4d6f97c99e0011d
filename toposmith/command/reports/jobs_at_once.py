"""Jobs that run at the same time, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.contention.jobs_table import jobs_table
from toposmith.contention.together import JobFigure
from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible


def jobs_report(design: str, found: Sequence[JobFigure]) -> str:
    """Every job with its figures, and the links that it shares with others."""
    table = jobs_table(found)
    lines = [visible(design) or "unnamed design", "", *table_lines(table), ""]
    for row in table.rows:
        first, *others = map(visible, row.detail)
        lines += [f"{visible(row.words[0])}: {first}", *(f"    {line}" for line in others)]
    lines += [
        "alone, together: busbw per GPU of what the job runs",
        *(visible(note.text) for note in table.head),
    ]
    return "\n".join(lines)
