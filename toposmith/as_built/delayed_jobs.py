"""The jobs that a slow cable limits: those with a node on it, or nodes on both sides of it.

A ring runs at the pace of its slowest step. A cable of a node is in every ring of a job that has
the node and others; one between switches in rings of jobs that have nodes below it, and others
elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.racks.device_names import device_names
from toposmith.racks.instances import number_of
from toposmith.text import counted, natural

if TYPE_CHECKING:
    from toposmith.fabric.device import Device
    from toposmith.fabric.plan import Plan

Jobs = Mapping[str, frozenset[str]]
"""The names of the nodes of each job, by the job's name."""


def names_of(plan: Plan, nodes: Iterable[Device]) -> frozenset[str]:
    """The names of nodes in the cable schedule."""
    return frozenset(
        device_names(plan, group)(number_of(plan.groups[group], at)) for group, at in nodes
    )


class Gating:
    """The jobs limited by degraded cables of a comparison.

    Parameters
    ----------
    compared : CablingComparison
        A dump against its plan.
    jobs : mapping of str to frozenset of str, optional
        The nodes of each job; without it only nodes are named.
    """

    def __init__(self, compared: CablingComparison, jobs: Jobs | None = None) -> None:
        self._devices = compared.plan.devices
        self._cables = compared.plan.cables
        self._jobs = jobs
        self._below: dict[str, frozenset[str]] = {}

    def of(self, one: CablingDifference) -> dict[str, object] | None:
        """The nodes and jobs that a degraded cable limits; None for any other difference.

        Returns
        -------
        dict or None
            ``nodes``: names; ``jobs``: ``with`` where a job with one of the nodes is gated,
            ``across`` where one with nodes among them and nodes elsewhere may be; ``named``: the
            jobs that are, where any were given.
        """
        if one.kind != "degraded" or not one.planned:
            return None
        ends = (one.planned[0].a.device, one.planned[0].z.device)
        hosts = [end for end in ends if self._is_host(end)]
        if hosts:
            nodes = frozenset(self._devices[key].name for key in hosts)
        else:
            nodes = min((self._hosts_below(end) for end in ends), key=len)
        found: dict[str, object] = {
            "jobs": "with" if hosts else "across",
            "nodes": sorted(nodes, key=natural),
        }
        if self._jobs is not None:
            found["named"] = [
                name
                for name, own in self._jobs.items()
                if own & nodes and (own - nodes or (hosts and len(own) > 1))
            ]
        return found

    def words(self, one: CablingDifference) -> str:
        """The effect of a degraded cable in a sentence; empty for any other difference."""
        found = self.of(one)
        if found is None:
            return ""
        nodes = found["nodes"]
        assert isinstance(nodes, list)
        if self._jobs is not None:
            named = found["named"]
            assert isinstance(named, list)
            return f"gates the rings of {', '.join(named)}" if named else "gates none of the jobs"
        if found["jobs"] == "with":
            return f"gates the rings of every job with {nodes[0]}"
        if not nodes:
            return "gates rings that cross between the switches below it"
        if len(nodes) == self._many_hosts:
            return "every node is below it: rings need not cross it, an all-to-all may"
        many = (
            nodes[0]
            if len(nodes) == 1
            else f"{nodes[0]} to {nodes[-1]} ({counted(len(nodes), 'node')})"
        )
        return f"gates rings of jobs that have nodes among {many} and elsewhere"

    def _is_host(self, key: str) -> bool:
        return self._devices[key].kind == "host"

    @cached_property
    def _many_hosts(self) -> int:
        return sum(device.kind == "host" for device in self._devices.values())

    @cached_property
    def _beside(self) -> dict[str, set[str]]:
        beside: dict[str, set[str]] = defaultdict(set)
        for cable in self._cables:
            beside[cable.a.device].add(cable.z.device)
            beside[cable.z.device].add(cable.a.device)
        return beside

    @cached_property
    def _tiers(self) -> dict[str, int]:
        """How many cables each device is from the nearest host."""
        tiers = {key: 0 for key in self._beside if self._is_host(key)}
        pending = list(tiers)
        for key in pending:
            for other in self._beside[key]:
                if other not in tiers:
                    tiers[other] = tiers[key] + 1
                    pending.append(other)
        return tiers

    def _hosts_below(self, key: str) -> frozenset[str]:
        """The names of the hosts that a switch reaches downwards."""
        if key not in self._below:
            tiers, found = self._tiers, set[str]()
            for other in self._beside[key]:
                if self._is_host(other):
                    found.add(self._devices[other].name)
                elif tiers.get(other, 0) < tiers.get(key, 0):
                    found |= self._hosts_below(other)
            self._below[key] = frozenset(found)
        return self._below[key]
