"""One-way network latency between the two nodes that are farthest apart.

Through NICs, switches and cables, without software, queues or serialisation of the message:
the latency of the hardware; NCCL's own latency per step is many times higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Nic, Switch
from toposmith.catalog.parts import Protocol
from toposmith.fabric.once import once

CABLE_NS_PER_M = 5.0
"""Signals in fibre (refractive index 1.47) take 4.9 ns/m, in copper 4.3 to 5."""

INFINIBAND_NIC_US = {25: 0.5, 50: 0.6}
"""Both NICs together, by Gb/s of a lane: EDR and HDR (stas00/ml-engineering, network/README.md, its
table of InfiniBand generations; HDR also docs.nvidia.com/networking/display/ConnectX6EN)."""

PLANNED_NIC_US = 1.0
"""Both NICs together with PCIe, us, where no public figure was found: a planning figure."""


_UNKNOWN = 1 << 40
"""A figure that is not known counts more than all that are, in picoseconds."""


@dataclass(frozen=True)
class PathLatency:
    """The path between the two nodes that are farthest apart, and its latency.

    Parameters
    ----------
    switches : tuple of str
        The group of each switch on the way.
    links : tuple of str
        The link of each cable on the way.
    latency_us : float or None
        One way, microseconds; None where a part's latency or a link's length is not known.
    at_least_us : float
        The same without unknown parts, microseconds.
    unknown : tuple of str
        Ids of the switches on the way whose latency is not in the catalog.
    unmeasured : tuple of str
        Links on the way whose length the design does not give.
    assumed : tuple of str
        Ids of the NICs for which a planning figure was used.
    switches_us, cables_us : float
        What is known of the switches and of the cables in it, microseconds.
    """

    switches: tuple[str, ...]
    links: tuple[str, ...]
    latency_us: float | None
    at_least_us: float
    unknown: tuple[str, ...]
    unmeasured: tuple[str, ...]
    assumed: tuple[str, ...]
    switches_us: float = 0.0
    cables_us: float = 0.0

    @property
    def hops(self) -> int:
        """The number of switches on the path."""
        return len(self.switches)


def wire_latency_us(
    nic_us: float, switch_us: Sequence[float | None], cable_m: Sequence[float | None]
) -> float | None:
    """One-way latency of a path through the fabric, microseconds; None if a part is unknown.

    Parameters
    ----------
    nic_us : float
        Both NICs together, microseconds.
    switch_us : sequence of float or None
        Port-to-port latency of each switch on the path, microseconds.
    cable_m : sequence of float or None
        Length of each cable on the path, metres.
    """
    switches = [us for us in switch_us if us is not None]
    cables = [metres for metres in cable_m if metres is not None]
    if len(switches) < len(switch_us) or len(cables) < len(cable_m):
        return None
    return nic_us + sum(switches) + sum(cables) * CABLE_NS_PER_M / 1000


def nic_latency_us(nic: Nic, protocol: Protocol) -> float | None:
    """Latency of a pair of these NICs, microseconds; None where it is unknown."""
    if nic.latency_ns is not None:
        return nic.latency_ns / 1000
    return INFINIBAND_NIC_US.get(nic.speed_gbit // nic.lanes) if protocol == "infiniband" else None


@once
def farthest_path(network: ComputeNetwork) -> PathLatency | None:
    """The shortest path with the most switches between any two nodes of the world.

    A node sends through those of its NICs that are nearest to the other node, as NCCL does over
    NVLink (PXN). Of paths with equally many switches it is the slowest, as equal-cost multipath
    may take any; one with unknown parts counts as slower than one without. None if no two
    nodes of the world are connected.
    """
    # imported here: it needs numpy, which takes a tenth of a second to load
    from toposmith.analysis.prediction.longest_ways import longest_way

    ways = _Ways(network)
    way = longest_way(network, ways.slowness)
    return None if way is None else ways.latency(*way)


class _Ways:
    """What cables and switches add to a way."""

    def __init__(self, network: ComputeNetwork) -> None:
        self._plan = network.plan
        self._added: dict[tuple[int, str | None], int] = {}
        self._links = {link.index: link for link in network.plan.every_link}

    def slowness(self, index: int, switch: str | None) -> int:
        """What a cable of a link adds to a path, with a switch behind it unless that is a node.

        Of two sums that of the slower path is higher: by unknown figures, then by picoseconds.
        """
        if (index, switch) not in self._added:
            figures = [(self._links[index].length_m, CABLE_NS_PER_M / 1000)]
            figures += [(us, 0.5) for us, _ in self._nics(index)]
            if switch is not None:
                figures.append((switch_us(self._plan.groups[switch].switch), 1.0))
            us = sum((figure or 0.0) * each for figure, each in figures)
            unknown = sum(figure is None for figure, _ in figures)
            self._added[index, switch] = unknown * _UNKNOWN + round(us * 1e6)
        return self._added[index, switch]

    def latency(self, switches: tuple[str, ...], links: tuple[int, ...]) -> PathLatency:
        """The way over these groups of switches and cables of these links, with its latency."""
        groups = self._plan.groups
        # each NIC adds half of its figure, which is that of a pair
        nics = self._nics(links[0]) + self._nics(links[-1])
        nic_us = sum(us for us, _ in nics) / len(nics)
        of_switch = {name: switch_us(groups[name].switch) for name in switches}
        metres = {link: self._links[link].length_m for link in links}
        unknown = [groups[name].spec.part for name, us in of_switch.items() if us is None]
        figures = [of_switch[name] for name in switches], [metres[i] for i in links]
        known = [[figure for figure in some if figure is not None] for some in figures]
        at_least = wire_latency_us(nic_us, *known)
        assert at_least is not None
        return PathLatency(
            switches=switches,
            links=tuple(self._links[index].label for index in links),
            latency_us=wire_latency_us(nic_us, *figures),
            at_least_us=at_least,
            unknown=tuple(dict.fromkeys(unknown)),
            unmeasured=tuple(self._links[i].label for i, long in metres.items() if long is None),
            assumed=tuple(dict.fromkeys(nic for _, nic in nics if nic is not None)),
            switches_us=sum(known[0]),
            cables_us=sum(known[1]) * CABLE_NS_PER_M / 1000,
        )

    def _nics(self, index: int) -> list[tuple[float, str | None]]:
        """By NIC at the ends of a cable, the latency of a pair, and its id where it is assumed."""
        found: list[tuple[float, str | None]] = []
        link = self._links[index]
        for end in (link.a, link.b):
            ports = self._plan.groups[end.group].port_groups.get(end.ports)
            if ports is not None and ports.nic is not None:
                published = nic_latency_us(ports.nic, link.protocol)
                found.append(
                    (PLANNED_NIC_US, ports.nic.id) if published is None else (published, None)
                )
        return found


def switch_us(switch: Switch | None) -> float | None:
    """Port-to-port latency of a switch, us; None where it is unknown."""
    return None if switch is None or switch.latency_ns is None else switch.latency_ns / 1000
