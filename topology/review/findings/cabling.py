"""Cables beyond their reach, lengths that nobody gave, and power beyond the policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toposmith.topology.bill.cabling import choose_parts
from toposmith.topology.fabric.plan import Finding, Value
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject, found

# Ways that people lay: along a row, across a hall, between halls (m).
_LENGTHS_M = (1, 2, 3, 5, 10, 20, 30, 40, 50, 100, 150, 300, 500, 1000, 2000)


def no_cable(subject: Subject, finding: Finding) -> Explained:
    """The link's length, and the longest usual length that the catalog can build."""
    link = next((one for one in subject.plan.links if one.label == finding.where), None)
    if link is None:
        return None, None
    length = subject.plan.design.links[link.index].length
    figure = None if length is None else f"{length:g} m"
    longest: int | None = None
    for metres in _LENGTHS_M:
        written = subject.plan.design.links[link.index].model_copy(update={"length": metres})
        links = list(subject.plan.design.links)
        links[link.index] = written
        design = subject.plan.design.model_copy(update={"links": tuple(links)})
        recipe, _ = choose_parts(replace(subject.plan, design=design), link, subject.catalog)
        if recipe is not None:
            longest = metres
    if longest is None:
        return figure, "take a NIC or a switch with the other's cage; no length can be cabled"
    return figure, f"place the ends within {longest} m of cable, the longest that can be built"


def unknown_lengths(subject: Subject) -> Iterator[Finding]:
    """Links without a length: those that racks do not give, those that assumed racks give."""
    links = subject.plan.links
    without = [one for one in links if subject.plan.design.links[one.index].length is None]
    measured = {run.link for run in subject.runs}
    unknown = [one.label for one in without if one.index not in measured]
    if unknown:
        figure = f"{len(unknown)} of {len(links)} links"
        text = f"no length is known for {', '.join(unknown)}; the bill takes optics for them"
        value = Value(len(unknown), "links")
        yield found("length-unknown", "links", text, figure, "say length: on each", value)
    assumed = [one.label for one in without if one.index in measured]
    if assumed and subject.plan.design.placement is None:
        figure = f"{len(assumed)} of {len(links)} links"
        text = f"no length is given for {', '.join(assumed)}; they are measured along racks "
        text += "filled by default"
        remedy = "say length: on each, or placement: in the design"
        value = Value(len(assumed), "links")
        yield found("length-assumed", "links", text, figure, remedy, value)


def power(subject: Subject) -> Iterator[Finding]:
    """Power of all parts above what the policy allows."""
    most = subject.policy.limits.power_kw
    total = subject.bill.power_w
    if most is None or total.known <= most * 1000:
        return
    at_least = "" if total.complete else "at least "
    text = f"its parts draw {at_least}{total.known / 1000:,.1f} kW, the policy allows {most:g} kW"
    share = most * 1000 / total.known
    remedy = f"{(1 - share) * 100:.0f} % less, such as fewer nodes"
    figure, value = f"{total.known / 1000:,.1f} kW", Value(total.known / 1000, "kW")
    yield found("power-over-policy", "design", text, figure, remedy, value)


FIND: tuple[Find, ...] = (unknown_lengths, power)
EXPLAIN: Explainers = {"no-cable": no_cable}
