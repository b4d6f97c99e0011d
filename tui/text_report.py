"""What the headless commands say to a person: plain text in columns, the worst first.

Texts that come from a design or a catalog are shown with their control characters written out,
so that a terminal never obeys them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from topology.bill.plain_text import visible

if TYPE_CHECKING:
    from catalog import AnyPart, Catalog
    from topology.analysis.result import Analysis
    from topology.fabric.plan import Finding
    from topology.templates import Template

UNKNOWN = "unknown"

_SEVERITIES = ("error", "warning", "info")
_TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def analysis_report(analysis: Analysis) -> str:
    """The figures of a design, and what limits them."""
    blocks = [
        _heading(analysis),
        _figures(analysis),
        _links(analysis),
        _bound(analysis),
        _tiers(analysis),
        _next_step(analysis),
        findings_lines(analysis.findings),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def findings_lines(findings: Iterable[Finding], *, source: str = "") -> list[str]:
    """One line for each finding, errors first; ``source`` names the file at its beginning."""
    start = f"{visible(source)}: " if source else ""
    ordered = sorted(findings, key=lambda finding: _SEVERITIES.index(finding.severity))
    return [
        f"{start}{finding.severity}: {visible(finding.where)}: {visible(finding.text)} "
        f"[{finding.code}]"
        for finding in ordered
    ]


def catalog_report(parts: Sequence[AnyPart], catalog: Catalog) -> str:
    """A line for each part: id, kind, name, and what it is."""
    from catalog.card import one_line

    rows = [
        (part.id, part.kind, visible(part.name), visible(one_line(part, catalog))) for part in parts
    ]
    return "\n".join(columns(("part", "kind", "name", "is"), rows)) + "\n"


def part_report(part: AnyPart, catalog: Catalog) -> str:
    """The card of a part: every figure, and where it is from."""
    from catalog.card import part_card

    card = part_card(part, catalog)
    wide = max(len(label) for label, _, _ in card)
    lines = [visible(part.id)]
    for label, value, source in card:
        origin = f"  ({visible(source)})" if source else ""
        lines.append(f"  {label:{wide}}  {visible(value)}{origin}")
    return "\n".join(lines) + "\n"


def templates_report(templates: Mapping[str, Template]) -> str:
    """Every template with its settings and their defaults."""
    lines: list[str] = []
    for template in templates.values():
        lines += [f"{template.name}: {template.help}"]
        rows = [
            (
                f"  {parameter.name}",
                "" if parameter.default is None else f"{parameter.default}",
                parameter.help,
            )
            for parameter in template.parameters
        ]
        lines += [*columns(("  setting", "default", ""), rows), ""]
    return "\n".join(lines)


def columns(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> Iterator[str]:
    """Lines of a table whose columns line up; those in ``right`` end where their heads end."""
    table = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    to_right = set(right)
    for row in table:
        cells = (
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def figure(value: float | None, unit: str = "") -> str:
    """A figure with at least three digits that count, or ``unknown``."""
    if value is None:
        return UNKNOWN
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    return f"{value:,.{digits}f}{f' {unit}' if unit else ''}"


def duration(time_us: float | None) -> str:
    """A time in the unit that suits it."""
    if time_us is None:
        return UNKNOWN
    scale, unit = next((t for t in _TIMES if time_us >= t[0]), _TIMES[-1])
    return figure(time_us / scale, unit)


def byte_size(size: int) -> str:
    """A message size in the largest unit that divides it, such as ``8 GiB``."""
    scale, unit = next((s for s in _SIZES if size >= s[0] and size % s[0] == 0), (1, "bytes"))
    return f"{size // scale:,} {unit}"


def _heading(analysis: Analysis) -> list[str]:
    ranks = analysis.communicator
    groups = f"{ranks.concurrent:,} groups of " if ranks.concurrent > 1 else ""
    return [
        visible(analysis.design) or "unnamed design",
        f"{_counted(analysis.gpus, 'GPU')} in {_counted(analysis.nodes, 'node')}, "
        f"communicator {ranks.kind}: {groups}{_counted(ranks.size, 'rank')}",
    ]


def _figures(analysis: Analysis) -> list[str]:
    how = [analysis.algorithm, analysis.protocol]
    if analysis.channels is not None:
        how.append(_counted(analysis.channels, "channel"))
    what = f"{analysis.collective.replace('_', '-')}, {byte_size(analysis.message_bytes)}"
    bound = {"exact": "exact", "bound": "at most"}[analysis.bound_is]
    rows = [
        ("predicted busbw", f"{figure(analysis.busbw_GBps, 'GB/s')} per GPU"),
        ("predicted algbw", f"{figure(analysis.algbw_GBps, 'GB/s')}"),
        ("predicted time", duration(analysis.time_us)),
        ("bound on busbw", f"{figure(analysis.bound_busbw_GBps, 'GB/s')} per GPU ({bound})"),
        ("bisection", figure(analysis.bisection_GBps, "GB/s")),
    ]
    wide = max(len(label) for label, _ in rows)
    named = ", ".join(word for word in how if word)
    return [
        f"{what}{f' by {named}' if named else ''}",
        *(f"  {label:{wide}}  {value}" for label, value in rows),
    ]


def _links(analysis: Analysis) -> list[str]:
    if not analysis.limits:
        return []
    limiting = set(map(id, analysis.limiting))
    loads = sorted(analysis.limits, key=lambda load: -load.utilization)
    rows = [
        (
            f"  {visible(load.link)}",
            load.tier,
            f"{load.cables:,}",
            figure(load.capacity_GBps),
            figure(load.load_GBps),
            f"{load.utilization:.0%}",
            "limits" if id(load) in limiting else "",
        )
        for load in loads
    ]
    head = ("  link", "tier", "cables", "GB/s each", "load GB/s", "used", "")
    return ["Links, the fullest first", *columns(head, rows, right=(2, 3, 4, 5))]


def _bound(analysis: Analysis) -> list[str]:
    if not analysis.bound_cut:
        return []
    rows = [
        (f"  {visible(cut.link)}", f"{cut.cables:,}", figure(cut.capacity_GBps))
        for cut in analysis.bound_cut
    ]
    head = ("  link", "cables", "GB/s each")
    return ["The bound's cut", *columns(head, rows, right=(1, 2))]


def _tiers(analysis: Analysis) -> list[str]:
    if not analysis.tiers:
        return []
    rows = [
        (
            f"  {tier.tier}",
            f"{tier.devices:,}",
            f"{tier.ports_down:,}",
            f"{tier.ports_up:,}",
            "" if tier.oversubscription is None else f"{tier.oversubscription:.1f}:1",
        )
        for tier in analysis.tiers
    ]
    head = ("  tier", "switches", "ports down", "ports up", "oversubscription")
    return ["Tiers", *columns(head, rows, right=(1, 2, 3, 4))]


def _next_step(analysis: Analysis) -> list[str]:
    step = analysis.next_step
    if step is None:
        return []
    then = f"; then {visible(step.then)} limits" if step.then else ""
    return [
        f"Next step: twice the {visible(step.link)} gives {figure(step.busbw_GBps, 'GB/s')}{then}"
    ]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
