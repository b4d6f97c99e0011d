"""Profiles of devices: what each is, and mixed into that what its neighbours are, over and over.

This is colour refinement (McKay, Piperno, J. Symbolic Comput. 60, 2014, section 2) with numbers in
place of colours: equal surroundings give equal numbers, and a cable that is wrong makes them differ
a little, not altogether.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from toposmith.as_built.cable_arrays import CableArrays, Numbers, PortNumbers, Reals

_TIMES = 4
_WIDTH = 32
_SEEN_ALONE = 1 / 16
_OF_KIND = 3.0
"""Weight of what a device is against each of the mixed profiles: a host is never a switch."""


class Heard:
    """What every vertex hears along cables, summed up in one product.

    Parameters
    ----------
    side : CableArrays
        All cables.
    left : array of bool
        Cables of hosts that are on one switch only, which count by their number.
    ports : tuple of array, optional
        Numbers of ports, where these say something.
    """

    def __init__(
        self, side: CableArrays, left: NDArray[np.bool_], ports: PortNumbers | None = None
    ) -> None:
        self.kind, self.nameless = side.kind, side.nameless
        self.a, self.z, self.label = side.a[~left], side.z[~left], side.label[~left]
        self.ports = None if ports is None else (ports[0][~left], ports[1][~left])
        many, vertices = len(self.a), len(side.keys)
        ends = np.concatenate((side.a[left], side.z[left]))
        self.alone = np.bincount(ends, minlength=vertices)
        to = np.concatenate((self.a, self.z, self.label))
        counts = (to != self.nameless).astype(float)
        self.sums = csr_array((counts, (to, np.arange(3 * many))), shape=(vertices, 3 * many))
        degree = np.asarray(self.sums.sum(axis=1)).ravel()
        self.scale = 1 / np.sqrt(np.maximum(degree, 1))[:, None]


class Profiles:
    """Random numbers by which profiles are mixed, the same for plan and dump."""

    def __init__(self, draw: np.random.Generator, many: int) -> None:
        self._kinds = draw.normal(size=(3, _WIDTH))
        self._alone = draw.normal(size=_WIDTH) * _SEEN_ALONE
        self._known = draw.normal(size=(many, _WIDTH))
        self._port = draw.choice([-1.0, 1.0], size=(many + 1, _WIDTH))
        self._port[-1] = 1.0  # an unknown port says nothing
        self._own, self._near = draw.normal(size=(2, _TIMES, _WIDTH, _WIDTH)) / np.sqrt(_WIDTH)
        self._shift = draw.uniform(0, 2 * np.pi, size=(_TIMES, _WIDTH))

    def of(self, heard: Heard, called: Numbers) -> Reals:
        """Profiles of all vertices after every round, side by side.

        ``called`` is the planned vertex that each is known to be, which only it is; else -1.
        """
        first = self._kinds[heard.kind] + self._alone * heard.alone[:, None]
        first[called >= 0] = self._known[called[called >= 0]]
        now = first = np.cos(first)
        found = [_OF_KIND * now]
        for own, near, shift in zip(self._own, self._near, self._shift, strict=True):
            a, z, label = now[heard.a], now[heard.z], now[heard.label]
            label[heard.label == heard.nameless] = 1.0
            to_a, to_z = z * label, a * label
            if heard.ports is not None:
                at_a, at_z = (self._port[ports] for ports in heard.ports)
                to_a *= at_z * np.roll(at_a, 1, axis=1)
                to_z *= at_a * np.roll(at_z, 1, axis=1)
            told = heard.sums @ np.concatenate((to_a, to_z, a * z)) * heard.scale
            now = np.cos(first @ own + now @ own + told @ near + shift)
            found.append(now)
        return np.hstack(found)


def distances(one: Reals, other: Reals) -> Reals:
    """How far profiles are from each other, squared."""
    squares: Reals = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)
    return squares - 2 * one @ other.T
