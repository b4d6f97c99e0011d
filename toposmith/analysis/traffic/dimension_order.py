"""Dimension-order routing: traffic takes one axis after the other, the shorter way around.

The classical deterministic routing of tori and meshes (Dally and Towles, *Principles and Practices
of Interconnection Networks*, 2004, section 8.4). Halfway around an even ring both ways are as long,
and each takes half, however many of its cables are up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toposmith.design.document import Design
from toposmith.design.routing_rules import dimensions


@dataclass(frozen=True)
class DimensionOrder:
    """The axes of a torus, in the order in which traffic takes them, and which links go along each.

    Parameters
    ----------
    axes : tuple of str
        The first one first.
    axis_of : mapping of int to str
        The axis along which a link between switches goes, by the index of the link.
    """

    axes: tuple[str, ...]
    axis_of: Mapping[int, str]

    @classmethod
    def of(cls, design: Design) -> DimensionOrder:
        """The order of a design's dimensions, as its switches repeat over them."""
        return cls(*dimensions(design))
