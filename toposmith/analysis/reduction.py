"""Reduction in switches: which algorithms do it, and whether a prediction exceeds its bound."""

from __future__ import annotations

from toposmith.analysis.request import Collective
from toposmith.collectives import COLLECTIVES

REDUCING = ("nvls", "nvls_tree", "collnet_direct", "collnet_chain")
"""Algorithms that sum an all-reduce in switches, so that the bound with reduction applies."""

IN_NODES = "nvls_tree"
"""The one of them whose switches reduce inside nodes only."""

BY_A_HAIR = 1e-6
"""A prediction above its bound by less than this share is rounding."""


def reduces_in_switches(collective: Collective, algorithm: str) -> bool:
    """Whether switches sum up in a collective that runs by an algorithm."""
    return COLLECTIVES[collective].runs == "all_reduce" and algorithm in REDUCING


def above_bound(busbw_GBps: float, bound_GBps: float | None) -> bool:
    """Whether a prediction exceeds its bound."""
    return bound_GBps is not None and busbw_GBps > bound_GBps * (1 + BY_A_HAIR)
