"""Which targets, cables and NICs of an exchange are equal, by swaps that change nothing.

What a mark alone tells apart is equal to begin with. Swaps of equal modules, and turns along axes,
are proposed by :func:`toposmith.fabric.axis_swaps.axis_swaps` and
:func:`toposmith.fabric.axis_turns.axis_turns`; each is checked here against all that traffic
follows: arcs with their capacity, attachments, kinds of nodes. Then what goes to one target of an
orbit, times their number, averaged over the orbits of cables, is what goes to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from toposmith.analysis.traffic.row_network import Attachments, Kinds, RowNetwork
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.fabric.axis_swaps import axis_swaps, orbits
from toposmith.fabric.axis_turns import axis_turns
from toposmith.fabric.rows import Numbers, distinct, in_mbit


@dataclass(frozen=True)
class Orbits:
    """By arc, by attachment, and by kind, slot and place of cable, the first of its orbit."""

    arc: Numbers
    attachment: Numbers
    cable: Numbers


@dataclass(frozen=True)
class _Swap:
    """A permutation of arcs, attachments and cables of NICs that changes nothing."""

    arc: Numbers
    attachment: Numbers
    cable: Numbers


def orbits_of(routes: RowRoutes) -> Orbits:
    """The orbits of all swaps that hold, and of marks."""
    net = routes.net
    still = len(net.direct) or not len(net.attachments)
    swaps = [] if still else [_of_marks(net, routes), *_swaps(net, routes)]
    cables = net.kinds.at.size * net.attachments.cable.shape[1]
    return Orbits(
        orbits(len(routes.arcs), [swap.arc for swap in swaps]),
        orbits(len(net.attachments), [swap.attachment for swap in swaps]),
        orbits(cables, [swap.cable for swap in swaps]),
    )


def _of_marks(net: RowNetwork, routes: RowRoutes) -> _Swap:
    """What a mark alone tells apart, around in circles."""
    of, kinds, switches = net.attachments, net.kinds, np.flatnonzero(net.class_of >= 0)
    vertex = np.full(len(net.size), net.rows.devices)
    np.minimum.at(vertex, net.class_of[switches], net.rows.alike[switches])
    cable = distinct(net.rows.alike[of.switch], of.link, in_mbit(of.gbit))[1]
    held = np.where(of.cable >= 0, cable[np.maximum(of.cable, 0)], -1)
    attachment = distinct(*held.T, *of.count.T)[1]
    at = np.where(kinds.at >= 0, attachment[np.maximum(kinds.at, 0)], -1)
    domain = np.full(int(kinds.domain.max(initial=-1)) + 1, net.rows.devices)
    np.minimum.at(domain, kinds.domain[kinds.of_node], net.rows.alike[kinds.nodes])
    kind = distinct(kinds.group, domain[kinds.domain], *at.T)[1]
    vertex = np.concatenate([vertex, net.rows.devices + attachment])
    places = np.indices((*kinds.at.shape, of.cable.shape[1])).reshape(3, -1)
    return _Swap(
        _circles(vertex[routes.arcs.tail], vertex[routes.arcs.head]),
        _circles(attachment),
        _circles(kind[places[0]], *places[1:]),
    )


def _circles(*labels: Numbers) -> Numbers:
    """A permutation that takes each to the next one with the same labels."""
    _, label = distinct(*labels)
    order = np.argsort(label, kind="stable")
    first = np.flatnonzero(np.diff(label[order], prepend=-1))
    after = np.roll(order, -1)
    after[np.roll(first, -1) - 1] = order[first]
    found = np.zeros(len(order), np.int64)
    found[order] = after
    return found


def _swaps(net: RowNetwork, routes: RowRoutes) -> Iterator[_Swap]:
    kinds, place = net.kinds, np.full(net.rows.devices, -1)
    place[kinds.nodes] = np.arange(len(kinds.nodes))
    switches = np.flatnonzero(net.class_of >= 0)
    for moved in chain(axis_turns(net.rows), axis_swaps(net.rows)):
        node = place[moved[kinds.nodes]]
        if (node < 0).any():
            continue
        of_class = _induced(net.class_of[switches], net.class_of[moved[switches]])
        at = kinds.at[kinds.of_node]
        attachment = _induced(at.ravel(), at[node].ravel())
        kind = _induced(kinds.of_node, kinds.of_node[node])
        if of_class is None or attachment is None or kind is None:
            continue
        if _keeps(kinds, kind, attachment):
            arc = routes.image(of_class, attachment)
            cable = _cables(net.attachments, kinds, kind, attachment, moved)
            if arc is not None and cable is not None:
                yield _Swap(arc, attachment, cable)


def _induced(of: Numbers, image: Numbers) -> Numbers | None:
    """The permutation of labels that one of things makes; None where it tears labels apart."""
    if ((of < 0) != (image < 0)).any():
        return None
    of, image = of[of >= 0], image[of >= 0]
    found = np.full(int(of.max(initial=-1)) + 1, -1)
    found[of] = image
    return found if (found[of] == image).all() else None


def _keeps(kinds: Kinds, kind: Numbers, attachment: Numbers) -> bool:
    """Whether kinds of nodes go to kinds of the same group and number, slot by slot."""
    at = np.where(kinds.at >= 0, attachment[np.maximum(kinds.at, 0)], -1)
    return bool(
        (kinds.group[kind] == kinds.group).all()
        and (kinds.count[kind] == kinds.count).all()
        and (kinds.at[kind] == at).all()
        and _induced(kinds.domain, kinds.domain[kind]) is not None
    )


def _cables(
    of: Attachments, kinds: Kinds, kind: Numbers, attachment: Numbers, moved: Numbers
) -> Numbers | None:
    """By kind, slot and place of a cable, where it goes; None where there is none like it."""
    (switch, *_), number = distinct(
        *(
            np.concatenate(pair)
            for pair in (
                (of.switch, moved[of.switch]),
                (of.link, of.link),
                (in_mbit(of.gbit), in_mbit(of.gbit)),
            )
        )
    )
    own, image = np.split(number, 2)
    if len(switch) != len(own):
        return None
    image = np.argsort(own)[image]
    here = np.where(of.cable >= 0, image[np.maximum(of.cable, 0)], -1)
    same = here[:, :, None] == of.cable[attachment][:, None, :]
    # places without a cable keep their number: these are the last in all attachments
    same &= (of.count[:, :, None] == of.count[attachment][:, None, :]) & (here >= 0)[:, :, None]
    if (same.sum(axis=2) != (here >= 0)).any():
        return None
    wide = of.cable.shape[1]
    place = np.where(here >= 0, same.argmax(axis=2), np.arange(wide))
    of_slot = np.where(kinds.at[:, :, None] >= 0, place[np.maximum(kinds.at, 0)], np.arange(wide))
    slots = kinds.at.shape[1]
    found: Numbers = (kind[:, None, None] * slots + np.arange(slots)[:, None]) * wide + of_slot
    return found.ravel()
