"""Designs from light to heavy, for trials of how fast everything can be ended."""

from __future__ import annotations

from toposmith.saved_designs import FOLDER

NODES_A_LEAF, SPINES = 4, 8


def groups_of_one(nodes: int) -> str:
    """Every node and leaf a group of its own: nothing is alike."""
    leaves = max(1, nodes // NODES_A_LEAF)
    return "\n".join(
        [
            "toposmith: 1",
            "groups:",
            *(f"  node{n}: {{part: dgx-h100}}" for n in range(nodes)),
            *(f"  leaf{n}: {{part: qm9700}}" for n in range(leaves)),
            f"  spine: {{part: qm9700, count: {SPINES}}}",
            "links:",
            *(
                f"  - {{between: [node{n}.compute, leaf{n % leaves}], cables: 4}}"
                for n in range(nodes)
            ),
            *(f"  - {{between: [leaf{n}, spine], cables: 2}}" for n in range(leaves)),
            "",
        ]
    )


def faulted_three_tier() -> str:
    """Three tiers of 2,048 GPUs in which 24 different cables and switches are down."""
    down = [f"leaf[pod={n % 8},rail={n % 7}] - spine[pod={n % 8},spine={n % 5}]" for n in range(16)]
    down += [f"leaf[pod={n},rail={n}]" for n in range(8)]
    return "\n".join(
        [
            "toposmith: 1",
            "axes: {pod: 8, rail: 8}",
            "groups:",
            "  node: {part: dgx-h100, per: [pod], count: 32}",
            "  leaf: {part: qm9700, per: [pod, rail]}",
            "  spine: {part: qm9700, per: [pod], count: 8}",
            "  core: {part: qm9700, count: 32}",
            "links:",
            "  - {between: [node.compute, leaf]}",
            "  - {between: [leaf, spine], cables: 4}",
            "  - {between: [spine, core]}",
            f"down: {down}".replace("'", '"'),
            "",
        ]
    )


def _saved(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


DESIGNS = {
    "rack": _saved("a100-rack-1x100gbe"),
    "4 SU": _saved("dgx-h100-superpod-4su"),
    "131,072 GPUs": _saved("b200-131072gpu-fabric-per-rail"),
    "dragonfly": _saved("dragonfly-74x32-slingshot"),
    "three tiers, 24 faults": faulted_three_tier(),
    "100 groups of one": groups_of_one(100),
    "200 groups of one": groups_of_one(200),
}
"""A design file by what it is, the lightest first."""
