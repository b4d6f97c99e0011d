"""Differences in words and tables, as Markdown for a merge request, and as plain data."""

from __future__ import annotations

from typing import Any

from toposmith.analysis.summary import asked_as_data
from toposmith.review.differences.consequences import (
    NOISE,
    Differences,
    FigureChange,
)
from toposmith.review.findings.collecting import finding_json
from toposmith.text import bandwidth, change, counted, oversubscription, plain_number

NO_COMMON = "The two designs have no group in common; they are compared all the same."
NO_DIFFERENCES = "No differences."


def figure_words(figure: FigureChange, value: float | None, *, later: bool = False) -> str:
    """One of a change's two figures with its unit."""
    unit = (figure.unit_after if later else "") or figure.unit
    if value is None:
        least = figure.least_after if later else figure.least_before
        return "unknown" if least is None else f"at least {plain_number(least, unit)}"
    if figure.unit == "GB/s":
        label = figure.label_after if later else figure.label_before
        exact = " exact" if label.kind == "exact" else ""
        return f"{label.marked(bandwidth(value))}{exact}"
    if figure.unit == ":1":
        return oversubscription(value)
    return plain_number(value, unit)


def change_words(figure: FigureChange) -> str:
    """By how much a figure differs, and whether that is for the worse."""
    if not figure.differs:
        return "same"
    if not figure.of_one_kind and figure.before is not None and figure.after is not None:
        return f"{figure.label_before.kind} -> {figure.label_after.kind}"
    if figure.of_one_kind and not figure.comparable:
        return "another currency"
    worse = " (worse)" if figure.worse else ""
    if figure.factor is None:
        return f"changed{worse}"
    assert figure.before is not None and figure.after is not None
    if not figure.unit and abs(figure.factor - 1) < NOISE:
        return f"{figure.after - figure.before:+,.0f}{worse}"
    return f"{change(figure.factor)}{worse}"


def headline(found: Differences) -> str:
    """The differences in one sentence."""
    if not found.differ:
        return NO_DIFFERENCES
    # the same document may fare otherwise, such as with other parts
    said = [counted(len(found.changes), "change") if found.changes else "the same document"]
    said += [
        f"{figure.label} {figure_words(figure, figure.before)} -> "
        f"{figure_words(figure, figure.after, later=True)}"
        for figure in found.figures
        if figure.key.startswith("busbw_") and figure.differs
    ]
    if found.gained or found.resolved or found.changed:
        changed = f", {len(found.changed)} changed" if found.changed else ""
        said.append(
            f"{counted(len(found.gained), 'finding')} gained, {len(found.resolved)} resolved"
            f"{changed}"
        )
    return "; ".join(said) + "."


def differences_as_data(found: Differences) -> dict[str, Any]:
    """The differences under stable keys (see ``docs/diff.md``)."""
    return {
        "toposmith": 1,
        "old": {"source": found.old.source, "design_sha256": found.old.digest},
        "new": {"source": found.new.source, "design_sha256": found.new.digest},
        **asked_as_data(found.new.asked, nccl=found.old.plan.nccl or found.new.plan.nccl),
        "differ": found.differ,
        "worse": list(found.worse),
        "nothing_in_common": found.nothing_in_common,
        "changes": [
            {
                "what": change.what,
                "kind": change.kind,
                "where": change.where,
                "before": change.before,
                "after": change.after,
            }
            for change in found.changes
        ],
        "figures": [
            {
                "figure": figure.key,
                "unit": figure.unit,
                "unit_after": figure.unit_after or figure.unit,
                "before": figure.before,
                "after": figure.after,
                "differs": figure.differs,
                "worse": figure.worse,
                "before_is": figure.label_before.kind,
                "after_is": figure.label_after.kind,
                **(
                    {
                        "before_at_least": figure.least_before,
                        "after_at_least": figure.least_after,
                    }
                    if figure.key in ("power", "rack_units")
                    else {}
                ),
            }
            for figure in found.figures
        ],
        "parts": [
            {
                "part": part.part,
                "name": part.name,
                "length_m": part.length_m,
                "before": part.before,
                "after": part.after,
                "buy": part.buy,
            }
            for part in found.parts
        ],
        "findings_gained": [finding_json(finding) for finding in found.gained],
        "findings_resolved": [finding_json(finding) for finding in found.resolved],
        "findings_changed": [
            {"before": finding_json(was), "after": finding_json(now)} for was, now in found.changed
        ],
    }
