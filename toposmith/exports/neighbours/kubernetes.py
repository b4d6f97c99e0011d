"""Kubernetes: where each node stands in the network, as labels; and Kueue's topology of these.

Labels: NVIDIA's topograph (``network.topology.nvidia.com/...``). Topology: Kueue, topology-aware
scheduling (``kueue.x-k8s.io/v1beta1``).
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.switch_tiers import TIER_NAMES
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.name_rules import NameRule
from toposmith.exports.neighbours.slurm import domain_name
from toposmith.exports.neighbours.switch_tree import SwitchTree, Unit, switch_tree
from toposmith.fabric.nvlink_domains import is_joined
from toposmith.text import counted

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
        labels = by_node.get((node.group.name, node.number))
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
    values, notes = LABEL_VALUES.applied(unit.name for top in tree.roots for unit in top.units())
    for note in notes:
        cluster.lose(note)
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
        labels = found.get((node.group.name, node.number))
        if labels is not None and is_joined(node.group):
            labels[_ACCELERATOR] = LABEL_VALUES.name(domain_name(cluster, node))
    return found
