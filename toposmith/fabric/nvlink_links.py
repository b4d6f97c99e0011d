"""Links of nodes to NVLink switches: which GPUs hang on them, and how many NVLinks are up.

Such a link is no part of the fabric: its cables come with the rack, and what runs over it is inside
the NVLink domain, which is one node to NCCL.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import prod
from typing import NamedTuple, NoReturn

from toposmith.catalog import Catalog, Gpu, Node, NvlinkSwitch
from toposmith.catalog.part_text import GPU_LINK_NAMES, link_noun
from toposmith.design.document import Design
from toposmith.design.selectors import axis_size
from toposmith.fabric.classes import base_graph
from toposmith.fabric.link_cabling import Unsound
from toposmith.fabric.once import once
from toposmith.fabric.plan import NVLINK, GroupPlan, NvlinkLink, Plan
from toposmith.fabric.rack_pairs import planes_that_meet, rack_pairs
from toposmith.text import counted, plain_number


def leads_to_nvlink(design: Design, index: int, groups: Mapping[str, GroupPlan]) -> bool:
    """Whether one end of a link is a group of NVLink switches and the other is none."""
    ends = (end.partition(".")[0] for end in design.links[index].between)
    return sum(isinstance(groups[name].part, NvlinkSwitch) for name in ends) == 1


def plan_nvlink(
    design: Design, index: int, groups: Mapping[str, GroupPlan], catalog: Catalog
) -> NvlinkLink:
    """Plan a link with NVLink switches at one end.

    Raises
    ------
    Unsound
        If the NVLinks cannot be joined so, with the code and the values of a finding.
    """
    link = design.links[index]
    (one, one_slots), (other, other_slots) = ((e.partition(".")[0::2]) for e in link.between)
    if isinstance(groups[one].part, NvlinkSwitch):
        one, one_slots, other, other_slots = other, other_slots, one, one_slots
    nodes, switches = groups[one], groups[other]
    tray, node = switches.part, nodes.node
    assert isinstance(tray, NvlinkSwitch)
    if node is None or other_slots or one_slots not in ("", NVLINK):
        right = f"write [{one}.{NVLINK}, {other}]" if node else f"{one} has none"
        _refuse(f"NVLink switches join the NVLinks of nodes: {right}")
    gpu, noun = catalog.get(node.gpu), link_noun(nodes.gpu_links)
    if node.nvlink is None or node.nvlink.domain_gpus is None:
        _refuse(f"the {noun}s of {node.name} do not leave the node")
    if not isinstance(gpu, Gpu) or gpu.nvlink is None:
        _refuse(f"the catalog knows no {noun}s of {node.gpu}")
    if nodes.nvlink is not None:
        _refuse(f"the {noun}s of {one} are joined by another link")
    if gpu.nvlink.kind != tray.protocol:
        kinds = GPU_LINK_NAMES[gpu.nvlink.kind], GPU_LINK_NAMES[tray.protocol]
        _refuse(f"{kinds[0]} of {gpu.name} and {kinds[1]} of {tray.name} do not meet")
    if gpu.nvlink.GBps_per_link != tray.GBps_per_link:
        rates = (plain_number(rate) for rate in (gpu.nvlink.GBps_per_link, tray.GBps_per_link))
        _refuse("{}s of {} and {} GB/s do not meet".format(noun, *rates))
    if link.along or link.speed is not None or link.length is not None or link.wants.words:
        _refuse("it takes no speed, length or relation, nor parts: the rack brings its cables")
    shared = tuple(axis for axis in nodes.axes if axis in switches.axes)
    reached = prod(axis_size(design, axis) for axis in switches.axes if axis not in shared)
    beside = prod(axis_size(design, axis) for axis in nodes.axes if axis not in shared)
    per_switch = _links_to_each(link.cables, gpu.nvlink.links, node, reached, noun)
    taken = per_switch * node.gpus * beside
    if taken > tray.ports:
        _refuse(
            f"{counted(beside * node.gpus, 'GPU')} with {counted(per_switch, noun)} to each of "
            f"{other} take {taken:,} of its {tray.ports} ports",
            node,
        )
    room = tray.ports // per_switch
    per_gpu = per_switch * reached
    rate = tray.GBps_per_link
    return NvlinkLink(index, one, other, shared, room, per_gpu, per_switch, taken, rate)


def _links_to_each(cables: int | None, links: int, node: Node, switches: int, noun: str) -> int:
    """Links of a GPU to each switch; as many as there are, where the design does not say."""
    if cables is None:
        if links % switches:
            _refuse(
                f"{links} {noun}s of a GPU do not divide over {counted(switches, 'switch')}", node
            )
        return links // switches
    gpus = node.gpus
    if cables % gpus or cables // gpus * switches > links:
        most = links // switches * gpus
        _refuse(f"cables: {cables} a pair; {gpus} to {most}, as many of each of {gpus} GPUs")
    return cables // gpus


def _refuse(reason: str, node: Node | None = None) -> NoReturn:
    """Raise Unsound with a reason; for a node also the rack that it is sold in, if known."""
    rack = node.nvlink if node else None
    known = node and rack and rack.domain_gpus and rack.switch_trays
    trays = rack.domain_gpus // node.gpus if node and rack and rack.domain_gpus else None
    sold = {"trays": trays, "switch_trays": rack.switch_trays} if known and rack else {}
    raise Unsound("bad-nvlink-link", reason=reason, **sold)


def fewest_nvlinks(plan: Plan, group: str) -> int:
    """NVLinks of a GPU that lead to switches that are up, in the domain that has fewest."""
    return min(_nvlinks_up(plan, group).values(), default=0)


def share_that_meets(plan: Plan, group: str) -> float:
    """Share of a GPU's live NVLinks that lead to switches with live cables to every counterpart.

    These add up what all GPUs of a domain send: 1 where no cables join racks to it.
    """
    link = plan.groups[group].nvlink
    if link is None or link.trunk is None or not rack_pairs(plan, link):
        return 1.0
    up = fewest_nvlinks(plan, group)
    return min(1.0, planes_that_meet(plan, link) * link.per_switch / up) if up else 0.0


class CutOff(NamedTuple):
    """A place whose GPUs reach no others of their NVLink domain.

    ``at`` is the place, ``rack=2``; ``alone`` is whether its own switches are up, and only the
    cables to another rack are not.
    """

    link: NvlinkLink
    at: str
    alone: bool = False


def without_nvlinks(plan: Plan) -> CutOff | None:
    """A place that reaches no other GPU of its NVLink domain, with the link; None without any.

    All its switches are down, or all cables to those of another rack are.
    """
    for link in plan.nvlinks:
        axes = [axis for axis in plan.groups[link.nodes].axes if axis in link.shared]
        for place, up in _nvlinks_up(plan, link.nodes).items():
            if not up:
                at = ",".join(f"{a}={v}" for a, v in zip(axes, place, strict=True))
                return CutOff(link, at)
        for pair in rack_pairs(plan, link) if link.trunk is not None else ():
            if not pair.GBps:
                return CutOff(link, pair.at, alone=True)
    return None


@once
def _nvlinks_up(plan: Plan, group: str) -> dict[tuple[int, ...], int]:
    """The same for each place that has nodes, by the smallest of its values that are alike."""
    planned = plan.groups[group]
    link = planned.nvlink
    assert link is not None
    if not any(one.first.group == link.switches for one in (*plan.absent, *plan.down)):
        return {(): link.links_per_gpu}
    classes = base_graph(plan)
    switches = plan.groups[link.switches]
    there = {_place(planned, link, v[2]) for v in classes.graph if v[:2] == ("device", group)}
    up: dict[tuple[int, ...], int] = defaultdict(int)
    for vertex, data in classes.graph.nodes(data=True):
        if vertex[:2] == ("device", link.switches):
            cells = dict(zip(switches.axes, vertex[2], strict=True))
            sizes = classes.cuts.cell_sizes
            racks = prod(sizes[axis][cells[axis]] for axis in link.shared)
            up[_place(switches, link, vertex[2])] += data["size"] // racks
    axes = [axis for axis in planned.axes if axis in link.shared]
    return {
        tuple(classes.cuts.cells(a)[cell].first for a, cell in zip(axes, place, strict=True)): (
            link.per_switch * up[place]
        )
        for place in there
    }


def _place(group: GroupPlan, link: NvlinkLink, cells: tuple[int, ...]) -> tuple[int, ...]:
    at = dict(zip(group.axes, cells, strict=True))
    return tuple(at[axis] for axis in link.shared)


def with_nvlinks_up(plan: Plan, catalog: Catalog) -> Catalog:
    """The catalog with as many NVLinks on each GPU as lead to switches that are up.

    Collectives of all GPUs are held by the domain that lost most.
    """
    fewer: dict[str, Gpu] = {}
    for group in plan.groups.values():
        gpu = catalog.get(group.node.gpu) if group.node and group.nvlink else None
        if isinstance(gpu, Gpu) and gpu.nvlink is not None:
            left = fewest_nvlinks(plan, group.name)
            if left < gpu.nvlink.links:
                links = gpu.nvlink.model_copy(update={"links": left}) if left else None
                fewer[gpu.id] = gpu.model_copy(update={"nvlink": links})
    if not fewer:
        return catalog
    return Catalog([fewer.get(part.id, part) for part in catalog])
