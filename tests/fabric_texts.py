"""Two small fabrics as files, of the size that a test asks for."""

from __future__ import annotations


def on_rails(
    nodes: int, *, spines: int = 2, cables: int = 2, node: str = "dgx-h100", leaf: str = "qm9700"
) -> str:
    """One leaf a rail: port p of every node goes to leaf p, each leaf to every spine."""
    return f"""\
toposmith: 2
axes: {{rail: 8}}
groups:
  node: {{part: {node}, count: {nodes}}}
  leaf: {{part: {leaf}, per: [rail]}}
  spine: {{part: {leaf}, count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""


def in_racks(
    racks: int,
    nodes: int,
    *,
    spines: int = 2,
    cables: int = 2,
    node: str = "dgx-h100",
    leaf: str = "qm9700",
) -> str:
    """One leaf a rack, to which all ports of the rack's nodes go; each leaf to every spine."""
    return f"""\
toposmith: 2
axes: {{rack: {racks}}}
groups:
  node: {{part: {node}, per: [rack], count: {nodes}}}
  leaf: {{part: {leaf}, per: [rack]}}
  spine: {{part: {leaf}, count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""
