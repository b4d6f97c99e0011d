"""Topologies of schedulers: Slurm's trees and blocks, labels of Kubernetes, Kueue's levels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from toposmith.analysis.switch_tiers import TIER_NAMES
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import (
    DeviceInventory,
    InventoryDevice,
    NameRule,
    SwitchTree,
    Unit,
    switch_tree,
)
from toposmith.fabric.nvlink_domains import is_joined, outside
from toposmith.intervals import runs_of
from toposmith.racks.locked_devices import own_names
from toposmith.text import counted

_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


def name_ranges(names: Iterable[str]) -> str:
    """The names in one list, those that differ by their last number in brackets.

    Numbers keep their leading zeros: ``n[08-12]`` is n08 to n12.
    """
    alone: list[str] = []
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name)
        if found is None:
            alone.append(name)
            continue
        stem, digits = found.groups()
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        numbers.setdefault((stem, width), []).append(int(digits))
    _join_padded(numbers)
    lists = [stem + _brackets(sorted(set(held)), width) for (stem, width), held in numbers.items()]
    return ",".join([*lists, *alone])


def _join_padded(numbers: dict[tuple[str, int], list[int]]) -> None:
    """Numbers without leading zeros go to those of the same width that have them: 099 and 100."""
    for (stem, width), held in list(numbers.items()):
        if width and (stem, 0) in numbers:
            plain = numbers[stem, 0]
            held += [one for one in plain if len(str(one)) == width]
            numbers[stem, 0] = [one for one in plain if len(str(one)) != width]
            if not numbers[stem, 0]:
                del numbers[stem, 0]


def _brackets(numbers: list[int], width: int) -> str:
    runs = [
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}"
        for low, high in runs_of(numbers)
    ]
    if len(numbers) == 1:
        return runs[0]
    return f"[{','.join(runs)}]"


SLURM_NAMES = NameRule("Slurm", signs="A-Za-z0-9._-", longest=64, ends="A-Za-z0-9")

SlurmSwitch = tuple[str, list[str], list[str]]
"""Its name, the switches below it and the nodes on it, one of them empty."""


def slurm_tree(cluster: DeviceInventory) -> Iterator[str]:
    """``topology.conf`` for ``topology/tree``."""
    switches, merged = _switches(cluster)
    yield from _head(cluster, "topology/tree")
    yield from _merged_lines(merged)
    for name, below, nodes in switches:
        if nodes:
            yield f"SwitchName={name} Nodes={name_ranges(nodes)}\n"
        else:
            yield f"SwitchName={name} Switches={name_ranges(below)}\n"


def slurm_block(cluster: DeviceInventory) -> Iterator[str]:
    """``topology.conf`` for ``topology/block``: every NVLink domain of several nodes a block.

    Raises
    ------
    ExportError
        If the design has no such domain.
    """
    blocks = _blocks(cluster)
    if not blocks:
        raise ExportError(
            "no NVLink domain is wider than a node, and blocks are such domains; "
            "slurm-tree carries this design"
        )
    _lose_nodes_outside(cluster, blocks)
    yield from _head(cluster, "topology/block")
    for name, nodes in blocks:
        yield f"BlockName={name} Nodes={name_ranges(nodes)}\n"
    yield f"BlockSizes={_block_size(blocks)}\n"


def slurm_yaml(cluster: DeviceInventory) -> Iterator[str]:
    """``topology.yaml``: the tree, and blocks where NVLink domains have several nodes."""
    (switches, merged), blocks = _switches(cluster), _blocks(cluster)
    yield from _head(cluster, "topology.yaml")
    yield from _merged_lines(merged)
    yield "- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n"
    for name, below, nodes in switches:
        key, held = ("nodes", nodes) if nodes else ("children", below)
        yield f'      - {{switch: "{name}", {key}: "{name_ranges(held)}"}}\n'
    if blocks:
        yield "- topology: block\n  cluster_default: false\n  block:\n"
        yield f"    block_sizes: [{_block_size(blocks)}]\n    blocks:\n"
        for name, nodes in blocks:
            yield f'      - {{block: "{name}", nodes: "{name_ranges(nodes)}"}}\n'


def _head(cluster: DeviceInventory, plugin: str) -> Iterator[str]:
    nodes = name_ranges(_node_names(cluster))
    yield f"# {plugin} of the compute network, written by toposmith\n"
    yield f"# Nodes in slurm.conf: NodeName={nodes}\n"
    if not cluster.plan.naming.names_devices:
        yield "# Names count from 0.\n"


def _node_names(cluster: DeviceInventory) -> list[str]:
    names = cluster.names_by_place(SLURM_NAMES)
    return [names[one.place] for one in cluster.of_kind("node")]


def _merged_lines(merged: Sequence[tuple[str, list[str]]]) -> Iterator[str]:
    """Comments on switches of the file that stand for several, such as the leaves of all rails."""
    if not merged:
        return
    yield "# Left out: which leaf each port of a node is on. slurmctld warns of a node on several\n"
    yield '# leaf switches ("Multiple leaf switches contain nodes"), and counts each of them for\n'
    yield "# --switches where a job names its nodes; so rails and planes are one switch here:\n"
    for name, switches in merged:
        yield f"#   {name}: {name_ranges(switches)}\n"


def _switches(cluster: DeviceInventory) -> tuple[list[SlurmSwitch], list[tuple[str, list[str]]]]:
    """Units from the leaves up, and the switches that those of several stand for.

    A unit with a single one below it says nothing and is left out.
    """
    tree = switch_tree(cluster)
    devices = cluster.names_by_place(SLURM_NAMES)
    if tree.loose:
        many = f"{counted(len(tree.loose), 'node')} without a cable"
        cluster.lose(f"{many} to a switch: {name_ranges(devices[one] for one in tree.loose)}")
    if len(tree.roots) > 1:
        cluster.lose(
            f"{counted(len(tree.roots), 'fabric', 'share')} no switch; each is a separate tree, "
            "and no job "
            "runs over two of them"
        )
    cabled = {end.ports for link in cluster.plan.every_link for end in (link.a, link.b)} - {""}
    networks = cabled - set(cluster.design.network.slots.values())
    if networks:
        cluster.lose(f"networks other than the compute network: {', '.join(sorted(networks))}")
    if storage := cluster.of_kind("storage"):
        cluster.lose(f"{counted(len(storage), 'storage device')} (no job runs there)")
    units = [unit for root in tree.roots for unit in root.units()]
    names = cluster.renamed(SLURM_NAMES, (unit.name for unit in units))
    found = [row for root in tree.roots for row in _rows(root, devices, names)]
    found.sort(key=lambda one: not one[2])
    merged = [
        (names[unit.name], [devices[switch] for switch in sorted(unit.switches)])
        for unit in units
        if unit.nodes and len(unit.switches) > 1
    ]
    if merged:
        cluster.lose("rails and planes: Slurm's tree has a node on one leaf switch; the file says "
                     "for which leaves each stands")  # fmt: skip
    return found, merged


def _rows(
    unit: Unit, nodes: dict[tuple[str, int], str], names: dict[str, str]
) -> Iterator[SlurmSwitch]:
    unit = _shown(unit)
    for below in unit.below:
        yield from _rows(below, nodes, names)
    held = [nodes[one] for one in unit.nodes]
    if held:
        yield names[unit.name], [], held
    else:
        yield names[unit.name], [names[_shown(below).name] for below in unit.below], []


def _shown(unit: Unit) -> Unit:
    while len(unit.below) == 1:
        (unit,) = unit.below
    return unit


def _blocks(cluster: DeviceInventory) -> list[tuple[str, list[str]]]:
    """NVLink domains of several nodes by name, with their nodes."""
    nodes = cluster.names_by_place(SLURM_NAMES)
    found: dict[str, list[str]] = defaultdict(list)
    for one in cluster.of_kind("node"):
        if is_joined(one.group):
            found[domain_name(cluster, one)].append(nodes[one.place])
    names = cluster.renamed(SLURM_NAMES, found)
    return [(names[name], held) for name, held in found.items()]


def domain_name(cluster: DeviceInventory, node: InventoryDevice) -> str:
    """The name of a node's NVLink domain: the node's name in the design without its own number.

    And without its rack, where cables join the NVLink switches of several.
    """
    own = own_names(cluster.plan, node.group.name)(node.number)
    joint = "." if "." in own else "-"
    for _ in node.group.axes[outside(node.group) :]:
        own = own.rpartition(joint)[0] or own
    return own


def _block_size(blocks: Sequence[tuple[str, list[str]]]) -> int:
    """The base block size: as many nodes as every block has."""
    return min(len(nodes) for _, nodes in blocks)


def _lose_nodes_outside(cluster: DeviceInventory, blocks: Sequence[tuple[str, list[str]]]) -> None:
    outside = len(cluster.of_kind("node")) - sum(len(nodes) for _, nodes in blocks)
    if outside:
        cluster.lose(f"{counted(outside, 'node')} in no NVLink domain of several nodes")
    cluster.lose("switches: blocks say nothing of the network between them")


NODE_NAMES = NameRule(
    "Kubernetes", signs="a-z0-9.-", longest=63, same_case=True, ends="a-z0-9", lower=True
)
LABEL_VALUES = NameRule("Kubernetes (labels)", signs="A-Za-z0-9._-", longest=63)

_PREFIX = "network.topology.nvidia.com"
_ACCELERATOR = f"{_PREFIX}/accelerator"


def node_labels(cluster: DeviceInventory) -> Iterator[str]:
    """The nodes with their labels, for ``kubectl apply --server-side``."""
    tree = switch_tree(cluster)
    names = cluster.device_names(NODE_NAMES)
    by_node = _labels(cluster, tree)
    if tree.loose:
        cluster.lose(
            f"the labels of {counted(len(tree.loose), 'node')} without a cable to a switch"
        )
    yield "# Labels of the network, written by toposmith: kubectl apply --server-side -f FILE\n"
    for node in cluster.of_kind("node"):
        labels = by_node.get(node.place)
        if not labels:
            continue
        yield f'---\napiVersion: v1\nkind: Node\nmetadata:\n  name: "{names[node.name]}"\n'
        yield "  labels:\n"
        for key, value in labels.items():
            yield f'    {key}: "{value}"\n'


def kueue_topology(cluster: DeviceInventory) -> Iterator[str]:
    """Kueue's Topology: the labels of the levels that there are, from the top."""
    tree = switch_tree(cluster)
    levels = [f"{_PREFIX}/{tier}" for tier in reversed(_tiers(cluster, tree).values())]
    if any(is_joined(one.group) for one in cluster.of_kind("node")):
        levels.append(_ACCELERATOR)
    name = NameRule(
        "Kubernetes", signs="a-z0-9-", longest=63, same_case=True, ends="a-z0-9", lower=True
    ).title(cluster.name)
    yield "# Levels of the network, from the top; the labels are those of k8s-labels.\n"
    yield "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\n"
    yield f'metadata:\n  name: "{name}"\nspec:\n  levels:\n'
    for level in (*levels, "kubernetes.io/hostname"):
        yield f'    - nodeLabel: "{level}"\n'


def _tiers(cluster: DeviceInventory, tree: SwitchTree) -> dict[int, str]:
    """The tiers that have a label by their height, from the leaf up."""
    if tree.tiers[-1] > len(TIER_NAMES):
        cluster.lose(f"tiers above the {TIER_NAMES[-1]}, which have no label")
    return {height: name for height, name in enumerate(TIER_NAMES, 1) if height in tree.tiers}


def _labels(cluster: DeviceInventory, tree: SwitchTree) -> dict[tuple[str, int], dict[str, str]]:
    """The labels of every node by its place."""
    tiers = _tiers(cluster, tree)
    units = (unit.name for top in tree.roots for unit in top.units())
    values = cluster.renamed(LABEL_VALUES, units)
    found: dict[tuple[str, int], dict[str, str]] = {}

    def walk(unit: Unit, above: dict[int, str]) -> None:
        here = {**above, unit.height: values[unit.name]}
        for below in unit.below:
            walk(below, here)
        for node in unit.nodes:
            found[node] = {
                f"{_PREFIX}/{tier}": here[height]
                for height, tier in tiers.items()
                if height in here
            }

    for root in tree.roots:
        walk(root, {})
    for node in cluster.of_kind("node"):
        labels = found.get(node.place)
        if labels is not None and is_joined(node.group):
            labels[_ACCELERATOR] = LABEL_VALUES.name(domain_name(cluster, node))
    return found
