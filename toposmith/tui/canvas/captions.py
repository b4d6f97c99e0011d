"""What is written in a group's box and at a trunk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Literal

from rich.cells import cell_len

from toposmith.catalog import NvlinkSwitch
from toposmith.catalog.part_text import GPU_LINK_NAMES, link_noun
from toposmith.design.selectors import Selector
from toposmith.fabric.classes import base_graph
from toposmith.fabric.counts import (
    cable_counts,
    device_counts,
    many_cables_words,
    nvlinks_words,
)
from toposmith.fabric.nvlink_domains import is_joined, outside
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.port_use import PortUse, port_findings, port_use
from toposmith.findings.finding import Finding
from toposmith.text import bandwidth, counted, wrapped
from toposmith.tui.canvas.canvas_glyphs import COMMENT, ERROR, WARNING, Ink, clean
from toposmith.tui.canvas.pips import listed, pips

StyledLine = tuple[tuple[str, Ink], ...]
"""Pieces of text on one line, each in its ink."""

LabelManner = Literal["split", "stacked", "marked", "inside", "stacked inside"]
BoxManner = Literal["listing", "telling", "roomy", "full", "compact", "narrow", "named"]
NARROW_WIDTH = 23
TOLD_WIDTH = 42
_LIMITS: dict[BoxManner, int] = {
    "narrow": NARROW_WIDTH,
    "named": NARROW_WIDTH,
    "telling": TOLD_WIDTH,
    "listing": TOLD_WIDTH,
}
_MOST_TOLD = 4
"""Findings that a box shows in words; of more, the rest is counted."""

_WORDS = {
    "ports-overused": "ports over-used",
    "fewer-nics-than-gpus": "fewer NICs than GPUs",
    "slot-slower-than-nic": "slot slower than NIC",
    "slots-overfilled": "too many NICs",
    "not-a-node": "NICs in a switch",
    "not-a-device": "not a device",
    "nodes-meshed": "nodes meshed",
    "nic-slowed": "NIC slowed",
    "slow-gpu": "slow GPU",
    "no-nic": "no NIC fitted",
    "which-slots": "which slots?",
}
# The speed is written out behind the name, so the name need not say it.
_RATE = re.compile(
    r"(?: (?:VPI|EN))?(?: (?:EDR|HDR100|HDR|NDR200|NDR|XDR)(?:/\d+GbE)?| \d+GbE)?(?: switch)?$"
)
_MOST_COUNTED = 10_000


@dataclass(frozen=True)
class Facts:
    """What the captions of a plan are made from, gathered once."""

    plan: Plan
    tier: Mapping[str, int]
    findings: tuple[Finding, ...]
    use: Mapping[tuple[str, str], PortUse]
    devices: Mapping[str, int]
    cables: Mapping[int, int]
    comments: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plan: Plan,
        tier: Mapping[str, int],
        findings: Iterable[Finding],
        shown: Plan | None = None,
        comments: Mapping[str, int] | None = None,
    ) -> Facts:
        """Gather the facts of a plan whose groups stand in these tiers.

        Where only a part of it is shown, what is used and free is still said of the whole. What
        was waived is not marked.
        """
        said = {one.key: one for one in (*plan.findings, *port_findings(plan), *findings)}
        counts = tuple(one for one in said.values() if one.waived is None)
        use, devices, cables = port_use(plan), device_counts(plan), cable_counts(plan)
        return cls(shown or plan, tier, counts, use, devices, cables, comments or {})


def width(line: StyledLine) -> int:
    """Columns that a line takes."""
    return sum(cell_len(text) for text, _ in line)


def box_lines(facts: Facts, name: str, manner: BoxManner, columns: int) -> tuple[StyledLine, ...]:
    """The lines inside a group's box: name and count, part, ports, and what is wrong with it.

    Lines that would take more than ``columns`` are broken, unless that is very little.
    """
    group = facts.plan.groups[name]
    title: StyledLine = (
        (clean(name), Ink.TITLE),
        *((f"  {word}", Ink.COUNT) for word in _count(facts, group)),
    )
    part = _part(group)
    ports = _ports(facts, group, whole=manner in ("listing", "telling", "roomy", "full"))
    mine = [one for one in facts.findings if name in one.place.names and one.place.group]
    marks = _told(mine) if manner in ("listing", "telling") else _marks(mine)
    if manner == "compact" and group.switch:
        detail = ((part[1][0].strip() + ":", Ink.DETAIL), *_indented(ports[0]))
        lines = [(*title, *_indented(part[:1], 2)), detail]
    elif manner == "named":
        lines, marks = [(title[0], (f"  {facts.devices[name]:,}", Ink.COUNT), *_sign(marks))], ()
    elif manner == "compact":
        lines = [(*title, *_indented(part[:1], 2)), *ports]
    elif manner in ("listing", "telling"):
        lines = [title, part, *ports]
    else:
        beside = (*part, *_indented(marks[0], 2)) if marks else part
        if width(beside) <= columns:  # a line that comes and goes would move all below it
            part, marks = beside, ()
        lines = [title, part, *ports]
    limit = max(columns, NARROW_WIDTH)
    if manner in _LIMITS:
        limit = min(limit, _LIMITS[manner])
    lines = [short for line in lines for short in _wrapped(line, limit)]
    shown = pips(facts.plan, group) if manner in ("listing", "telling", "roomy") else ()
    if manner == "listing":
        shown = listed(facts.plan, group) or shown
    said = _said(facts, name)
    return (*lines, *marks, *((said,) if said else ()), *shown)


def _indented(line: StyledLine, columns: int = 1) -> StyledLine:
    (first, ink), *rest = line
    return ((" " * columns + first, ink), *rest)


def _wrapped(line: StyledLine, columns: int) -> list[StyledLine]:
    """The line broken between its pieces, wherever the next piece would go beyond the columns."""
    lines: list[StyledLine] = [()]
    for piece in line:
        if lines[-1] and width((*lines[-1], piece)) > columns:
            lines.append(((piece[0].lstrip(), piece[1]),))
        else:
            lines[-1] = (*lines[-1], piece)
    return lines


def cables_text(facts: Facts, index: int) -> StyledLine:
    """``1,016 x 400 Gb/s``, ``ring of 8 in x: 64 x 400 Gb/s``; where it cannot be built, why."""
    sound = next((link for link in facts.plan.links if link.index == index), None)
    if sound is not None:
        words = many_cables_words(facts.plan, sound, facts.cables[index])
        if sound.along:
            words = f"{_along(facts.plan, sound)}: {words}"
        cables = (words, Ink.CABLES)
        said = _said(facts, sound.label)
        return (cables, ("  ", Ink.CABLES), *said) if said else (cables,)
    if nvlink := next((one for one in facts.plan.nvlinks if one.index == index), None):
        return ((nvlinks_words(facts.plan, nvlink), Ink.CABLES),)
    link = (one for one in facts.findings if one.place.kind == "link" and one.place.index == index)
    marks = _marks(link)
    return marks[0] if marks else ((f"{ERROR} cannot be built", Ink.ERROR),)


def _along(plan: Plan, link: LinkPlan) -> str:
    """What a link makes of the values of its axes: rings, meshes, sets that dealt cables join."""
    if link.bundle:
        (over,) = (axis for axis, word in link.along if word == "other")
        return f"{link.bundle} from {over} to {over}"
    names = {"next": "ring of {}", "other": "mesh of {}", "any": "all {}", "same": "same"}
    return ", ".join(
        f"{names[word].format(plan.size(axis))} in {axis}"
        for axis, word in link.along
        if word in names
    )


def short_name(name: str) -> str:
    """``QM9700`` for ``QM9700 NDR switch, managed``: as much of a part's name as is distinct."""
    return clean(_RATE.sub("", name.partition(",")[0]) or name)


def _count(facts: Facts, group: GroupPlan) -> list[str]:
    """``8 rail x 4 SU = 32``, then what of it is absent or down."""
    factors = [
        (size, axis)
        for axis, size in zip(group.axes[::-1], group.sizes[::-1], strict=True)
        if not (axis == group.name and size == 1 and len(group.axes) > 1)
    ]
    each = [
        f"{size:,}" if axis == group.name else f"{size:,} {_axis_word(axis)}"
        for size, axis in factors
    ]
    total = f" = {group.instances:,}" if len(each) > 1 else ""
    words = [" x ".join(each) + total]
    if absent := group.instances - facts.devices[group.name]:
        words.append(f"({absent:,} absent)")
    if down := _down(group, facts.plan.down):
        words.append(f"({down:,} down)")
    return words


def _axis_word(axis: str) -> str:
    return clean(axis.upper() if len(axis) == 2 else axis)


def _down(group: GroupPlan, selectors: Iterable[Selector]) -> int:
    """How many whole instances of the group are down; overlapping selectors count once."""
    blocks = []
    for selector in selectors:
        first = selector.first
        if first.group != group.name or first.ports is not None or selector.is_cable:
            continue
        spans = {axis: range(low, high + 1) for axis, low, high in first.ranges}
        blocks.append(
            [spans.get(a, range(n)) for a, n in zip(group.axes, group.sizes, strict=True)]
        )
    counted = sum(prod(map(len, block)) for block in blocks)
    if len(blocks) < 2 or counted > _MOST_COUNTED:
        return min(counted, group.instances)
    return len({at for block in blocks for at in product(*block)})


def _part(group: GroupPlan) -> StyledLine:
    if group.switch:
        native = group.switch.native
        ports = f"  {group.switch.ports} x {native.speed_gbit} Gb/s"
        return ((short_name(group.switch.name), Ink.PART), (ports, Ink.DETAIL))
    if group.node:
        gpus = group.node.gpus
        name = short_name(group.node.name)
        joined = (
            f", {prod(group.sizes[outside(group) :]) * gpus} by {GPU_LINK_NAMES[group.gpu_links]}"
            if is_joined(group)
            else ""
        )
        return ((name, Ink.PART), (f"  {gpus} GPU{'s' if gpus > 1 else ''}{joined}", Ink.DETAIL))
    if group.storage:
        rate = group.storage.read_GBps
        reads = f"  reads {bandwidth(rate)}" if rate is not None else "  storage"
        return ((short_name(group.storage.name), Ink.PART), (reads, Ink.DETAIL))
    if isinstance(group.part, NvlinkSwitch):
        links = f"  {counted(group.part.ports, link_noun(group.part.protocol))}"
        return ((short_name(group.part.name), Ink.PART), (links, Ink.DETAIL))
    return ((clean(group.spec.part), Ink.PART),)


def _ports(facts: Facts, group: GroupPlan, *, whole: bool) -> list[StyledLine]:
    if group.switch:
        return [_switch_ports(facts, group, whole=whole)]
    if isinstance(group.part, NvlinkSwitch):
        used = next((one.taken for one in facts.plan.nvlinks if one.switches == group.name), 0)
        return [((f"{used} used,", Ink.DETAIL), _free(group.part.ports - used))]
    lines: list[StyledLine] = []
    for slots, ports in group.port_groups.items():
        if ports.nic is None:
            empty = f" {counted(ports.slots, 'slot')} empty"
            lines.append(((f"{clean(slots)}:", Ink.DETAIL), (empty, Ink.DETAIL)))
            continue
        nic = ports.nic
        speed = f"{nic.ports} x {nic.speed_gbit}" if nic.ports > 1 else f"{nic.speed_gbit}"
        speed += f" ({nic.shared_gbit} together)" if nic.shared_gbit else ""
        fitted = f"{clean(slots)} {ports.nics} x {short_name(nic.name)}"
        free = facts.use[group.name, slots].free
        more = ((",", Ink.DETAIL), _free(free)) if free else ()
        lines.append(((fitted, Ink.DETAIL), (f" {speed} Gb/s", Ink.DETAIL), *more))
    return lines or [(("no ports", Ink.DETAIL),)]


def _switch_ports(facts: Facts, group: GroupPlan, *, whole: bool) -> StyledLine:
    """Ports of a switch by direction, and what is free; ``whole`` where there is room for all.

    Where not all ports run as the switch has them, each count has its speed, and cages are free.
    """
    assert group.switch is not None
    # "down" is what failed
    ways: dict[str, dict[int, int]] = {"below": {}, "across": {}, "above": {}}
    fewer = set()
    links = [one for one in facts.plan.links_of(group.name) if not one.end_of(group.name).ports]
    for link in links:
        other = link.b.group if link.a.group == group.name else link.a.group
        step = facts.tier[other] - facts.tier[group.name]
        way = "below" if step < 0 else "above" if step else "across"
        least = most = link.cables_at(group.name)
        if _spare(facts, group, link):
            least, most = _fewest_and_most(facts.plan, group, link)
        ways[way][link.speed_gbit] = ways[way].get(link.speed_gbit, 0) + most
        if least < most:
            fewer.add(way)
    use = facts.use[group.name, ""]
    as_built = set(use.by_speed) <= {group.switch.native.speed_gbit}
    upto = dict.fromkeys(fewer, "up to ")  # some switches have fewer: those of absent devices
    words = []
    for way, by_speed in ways.items():
        if ports := sum(by_speed.values()):
            each = " + ".join(f"{many} x {speed} Gb/s" for speed, many in sorted(by_speed.items()))
            words.append(f"{upto.get(way, '')}{ports if as_built else each} {way},")
    free, ink = _free(use.free) if as_built else _free_cages(use, links, group)
    short = next((one for one in facts.findings if _is_short(one, group)), None)
    if short is not None:
        asked, has = (int(str(short.all_values[name])) for name in ("cages_asked", "cages"))
        free, ink = f" {counted(asked - has, 'cage')} too many", Ink.ERROR
    spare = sum(_spare(facts, group, link) for link in links)
    if whole and spare and use.free >= 0:
        free = f"{free}, {spare:,} at absent"
    if not words:
        return ((free.strip(), ink),)
    if as_built:
        return ((" ".join(words), Ink.DETAIL), (free, ink))
    first, *rest = words  # a piece each: a narrow box breaks between them
    return ((first, Ink.DETAIL), *((f" {one}", Ink.DETAIL) for one in rest), (free, ink))


def _is_short(finding: Finding, group: GroupPlan) -> bool:
    return finding.code == "cages-short" and finding.place.group == group.name


def _free_cages(use: PortUse, links: Iterable[LinkPlan], group: GroupPlan) -> tuple[str, Ink]:
    """Cages that are left; at most so many where plugs of several kinds may share none."""
    left = use.cages - use.cages_used
    if left < 0:
        return f" {counted(-left, 'cage')} too many", Ink.ERROR
    shares = left and any(link.end_of(group.name).breakout > 1 for link in links)
    return f" {'up to ' if shares else ''}{counted(left, 'cage')} free", Ink.DETAIL


def _spare(facts: Facts, group: GroupPlan, link: LinkPlan) -> int:
    """Ports of all switches of a group together that wait at a link for devices that are absent."""
    if link.index not in facts.cables or link.a.group == link.b.group:
        return 0
    moved = sum(dealt.link == link.index for dealt in facts.plan.replaced)
    moved -= sum(cable.link == link.index for cable in facts.plan.single_cables)
    planned = link.cables_at(group.name) * facts.devices[group.name]
    return max(planned - facts.cables[link.index] - moved, 0)


def _fewest_and_most(plan: Plan, group: GroupPlan, link: LinkPlan) -> tuple[int, int]:
    """Cables of a link at those switches of a group that have the fewest, and the most."""
    graph = base_graph(plan, without_down=False).graph
    cables = [
        sum(data["per"][one] for _, _, data in graph.edges(one, data=True) if _is_of(data, link))
        for one in graph
        if one[0] == "device" and one[1] == group.name
    ]
    return min(cables), max(cables)


def _is_of(edge: Mapping[str, object], link: LinkPlan) -> bool:
    return edge["link"] == link.index


def _free(free: int) -> tuple[str, Ink]:
    return (f" {free} free", Ink.DETAIL) if free >= 0 else (f" {-free} too many", Ink.ERROR)


def _told(findings: Iterable[Finding]) -> tuple[StyledLine, ...]:
    """What is said of a place, in words, the worst first."""
    mine = [finding for finding in findings if finding.severity != "info"]
    mine.sort(key=lambda finding: finding.severity != "error")
    lines: list[StyledLine] = []
    for finding in mine[:_MOST_TOLD]:
        mark, ink = (ERROR, Ink.ERROR) if finding.severity == "error" else (WARNING, Ink.WARNING)
        words = wrapped(f"{mark} {clean(finding.text)}", TOLD_WIDTH)
        lines += [((line, ink),) for line in words]
    if more := len(mine) - _MOST_TOLD:
        lines += [((f"and {more} more (f)", Ink.WARNING),)] if more > 0 else []
    return tuple(lines)


def _marks(findings: Iterable[Finding]) -> tuple[StyledLine, ...]:
    """A mark and a word for the worst of what is said of a place."""
    mine = [finding for finding in findings if finding.severity != "info"]
    if not mine:
        return ()
    mine.sort(key=lambda finding: finding.severity != "error")
    worst = mine[0]
    mark, ink = (ERROR, Ink.ERROR) if worst.severity == "error" else (WARNING, Ink.WARNING)
    word = _WORDS.get(worst.code, clean(worst.code).replace("-", " "))
    more = f" +{len(mine) - 1}" if len(mine) > 1 else ""
    return (((f"{mark} {word}{more}", ink),),)


def _sign(marks: Sequence[StyledLine]) -> StyledLine:
    """The mark of what is said of a place, without its words."""
    return tuple((f" {text.split()[0]}", ink) for (text, ink), *_ in marks[:1])


def _said(facts: Facts, place: str) -> StyledLine:
    """How many comments of a review are open at a place; nothing where there are none."""
    many = facts.comments.get(place, 0)
    return ((f"{COMMENT} {many} comment{'s' if many > 1 else ''}", Ink.COMMENT),) if many else ()
