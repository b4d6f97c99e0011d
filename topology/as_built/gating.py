"""Which jobs a slow cable holds back: those with a node on it, or on both sides of it.

A ring goes at the pace of its slowest step. A cable of a node is in every ring of a job that has
the node; one between switches in rings of jobs that have nodes below it, and others elsewhere.
"""

from __future__ import annotations

from collections import defaultdict

from toposmith.topology.as_built.comparing import Comparison, Difference
from toposmith.topology.as_built.names import natural


def gated(compared: Comparison, one: Difference) -> dict[str, object] | None:
    """The nodes whose jobs a degraded cable gates; None for any other difference.

    Returns
    -------
    dict or None
        ``nodes``: names; ``jobs``: ``with`` where a job with one of the nodes is gated, ``across``
        where one with nodes among them and nodes elsewhere may be.
    """
    if one.kind != "degraded" or not one.planned:
        return None
    devices = compared.plan.devices
    ends = [one.planned[0].a.device, one.planned[0].z.device]
    hosts = [end for end in ends if devices[end].kind == "host"]
    if hosts:
        return {"jobs": "with", "nodes": [devices[key].name for key in hosts]}
    below: dict[str, set[str]] = defaultdict(set)
    for cable in compared.plan.cables:
        for near, far in ((cable.a.device, cable.z.device), (cable.z.device, cable.a.device)):
            if near in ends and devices[far].kind == "host":
                below[near].add(devices[far].name)
    names = min(below.values(), key=len, default=set())
    return {"jobs": "across", "nodes": sorted(names, key=natural)}


def gating_words(compared: Comparison, one: Difference) -> str:
    """What a degraded cable holds back, in a sentence; empty for any other difference."""
    found = gated(compared, one)
    if found is None:
        return ""
    nodes = found["nodes"]
    assert isinstance(nodes, list)
    if found["jobs"] == "with":
        return f"gates the rings of every job with {nodes[0]}"
    if not nodes:
        return "gates rings that cross between the switches below it"
    many = nodes[0] if len(nodes) == 1 else f"{nodes[0]} to {nodes[-1]} ({len(nodes)} nodes)"
    return f"gates rings of jobs that have nodes among {many} and elsewhere"
