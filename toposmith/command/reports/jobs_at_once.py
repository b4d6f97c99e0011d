"""Jobs that run at the same time, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.contention.job_words import (
    contended_words,
    node_words,
    runs_words,
    sharing_words,
)
from toposmith.contention.together import JobFigure
from toposmith.documents.aligned_text import columns
from toposmith.labels import Labelled
from toposmith.plain_text import visible
from toposmith.text import counted, percent


def jobs_report(design: str, found: Sequence[JobFigure]) -> str:
    """Every job with its figures, and the links that it shares with others."""
    head = ("job", "nodes", "runs", "alone", "together", "kept", "")
    rows = [
        (
            visible(one.job.name),
            counted(len(one.job.nodes), "node"),
            runs_words(one),
            Labelled(one.alone_GBps, one.label).words,
            Labelled(one.together_GBps, one.label).words,
            percent(one.kept),
            one.label.words,
        )
        for one in found
    ]
    lines = [visible(design) or "unnamed design", "", *columns(head, rows, right=(3, 4, 5)), ""]
    for one in found:
        lines.append(f"{visible(one.job.name)}: on {visible(node_words(one.job))}")
        lines += [f"    held back {visible(contended_words(each))}" for each in one.contended]
    lines.append(f"busbw per GPU of collectives; assumed: {sharing_words(found)}")
    return "\n".join(lines)
