"""What several PCIe links have in common."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.pieces import Pcie


def widest(links: Iterable[Pcie | None]) -> Pcie | None:
    """The fastest of these links; None where no speed is documented."""
    stated = [link for link in links if link is not None]
    if not stated:
        return None
    return Pcie(
        generation=max(link.generation for link in stated), width=max(link.width for link in stated)
    )


def narrowest_for(gbit: float) -> Pcie:
    """The oldest slot of 16 lanes that carries so many Gb/s, or the newest that there is."""
    slots = [Pcie(generation=generation) for generation in range(3, 7)]
    return next((slot for slot in slots if pcie_gbit(slot) >= gbit), slots[-1])
