"""Whether one GPU of each class provably represents it, so that the worst cut is found.

Colour refinement cannot tell a ring of six from two rings of three: equal colours need not mean
equal cuts. Where a design has no faults and its nodes are of one group, swapping the values of an
axis maps the wiring onto itself, since links join devices by equal values on shared axes and all
nodes deal their ports alike. What remains to be shown is that the GPUs of a node can be swapped,
too, with the NICs beside them and what these are cabled to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.classes import ClassGraph, ClassVertex
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.plan import GroupPlan

HAS_FAULTS = "devices or cables are absent, down or slow"
LAID_SINGLY = "single cables go elsewhere than their links deal them"
UNLIKE_NODES = "nodes are of more than one group"
LOOK_ALIKE = "parts that look equivalent are not proven equivalent"


def why_unlike(network: ComputeNetwork) -> str:
    """Why nodes are not all equivalent, by the design alone; empty where they may be."""
    plan = network.plan
    if plan.absent or plan.down or plan.slow:
        return HAS_FAULTS
    if plan.single_cables:
        return LAID_SINGLY
    if len(network.world.groups) != 1:
        return UNLIKE_NODES
    return ""


def why_unproven(
    network: ComputeNetwork, classes: ClassGraph, colours: Mapping[ClassVertex, int]
) -> str:
    """Why a cut other than those tried may be worse; empty where that is impossible.

    For designs whose nodes are alike (:func:`why_unlike`).

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    classes : ClassGraph
        Its classes with the insides of nodes.
    colours : mapping
        A number for every class, equal where colour refinement finds them equivalent.
    """
    group = network.world.groups[0]
    gpus = classes.vertices("gpu")
    if len({colours[vertex] for vertex in gpus}) < len(gpus):
        return LOOK_ALIKE
    each_is_tried = is_paired(group) or all(
        len(classes.graph.nodes[vertex]["members"]) == 1 for vertex in gpus
    )
    return "" if each_is_tried or _slots_can_be_swapped(network, group) else LOOK_ALIKE


def one_class(classes: ClassGraph) -> bool:
    """Whether all GPUs are of one class, joined so that any can be swapped for any other."""
    gpus = classes.vertices("gpu")
    return len(gpus) == 1


def is_paired(group: GroupPlan) -> bool:
    """Whether NVLink joins its GPUs in pairs, so that each has to be tried."""
    node = group.node
    return node is not None and node.nvlink is not None and bool(node.nvlink.pairs)


def _slots_can_be_swapped(network: ComputeNetwork, group: GroupPlan) -> bool:
    """Whether swapping NICs is undone by swapping values of the axes that they are dealt over.

    Inside, a node is a tree below its sockets (PCIe) and a star or full mesh (NVLink), so that
    what colour refinement holds to be alike can be swapped. That carries over to the fabric where,
    on every axis, all NICs meet the same values, or each meets values that no other one does.
    """
    met = _values_met(network, group)
    if len(met) < 2:
        return True
    for axis in {axis for by_axis in met.values() for axis in by_axis}:
        values = [by_axis.get(axis, ()) for by_axis in met.values()]
        if len(set(values)) == 1:
            continue
        all_values = [value for one in values for value in set(one)]
        apart = len(all_values) == len(set(all_values))
        if not apart or len({_pattern(one) for one in values}) > 1:
            return False
    return True


def _values_met(network: ComputeNetwork, group: GroupPlan) -> dict[int, dict[str, tuple[int, ...]]]:
    """For each cabled NIC, the values that its ports meet on each axis, in order of its ports."""
    slots = network.slots.get(group.name)
    ports = None if slots is None else group.port_groups[slots]
    met: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    if ports is None or ports.nic is None:
        return met
    for link in network.plan.links_of(group.name):
        end = link.end_of(group.name)
        if end.ports != slots:
            continue
        for port in range(ports.ports):
            peer = port_peer(network.plan, link, end, port)
            if peer is None:
                continue
            by_axis = met[ports.nic_of(port)]
            # two links may share an axis, and a swap of its values moves both
            for axis, value in peer.items():
                by_axis[axis] = (*by_axis.get(axis, ()), value)
    return met


def _pattern(values: tuple[int, ...]) -> tuple[int, ...]:
    """Which of the values are equal."""
    return tuple(values.index(value) for value in values)


def nodes_lie_whole(classes: ClassGraph, inside: set[ClassVertex]) -> bool:
    """Whether a set of classes has all GPUs of a node or none, for every class of nodes."""
    return all(len(sides) == 1 for sides in _sides(classes, inside))


def _sides(classes: ClassGraph, inside: set[ClassVertex]) -> Iterator[set[bool]]:
    sides: dict[tuple[object, ...], set[bool]] = defaultdict(set)
    for vertex in classes.vertices("gpu"):
        sides[vertex[1:3]].add(vertex in inside)
    yield from sides.values()
