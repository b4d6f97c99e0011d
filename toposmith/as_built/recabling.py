"""What to do about cables that are not as planned: ends to move, cables to lay and to take out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from toposmith.as_built.cable_list import ListedCable, ListedEnd
from toposmith.as_built.cabling_difference import CablingDifference, EndMove, PlanWords
from toposmith.as_built.device_matches import Wires
from toposmith.as_built.placed_cables import UNKNOWN, CablePlacement, PlacedCable, Vertex
from toposmith.text import counted, natural

Point = TypeVar("Point", bound=tuple[str, ...])

_DEAREST = 4
"""More than any cost of a move."""


def joined(
    found: Sequence[Hashable], wanted: Sequence[Hashable]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pair places with equal keys, each once, in their order.

    Returns
    -------
    tuple
        The pairs; what is over in ``found``; what is over in ``wanted``.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    for want in reversed(range(len(wanted))):
        places[wanted[want]].append(want)
    pairs: list[tuple[int, int]] = []
    over: list[int] = []
    for have, key in enumerate(found):
        if places.get(key):
            pairs.append((have, places[key].pop()))
        else:
            over.append(have)
    return pairs, over, sorted(want for left in places.values() for want in left)


def moves(
    found: Sequence[frozenset[Point]],
    wanted: Sequence[frozenset[Point]],
    cost: Callable[[int, int, Point], int],
) -> dict[int, tuple[int, Point]]:
    """Pair cables over with cables lacking, as many as can share an end, the cheapest of these.

    Parameters
    ----------
    found, wanted : sequence of frozenset
        The ends of each cable.
    cost : callable
        From 0 to 3, for places in ``found`` and ``wanted`` and the end that stays; it decides
        among assignments with equally many moves.

    Returns
    -------
    dict
        Place in ``found`` to place in ``wanted`` and the end that stays. What is in none is to be
        taken out, or laid.
    """
    at: dict[Point, list[int]] = defaultdict(list)
    for want, ends in enumerate(wanted):
        for end in ends:
            at[end].append(want)
    edges: dict[tuple[int, int], tuple[int, Point]] = {}
    for have, ends in enumerate(found):
        for end in sorted(ends):
            for want in at.get(end, ()):
                each = cost(have, want, end)
                known = edges.get((have, want))
                if known is None or each < known[0]:
                    edges[have, want] = each, end
    rows = sorted({have for have, _ in edges})
    if not rows:
        return {}
    # Every cable may also stay unpaired, in a place of its own, which costs more than all moves.
    alone = _DEAREST * (len(rows) + 1)
    row_of = {have: row for row, have in enumerate(rows)}
    cells = [(row_of[have], want, 1 + each) for (have, want), (each, _) in edges.items()]
    cells += [(row, len(wanted) + row, alone) for row in range(len(rows))]
    row, column, weight = map(np.array, zip(*cells, strict=True))
    graph = csr_array(
        (weight.astype(float), (row, column)), shape=(len(rows), len(wanted) + len(rows))
    )
    chosen = min_weight_full_bipartite_matching(graph)
    return {
        rows[row]: (int(want), edges[rows[row], int(want)][1])
        for row, want in zip(*chosen, strict=True)
        if want < len(wanted)
    }


WHOLE_DEVICE = 3
"""So many missing cables of a device that has none are one difference; fewer are listed singly."""


@dataclass
class Recabling:
    """The cables that are over and lacking, and what makes the fabric the planned one.

    Parameters
    ----------
    wires : Wires
        The cables of plan and dump by port.
    placed : sequence of PlacedCable
        All found cables.
    over : sequence of PlacedCable
        Those that are not planned.
    lacking : sequence of ListedCable
        Planned cables that were not found.
    """

    wires: Wires
    placement: CablePlacement
    words: PlanWords
    placed: Sequence[PlacedCable]
    over: Sequence[PlacedCable]
    lacking: Sequence[ListedCable]
    _free: dict[str, list[str]] = field(default_factory=dict)

    def differences(self) -> Iterator[CablingDifference]:
        """Moves of one end first, as many as can be; then what lacks, and what is over."""
        paired = self._paired
        yield from self._moves()
        taken = {want for want, _ in paired.values()}
        rest = [cable for at, cable in enumerate(self.lacking) if at not in taken]
        for key, cables in self.unseen(rest).items():
            yield self._unseen(key, cables)
            held = {id(cable) for cable in cables}
            rest = [cable for cable in rest if id(cable) not in held]
        yield from map(self._to_lay, rest)
        yield from (self._to_pull(one) for at, one in enumerate(self.over) if at not in paired)

    @cached_property
    def _paired(self) -> dict[int, tuple[int, Vertex]]:
        """Cables over, with the lacking ones that they become, and the end that stays."""
        found = [frozenset(map(_known, (one.a.vertex, one.z.vertex))) for one in self.over]
        wanted = [
            frozenset(v for end in (one.a, one.z) for v in self._vertices(end))
            for one in self.lacking
        ]
        kinds = [
            sorted(len(vertex) > 1 for vertex in map(self.placement.vertex, (one.a, one.z)))
            for one in self.lacking
        ]

        def cost(have: int, want: int, stays: Vertex) -> int:
            """A host's cable stays the host's; else the end stays that is on its port."""
            one, meant = self.over[have], self.lacking[want]
            if sorted(len(end.vertex) > 1 for end in one.ends) != kinds[want]:
                return 3
            if len(stays) > 1:
                return 0
            end = one.a if _known(one.a.vertex) == stays else one.z
            return 1 if end.port is not None and end.end in (meant.a, meant.z) else 2

        return moves(found, wanted, cost)

    def _vertices(self, end: ListedEnd) -> tuple[Vertex, ...]:
        """A planned end as found ends may say it: an adapter that is unknown may be any."""
        vertex = self.placement.vertex(end)
        return (vertex, (vertex[0], UNKNOWN)) if len(vertex) > 1 else (vertex,)

    def notes(self) -> Iterator[str]:
        """Hosts whose moves may be none: each switch port has the right host, another adapter."""
        right: Counter[str] = Counter()
        moved: Counter[str] = Counter()
        for have, (_, stays) in self._paired.items():
            one = self.over[have]
            far = one.z if _known(one.a.vertex) == stays else one.a
            if len(stays) > 1:
                moved[stays[0]] += 1
                meant = self.wires.planned_at.get(far.vertex[0], {}).get(far.port or "")
                right[stays[0]] += meant is not None and meant.device == stays[0]
        names = sorted(
            (self.words.device(key) for key, many in moved.items() if right[key] == many > 1),
            key=natural,
        )
        if names:
            shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            hosts = counted(len(names), "host")
            yield (
                f"{hosts} ({shown}): each switch port to move from is planned for another adapter "
                "of the same host: are its adapters only numbered otherwise than those of other "
                "hosts? Then nothing is to be moved"
            )

    @cached_property
    def _holders(self) -> dict[ListedEnd, PlacedCable]:
        """The found cable at each planned port."""
        return {
            end.end: one for one in self.placed for end in one.ends
            if end.port is not None and not end.outside
        }  # fmt: skip

    @cached_property
    def _seen(self) -> set[str]:
        return {end.vertex[0] for one in self.placed for end in one.ends}

    @cached_property
    def _cabled(self) -> set[str]:
        """Planned devices with a cable to another."""
        return {end.vertex[0] for one in self.placed if not one.outside for end in one.ends}

    def unseen(self, lacking: Sequence[ListedCable]) -> dict[str, list[ListedCable]]:
        """Devices without any cable, by key, with the lacking ones; no cable at two of them."""
        many = Counter(end.device for cable in lacking for end in (cable.a, cable.z))
        whole = [key for key in many if key not in self._cabled and many[key] >= WHOLE_DEVICE]
        is_host = {key: self.wires.plan.devices[key].kind == "host" for key in whole}
        whole.sort(key=lambda key: (is_host[key], -many[key], natural(key)))
        gone: dict[str, list[ListedCable]] = {}
        rest = list(lacking)
        for key in whole:
            mine = [cable for cable in rest if key in (cable.a.device, cable.z.device)]
            if 2 * len(mine) > many[key] and len(mine) >= WHOLE_DEVICE:
                gone[key] = mine
                rest = [cable for cable in rest if key not in (cable.a.device, cable.z.device)]
        return gone

    def _unseen(self, key: str, cables: list[ListedCable]) -> CablingDifference:
        beside = "" if key in self._seen else ", nor is it"
        return CablingDifference(
            "missing", True,
            f"{self.words.device(key)}: none of its {counted(len(cables), 'cable')} is seen"
            f"{beside}: is it powered, and in the fabric? A dump shows no ports that are down",
            cables[0].a, cables[0].z, (cables[0].a, cables[0].z), cables, device=key,
            group=self.wires.plan.devices[key].name, spot=self.words.spot(cables[0].z, cables[0].a),
        )  # fmt: skip

    def _to_lay(self, meant: ListedCable) -> CablingDifference:
        words, beside = self.words, ""
        for end in (meant.a, meant.z):
            holder = self._holders.get(end)
            if holder is not None:
                other = next((each.end for each in holder.ends if each.end != end), end)
                beside += f"; {words.end(end)} holds {words.end(other)}"
        for end in (meant.a, meant.z):
            if end.device not in self._seen:
                beside += f"; {words.device(end.device)} is not in the dump{self._similar(end)}"
        return CablingDifference(
            "missing", True,
            f"lay a cable from {words.end(meant.a)} to {words.end(meant.z)}"
            f" (or find out why the port is down){beside}",
            meant.a, meant.z, (meant.a, meant.z), [meant], spot=words.spot(meant.z, meant.a),
        )  # fmt: skip

    def _similar(self, end: ListedEnd) -> str:
        """A device that is in the dump and is called almost the same."""
        devices = self.wires.plan.devices
        names = sorted(devices[key].name for key in self._seen if key in devices)
        near = get_close_matches(devices[end.device].name, names, 1, 0.95)
        is_host = devices[end.device].kind == "host"
        return f" ({near[0]} is: a slip of the plan?)" if near and not is_host else ""

    def _to_pull(self, one: PlacedCable) -> CablingDifference:
        a, z = one.a.end, one.z.end
        return CablingDifference(
            "extra", True,
            f"{self.words.cable(a, z)}: not planned: take the cable out, or add it to the plan",
            a, z, place=one.cable.place, spot=self.words.spot(z, a),
        )  # fmt: skip

    def _moves(self) -> Iterator[CablingDifference]:
        """Moves of one end, ordered so that ports are free when they are needed."""
        steps: list[tuple[PlacedCable, ListedCable, EndMove]] = []
        for have, (want, stays) in self._paired.items():
            one, meant = self.over[have], self.lacking[want]
            leaves = one.z if _known(one.a.vertex) == stays else one.a
            goes = meant.z if stays in self._vertices(meant.a) else meant.a
            steps.append((one, meant, EndMove(leaves.end, self._free_port(goes))))
        for number, (circle, chain) in enumerate(_chains([step[2] for step in steps]), 1):
            for place, at in enumerate((*circle, *chain)):
                yield self._move(*steps[at], number, place, circle if at in circle else [])

    def _free_port(self, end: ListedEnd) -> ListedEnd:
        """The planned port, or another of the device that will be free where it is taken."""
        leaving = self._leaving
        taken = self._free.setdefault(end.device, [])
        ports = [end.port]
        if self.wires.plan.devices[end.device].kind != "host":
            ports += self._planned_ports.get(end.device, [])
        for port in ports:
            holder = self._holders.get(ListedEnd(end.device, port))
            if port not in taken and (holder is None or id(holder) in leaving):
                taken.append(port)
                return ListedEnd(end.device, port)
        return end

    @cached_property
    def _leaving(self) -> set[int]:
        return {id(one) for one in self.over}

    @cached_property
    def _planned_ports(self) -> dict[str, list[str]]:
        held: dict[str, set[str]] = {}
        for cable in self.wires.plan.cables:
            for end in (cable.a, cable.z):
                held.setdefault(end.device, set()).add(end.port)
        return {key: sorted(ports, key=natural) for key, ports in held.items()}

    def _move(
        self,
        one: PlacedCable,
        meant: ListedCable,
        move: EndMove,
        number: int,
        place: int,
        circle: Sequence[int],
    ) -> CablingDifference:
        words = self.words
        a, z = one.a.end, one.z.end
        stays = a if move.leaves == z else z
        text = f"{words.end(move.leaves)}: move the cable to {words.end(move.goes)} "
        text += f"(from {words.end(stays)})"
        if len(circle) > 1:
            many = "both" if len(circle) == 2 else f"all {len(circle)}"
            text += f"; unplug {many} of this group first" if place == 0 else ", as above"
        return CablingDifference(
            "swapped" if len(circle) > 1 else "moved", True, text, a, z, (meant.a, meant.z),
            [meant], move, group=f"move {number}", place=one.cable.place,
            spot=words.spot(move.leaves) or words.spot(z, a),
        )  # fmt: skip


def _known(vertex: Vertex) -> Vertex:
    """A found end as a place to stay: an adapter that the plan does not know is any of its host."""
    return vertex[:2] if len(vertex) > 2 else vertex


def _chains(moves: Sequence[EndMove]) -> Iterator[tuple[list[int], list[int]]]:
    """Circles of moves into each other's ports, and moves in the order in which ports get free."""
    leaving = {move.leaves: at for at, move in enumerate(moves)}
    follows = {at: leaving[move.goes] for at, move in enumerate(moves) if move.goes in leaving}
    done: set[int] = set()
    for start in range(len(moves)):
        if start in done:
            continue
        path: dict[int, int] = {}
        at = start
        while at not in path and at not in done:
            path[at] = len(path)
            if at not in follows:
                break
            at = follows[at]
        order = list(path)
        begins = path[at] if at in path and at in follows else len(order)
        done.update(order)
        yield order[begins:], order[:begins][::-1]
