"""Planning a design: parts looked up, ports dealt, links planned, faults read.

What does not fit becomes a finding and is left out, so that the rest can still be analysed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from toposmith.cancellation import go_on
from toposmith.catalog import Catalog, Gpu, Nic, Node, NvlinkSwitch, Storage, Switch
from toposmith.catalog.kinds import kind_of
from toposmith.catalog.pieces import GpuLink
from toposmith.design.document import Design, Group, SlowSpeed
from toposmith.design.group_positions import read_view
from toposmith.design.selectors import (
    Selection,
    Selector,
    axis_size,
    group_axes,
    parse_selector,
)
from toposmith.fabric.doubled_links import doubled_links
from toposmith.fabric.link_cabling import Unsound, plan_link, slowed_nics
from toposmith.fabric.management_ports import cabled_management, cabled_uplinks, named_slots
from toposmith.fabric.named_cables import most_of_two, names_a_cable
from toposmith.fabric.nvlink_links import leads_to_nvlink, plan_nvlink
from toposmith.fabric.nvlink_trunks import check_trunk, join_racks, joins_nvlink_switches
from toposmith.fabric.plan import (
    GPU,
    GroupPlan,
    LinkPlan,
    Plan,
    PortGroup,
    Slow,
    SlowGpus,
)
from toposmith.fabric.single_cables import with_single_cables
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, Place, at_block, at_group, at_link, found

MOST_COMPARED = 100
"""Findings beyond which unknown parts are no longer compared with those of the catalog."""


def plan_design(design: Design, catalog: Catalog) -> Plan:
    """Plan a design: look up its parts, deal its ports, choose speed and protocol of links.

    Parameters
    ----------
    design : Design
        The document; its names have to be consistent (the parser checks them).
    catalog : Catalog
        Where the parts are looked up.

    Returns
    -------
    Plan
        Every group, every link that can be built, and findings for what cannot.
    """
    go_on(20 * (len(design.groups) + len(design.links)))
    findings: list[Finding] = []
    named = named_slots(design)
    groups = {name: _plan_group(design, name, catalog, findings, named) for name in design.groups}
    links: list[LinkPlan] = []
    taken: dict[tuple[str, str], int] = {}
    refused: set[str] = set()
    for index, link in enumerate(design.links):
        try:
            if leads_to_nvlink(design, index, groups):
                nvlink = plan_nvlink(design, index, groups, catalog)
                groups[nvlink.nodes] = replace(groups[nvlink.nodes], nvlink=nvlink)
                continue
            if joins_nvlink_switches(design, index, groups):
                check_trunk(design, index, groups)
            planned = plan_link(design, index, groups, taken)
        except Unsound as unsound:
            place = at_link(index, link.between)
            findings.append(found(unsound.code, place, "error", **unsound.values))
            for written in link.between if unsound.code == "bad-nvlink-link" else ():
                name = written.partition(".")[0]
                groups[name] = replace(groups[name], nvlink_unsound=True)
            if joins_nvlink_switches(design, index, groups):
                refused.add(link.between[0].partition(".")[0])
            continue
        links.append(planned)
        findings += [
            found("no-cables-along", at_link(index, link.between), axis=axis, word=word)
            for axis, word in planned.along[:1]
            if not planned.peers_of_a * planned.peers_of_b
        ]
        findings += slowed_nics(design, planned, groups)
        for end in (planned.a, planned.b):
            if end.ports:
                key = (end.group, end.ports)
                taken[key] = taken.get(key, 0) + planned.cables_at(end.group)
    findings += doubled_links(links)
    findings += [
        found("bad-view", at_block(key), reason=reason) for key, reason in read_view(design).faults
    ]
    findings += join_racks(groups, links, refused, design)
    plan = with_single_cables(Plan(design, groups, tuple(links), (), (), ()))
    findings += plan.findings
    absent = _selectors("absent", design.absent, plan, findings)
    down = _selectors("down", design.down, plan, findings)
    slow = _slow(plan, findings)
    slow_cables = tuple(one for one in slow if isinstance(one, Slow))
    counted = Counter[Hashable]()
    slowed = [one.selector for one in slow_cables]
    findings += _more_than_there_are(plan, "absent", design.absent, absent, counted)
    findings += _more_than_there_are(plan, "down", design.down, down, counted)
    findings += _more_than_there_are(plan, "slow", tuple(design.slow), slowed, counted)
    sets = {}
    for name, texts in design.sets.items():
        of_set = _selectors(f"sets.{name}", texts, plan, findings)
        findings += _more_than_there_are(plan, f"sets.{name}", texts, of_set, Counter())
        sets[name] = of_set
    return replace(
        plan,
        absent=absent,
        down=down,
        slow=slow_cables,
        slow_gpus=tuple(one for one in slow if isinstance(one, SlowGpus)),
        sets=sets,
        findings=tuple(findings),
    )


def _plan_group(
    design: Design,
    name: str,
    catalog: Catalog,
    findings: list[Finding],
    named: frozenset[tuple[str, str]],
) -> GroupPlan:
    spec = design.groups[name]
    axes = group_axes(design, name)
    sizes = tuple(axis_size(design, axis) for axis in axes)
    part = catalog.get(spec.part)

    def wrong(code: str, **values: Fact) -> None:
        findings.append(found(code, at_group(name), **values))

    if part is None:
        near = catalog.nearest(spec.part) if len(findings) < MOST_COMPARED else []
        wrong("unknown-part", part=spec.part, near=_nearest(near))
    elif isinstance(part, Node) and not isinstance(catalog.get(part.gpu), Gpu):
        wrong("unknown-part", node=part.name, gpu=part.gpu)
    elif isinstance(part, Node | Storage):
        ports = _node_ports(name, spec, part, catalog, findings)
        ports |= cabled_management(named, name, part)
        gpu = catalog.get(part.gpu) if isinstance(part, Node) else None
        links: GpuLink = gpu.nvlink.kind if isinstance(gpu, Gpu) and gpu.nvlink else "nvlink"
        return GroupPlan(name, spec, part, axes, sizes, ports, gpu_links=links)
    elif isinstance(part, Switch):
        if spec.nics:
            wrong("not-a-node", part=part.name)
        ports = {"": PortGroup("", part.ports), **cabled_management(named, name, part)}
        ports |= cabled_uplinks(named, name, part)
        return GroupPlan(name, spec, part, axes, sizes, ports)
    elif isinstance(part, NvlinkSwitch) and part.cages:
        ports = {"": PortGroup("", part.cages.count * part.cages.modes[0].ports)}
        return GroupPlan(name, spec, part, axes, sizes, ports)
    elif kind_of(part).placed:
        return GroupPlan(name, spec, part, axes, sizes, {})
    else:
        wrong("not-a-device", part=part.name, kind=part.kind)
    return GroupPlan(name, spec, None, axes, sizes, {})


def _node_ports(
    name: str, spec: Group, node: Node | Storage, catalog: Catalog, findings: list[Finding]
) -> dict[str, PortGroup]:
    for slots in spec.nics:
        if slots not in node.slots:
            values: dict[str, Fact] = {"slots": slots, "known": tuple(node.slots)}
            findings.append(found("unknown-slots", at_group(name), part=node.name, **values))
    ports: dict[str, PortGroup] = {}
    for slots, room in node.slots.items():
        fitted = spec.nics.get(slots)
        count = fitted.count if fitted else room.fitted
        nic = _nic(at_group(name, slots), fitted.part if fitted else room.nic, catalog, findings)
        if count > room.count:
            place = at_group(name, slots)
            findings.append(found("slots-overfilled", place, nics=count, slots=room.count))
            count = room.count
        if nic is not None and count:
            ports[slots] = PortGroup(
                slots, count * nic.ports, nic, count, room.count, room.ports_across_nics
            )
        else:
            ports[slots] = PortGroup(slots, 0, None, 0, room.count)
    return ports


def _nic(place: Place, part: str | None, catalog: Catalog, findings: list[Finding]) -> Nic | None:
    """The NIC of this id; None, with a finding, where the catalog has no such NIC."""
    named = catalog.get(part) if part else None
    if part is None or isinstance(named, Nic):
        return named if isinstance(named, Nic) else None
    nics = {nic.id for nic in catalog.of_kind("nic")}
    like = catalog.nearest(part) if len(findings) < MOST_COMPARED else []
    near = _nearest([near for near in like if near in nics])
    known = named is not None
    findings.append(found("unknown-part", place, nic=part, in_catalog=known, near=near))
    return None


def _nearest(ids: list[str]) -> tuple[str, ...] | None:
    return tuple(ids) or None


def _selectors(
    key: str, texts: tuple[str, ...], plan: Plan, findings: list[Finding]
) -> tuple[Selector, ...]:
    """The readable selectors under a key; a finding for each of the others."""
    read: list[Selector] = []
    for number, text in enumerate(texts):
        try:
            selector = parse_selector(text, plan.design)
            _check_selected(selector, plan)
        except ValueError as error:
            place = at_block(f"{key}[{number}]")
            findings.append(found("bad-selector", place, reason=str(error)))
        else:
            read.append(selector)
    return tuple(read)


def _slow(plan: Plan, findings: list[Finding]) -> tuple[Slow | SlowGpus, ...]:
    """The readable entries of ``slow:``; a finding for each of the others."""
    read: list[Slow | SlowGpus] = []
    for number, (text, speed) in enumerate(plan.design.slow.items()):
        try:
            selector = parse_selector(text, plan.design)
            slow: Slow | SlowGpus
            if names_gpus(selector, plan):
                slow = _slowed_gpus(selector, speed, plan)
            else:
                _check_selected(selector, plan)
                _check_runs_slow(selector, plan)
                slow = _slowed(selector, speed)
                _check_slower(slow, speed, plan)
        except ValueError as error:
            place = at_block(f"slow[{number}]")
            findings.append(found("bad-selector", place, reason=str(error)))
        else:
            read.append(slow)
    return tuple(read)


def names_gpus(selector: Selector, plan: Plan) -> bool:
    """Whether a selector names GPUs of nodes, ``node[node=3].gpu[5]``, and no ports."""
    group = plan.groups[selector.first.group]
    on_node = group.node is not None and GPU not in group.port_groups
    return selector.second is None and selector.first.ports == GPU and on_node


def _slowed_gpus(selector: Selector, speed: SlowSpeed, plan: Plan) -> SlowGpus:
    node, first = plan.groups[selector.first.group].node, selector.first
    assert node is not None
    if not isinstance(speed, str):
        raise ValueError(f"{selector.text!r}: the rate of a GPU is a share such as 50 %")
    if first.port is not None and first.port >= node.gpus:
        raise ValueError(f"{selector.text!r}: {first.group} has GPUs 0 to {node.gpus - 1}")
    share = float(speed.rstrip(" %")) / 100
    if share > 1:
        raise ValueError(f"{selector.text!r}: {speed} is above the rate of the GPU")
    return SlowGpus(first, share, selector.text)


def _slowed(selector: Selector, speed: SlowSpeed) -> Slow:
    if isinstance(speed, str):
        return Slow(selector, None, float(speed.rstrip(" %")) / 100)
    return Slow(selector, float(speed))


def _check_runs_slow(selector: Selector, plan: Plan) -> None:
    """Refuse NVLink switches, whose NVLinks have one speed."""
    group = plan.groups[selector.first.group]
    if isinstance(group.part, NvlinkSwitch) and selector.second is None:
        raise ValueError(f"{selector.text!r}: NVLinks have one speed; a switch is up, or down:")


def _check_slower(slow: Slow, speed: SlowSpeed, plan: Plan) -> None:
    """Refuse a speed that is above that of a link whose cables are selected."""
    for link in plan.every_link:
        if selects_of(slow.selector, link) and slow.gbit_of(link) > link.speed_gbit:
            raise ValueError(
                f"{slow.selector.text!r}: {shown_speed(speed)} is above the {link.speed_gbit} Gb/s "
                f"of {link.label}"
            )


def selects_of(selector: Selector, link: LinkPlan) -> bool:
    """Whether a selector may mean cables of a link."""
    ends = {link.a.group: link.a.ports, link.b.group: link.b.ports}
    if selector.second is not None:
        return {selector.first.group, selector.second.group} == ends.keys()
    first = selector.first
    return first.group in ends and first.ports in (None, ends[first.group])


def shown_speed(speed: SlowSpeed) -> str:
    """A speed as the file writes it: ``200 Gb/s``, ``50 %``."""
    return speed if isinstance(speed, str) else f"{speed:g} Gb/s"


def _check_selected(selector: Selector, plan: Plan) -> None:
    """Refuse a selector of ports or cables that the design does not have."""
    if selector.second is None:
        _check_port(selector.text, selector.first, plan)
        return
    ends = {selector.first.group, selector.second.group}
    if any({link.nodes, link.switches} == ends for link in plan.nvlinks):
        raise ValueError(
            f"{selector.text!r}: NVLinks go with their trays: name those, or the switch trays"
        )
    if not any({link.a.group, link.b.group} == ends for link in plan.every_link):
        one, other = selector.first.group, selector.second.group
        raise ValueError(f"{selector.text!r}: no link joins {one} and {other}")
    if not names_a_cable(plan, selector):
        raise ValueError(f"{selector.text!r}: no cable joins any of these")
    node = next((plan.groups[end] for end in sorted(ends) if plan.groups[end].host), None)
    if selector.cables is not None and node is not None:
        raise ValueError(
            f"{selector.text!r}: name a node's cables by their port, like {node.name}.compute[0]"
        )


def _more_than_there_are(
    plan: Plan,
    key: str,
    texts: Sequence[str],
    read: Sequence[Selector],
    counted: Counter[Hashable],
) -> Iterator[Finding]:
    """A finding for each entry that counts more cables than join two devices.

    Counts of entries with the same ends add up in ``counted``.
    """
    number = -1
    for selector in read:
        number = texts.index(selector.text, number + 1)
        if selector.cables is None or selector.second is None:
            continue
        ends = frozenset((selector.first, selector.second))
        there = most_of_two(plan, selector)
        before = min(counted[ends], there)
        counted[ends] += selector.cables
        if counted[ends] > there:
            yield found(
                "too-many-cables",
                at_block(f"{key}[{number}]"),
                selector=selector.text,
                asked=selector.cables,
                there=there,
                before=before,
            )


def _check_port(text: str, selection: Selection, plan: Plan) -> None:
    if selection.ports is None:
        return
    group = plan.groups[selection.group]
    ports = group.port_groups.get(selection.ports)
    if group.node is not None and selection.ports == GPU and ports is None:
        whole = text.partition(".")[0].strip()
        raise ValueError(f"{text!r}: a GPU goes with its node, write {whole}")
    if group.host is None:
        raise ValueError(
            f"{text!r}: name a switch's cables by their ends, like "
            f"{selection.group} - spine, not by a port"
        )
    if ports is None or not ports.name:
        known = ", ".join(group.port_groups) or "none"
        raise ValueError(f"{text!r}: {group.name} has no {selection.ports!r} ports ({known})")
    if selection.port is not None and selection.port >= ports.ports:
        raise ValueError(f"{text!r}: {group.name}.{ports.name} has ports 0 to {ports.ports - 1}")
