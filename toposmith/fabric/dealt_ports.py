"""The peer classes of the ports of a node's NICs, and where cuts are too coarse for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import eq

from toposmith.fabric.cuts import Cells, Cuts
from toposmith.fabric.dealing import peer_axes, port_peer
from toposmith.fabric.evenness import uneven_cuts
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.intervals import Interval


@dataclass(frozen=True)
class DealtPort:
    """A cabled port: its link, and its peer's cells (own axis number where the two share one)."""

    port: int
    link: LinkPlan
    peer: str
    cells: tuple[tuple[int | None, int], ...]
    values: tuple[int, ...]

    def peer_cells(self, own: Cells) -> Cells:
        """The class of the peer of a node in these cells."""
        return tuple([cell if shared is None else own[shared] for shared, cell in self.cells])


def dealt_ports(plan: Plan, cuts: Cuts, group: GroupPlan, name: str) -> list[list[DealtPort]]:
    """For every fitted NIC of a slot group, where its ports are cabled to."""
    ports = group.port_groups[name]
    dealt: list[list[DealtPort]] = [[] for _ in range(ports.nics)]
    for link in plan.links_of(group.name):
        end = link.end_of(group.name)
        if end.ports != name:
            continue
        other = (link.b if end is link.a else link.a).group
        axes = plan.groups[other].axes
        shared = [group.axes.index(axis) if axis in link.shared else None for axis in axes]
        for port in range(ports.ports):
            peer = port_peer(plan, link, end, port)
            if peer is None:
                continue
            cells = tuple(
                (own, 0 if own is not None else cuts.cell_of(axis, peer[axis]))
                for axis, own in zip(axes, shared, strict=True)
            )
            values = tuple(peer[axis] for axis in peer_axes(link, end))
            dealt[ports.nic_of(port)].append(DealtPort(port, link, other, cells, values))
    return dealt


def unevenly_met(
    cuts: Cuts, group: GroupPlan, fitted: Sequence[Sequence[DealtPort]], colours: Sequence[int]
) -> Iterator[tuple[str, frozenset[Interval]]]:
    """Sets to cut peer axes by, where their values are met by NICs of different colours."""
    met: dict[int, dict[tuple[int, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    cell_of: dict[int, dict[tuple[int, ...], Hashable]] = defaultdict(dict)
    links: dict[int, LinkPlan] = {}
    for colour, dealt in zip(colours, fitted, strict=True):
        for card in dealt:
            index = card.link.index
            links[index] = card.link
            met[index][card.values].append(colour)
            cell_of[index][card.values] = card.cells
    for index, by_values in met.items():
        link = links[index]
        end = link.end_of(group.name)
        peers = link.peers_of_a if end is link.a else link.peers_of_b
        yield from uneven_cuts(cuts, peer_axes(link, end), by_values, cell_of[index], peers)


def unlike_bundles(
    group: GroupPlan, fitted: Sequence[Sequence[DealtPort]]
) -> Iterator[tuple[str, frozenset[Interval]]]:
    """Sets that separate peers of one class to which a NIC has different bundles of cables."""
    for cards in fitted:
        if len(cards) < 2:
            continue
        axes = {card.peer: peer_axes(card.link, card.link.end_of(group.name)) for card in cards}
        for (peer, _), by_values in _bundles(cards).items():
            if len({tuple(sorted(links)) for links in by_values.values()}) > 1:
                for axis, values in zip(axes[peer], zip(*by_values, strict=True), strict=True):
                    yield from ((axis, frozenset({(value, value)})) for value in values)


def unlike_pairings(
    group: GroupPlan, fitted: Sequence[Sequence[DealtPort]]
) -> Iterator[tuple[str, frozenset[Interval]]]:
    """Sets that separate peers of one class that NICs join differently.

    A NIC with two ports joins two leaves. Where one NIC joins leaves of one SU and another leaves
    of two, those leaves are not equivalent, even if their counts of cables are equal.
    """
    ties: dict[tuple[str, Hashable], set[tuple[tuple[bool, ...], ...]]] = defaultdict(set)
    values: dict[tuple[str, Hashable], set[tuple[int, ...]]] = defaultdict(set)
    axes: dict[str, tuple[str, ...]] = {}
    for cards in fitted:
        by_class: dict[tuple[str, Hashable], list[tuple[int, ...]]] = defaultdict(list)
        for card in cards:
            axes[card.peer] = peer_axes(card.link, card.link.end_of(group.name))
            by_class[card.peer, card.cells].append(card.values)
        for peers, met in by_class.items():
            values[peers].update(met)
            agree = (tuple(map(eq, one, two)) for one, two in combinations(met, 2))
            if len(met) > 1:
                ties[peers].add(tuple(sorted(agree)))
    for peers, kinds in ties.items():
        if len(kinds) > 1:
            for axis, met_on_axis in zip(
                axes[peers[0]], zip(*values[peers], strict=True), strict=True
            ):
                yield from (
                    (axis, frozenset({(value, value)})) for value in sorted(set(met_on_axis))
                )


def peers_met(cards: Sequence[DealtPort], own: Cells) -> dict[tuple[str, Cells], int]:
    """How many devices of every class the ports of one NIC are dealt to."""
    if len(cards) == 1:
        return {(cards[0].peer, cards[0].peer_cells(own)): 1}
    met: dict[tuple[str, Cells], set[tuple[int, ...]]] = defaultdict(set)
    for card in cards:
        met[card.peer, card.peer_cells(own)].add(card.values)
    return {peer: len(values) for peer, values in met.items()}


def _bundles(
    cards: Sequence[DealtPort],
) -> dict[tuple[str, Hashable], dict[tuple[int, ...], list[int]]]:
    """The links of the cables from one NIC to each of its peers, by class of peers."""
    found: dict[tuple[str, Hashable], dict[tuple[int, ...], list[int]]] = defaultdict(dict)
    for card in cards:
        found[card.peer, card.cells].setdefault(card.values, []).append(card.link.index)
    return found
