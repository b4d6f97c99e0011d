"""The cables of a plan or a dump as arrays, and what each device is joined to as numbers.

A vertex is a device, or the label of an adapter: which adapter of a host is on which switch is part
of the wiring, and its names may differ as those of devices do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from toposmith.as_built.cable_list import Cabling, ListedCable, adapter_label

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
PortNumbers = tuple[Numbers, Numbers]
"""Numbers of planned ports at both ends of each cable; -1 where unknown."""

HOST, SWITCH, LABEL = range(3)

CABLE, DEVICE, PORT = 1 << 26, 1 << 13, 1
"""Weights of a cable where it is planned, with the adapter that is planned; of one between the
devices that are planned; and of one at the planned port of a switch. No device has so many cables
that one weight reaches the next.
"""


class CableArrays(NamedTuple):
    """Cables by the numbers of their ends.

    Parameters
    ----------
    keys : list of str
        Devices, then labels of adapters; the label of a cable without a host is empty.
    kind : array
        Whether a vertex is a host, a switch or a label.
    a, z, label : array
        The vertices of each cable.
    cables : list of ListedCable
        The cables themselves.
    """

    keys: list[str]
    kind: Numbers
    a: Numbers
    z: Numbers
    label: Numbers
    cables: list[ListedCable]

    @property
    def ends(self) -> tuple[tuple[Numbers, Numbers], tuple[Numbers, Numbers]]:
        """Every cable from both sides: where it begins, and where it leads."""
        return (self.a, self.z), (self.z, self.a)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Hosts with most of their cables on one switch: they follow it, and say little of it."""
        many = np.zeros(len(self.keys), np.int64)
        most = np.zeros(len(self.keys), np.int64)
        for here, there in self.ends:
            pairs, times = np.unique(np.stack((here, there)), axis=1, return_counts=True)
            np.add.at(many, pairs[0], times)
            np.maximum.at(most, pairs[0], times)
        alone: NDArray[np.bool_] = (self.kind == HOST) & (2 * most > many)
        return alone

    @property
    def nameless(self) -> int:
        """The label of cables without a host, the first of all labels."""
        return int(np.argmax(self.kind == LABEL))


def cable_arrays(cabling: Cabling) -> CableArrays:
    """The cables of devices that have a name, or are switches."""
    devices = cabling.devices
    keys = [key for key, one in devices.items() if not (one.unnamed and one.kind == "host")]
    number = {key: at for at, key in enumerate(keys)}
    cables = [one for one in cabling.cables if one.a.device in number and one.z.device in number]
    labels: dict[str, int] = {"": len(keys)}
    of_cable = []
    for one in cables:
        hosts = [end for end in (one.a, one.z) if devices[end.device].kind == "host"]
        text = ""
        if len(hosts) == 1:
            name = devices[hosts[0].device].name
            text = adapter_label(name, hosts[0].port).casefold().removesuffix("/1")
        of_cable.append(labels.setdefault(text, len(keys) + len(labels)))
    kind = [HOST if devices[key].kind == "host" else SWITCH for key in keys]
    a = np.array([number[one.a.device] for one in cables], np.int64)
    z = np.array([number[one.z.device] for one in cables], np.int64)
    return CableArrays(
        [*keys, *labels], np.array(kind + [LABEL] * len(labels), np.int64), a, z,
        np.array(of_cable, np.int64), cables,
    )  # fmt: skip


class Joins(NamedTuple):
    """What vertices are joined to: vertex, a number of what it is joined to, and a weight."""

    vertex: Numbers
    what: Numbers
    weight: Numbers


def joins(
    side: CableArrays,
    called: Numbers,
    ports: PortNumbers,
    left: NDArray[np.bool_],
    base: int,
) -> Joins:
    """All that every vertex is joined to, once the others are called by numbers of the plan.

    Parameters
    ----------
    side : CableArrays
        The cables of a plan or of a dump.
    called : array
        The vertex of the plan that each vertex is; -1 where that is not known.
    ports : tuple of array
        Numbers of the planned ports at both ends of each cable; -1 where unknown.
    left : array of bool
        Cables that are left out.
    base : int
        More than any number of a vertex or port of the plan.
    """
    found: list[Joins] = []
    label = called[side.label]
    for (here, there), port in zip(side.ends, ports[::-1], strict=True):
        far = called[there]
        for what, about, weight in ((0, label, CABLE), (1, 0 * label, DEVICE), (2, port, PORT)):
            known = (far >= 0) & (about >= 0) & ~left
            numbers = (what * base + far[known]) * base + about[known]
            found.append(_counted(here[known], numbers, weight))
        # of hosts that are left out their switch has so many, whichever they are
        lone = left & (side.kind[here] == SWITCH)
        found.append(_counted(here[lone], np.full(lone.sum(), 4 * base * base), CABLE))
        of_host = (side.kind[here] == HOST) & (side.kind[there] == SWITCH) & ~left
        known = of_host & (called[here] >= 0) & (far >= 0)
        numbers = (3 * base + called[here][known]) * base + far[known]
        found.append(_counted(side.label[known], numbers, CABLE))
    return Joins(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _counted(vertex: Numbers, what: Numbers, weight: int) -> Joins:
    """The first, the second and so on of equal joins apart, so that as many count as both have."""
    order = np.lexsort((what, vertex))
    vertex, what = vertex[order], what[order]
    new = np.ones(len(vertex), bool)
    new[1:] = (vertex[1:] != vertex[:-1]) | (what[1:] != what[:-1])
    place = np.arange(len(vertex))
    first = np.maximum.accumulate(np.where(new, place, 0))
    return Joins(vertex, (what << 12) + place - first, np.full(len(vertex), weight))


def matrix(found: Joins, vertices: int, known: Numbers) -> csr_array:
    """Vertices by what they are joined to, of all that is ``known`` and in order."""
    place = np.searchsorted(known, found.what)
    held = np.isin(found.what, known)
    cells = (found.weight[held], (found.vertex[held], place[held]))
    return csr_array(cells, shape=(vertices, len(known)))
