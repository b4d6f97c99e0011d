"""Which limits leave no fabric at all, and by how much: before anything is analysed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from toposmith.catalog import Catalog
from toposmith.errors import EditError
from toposmith.synthesis.analysed_fabrics import every_fabric
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.synthesis.fabrics import Fabric
from toposmith.text import counted, joined, oversubscription


@dataclass(frozen=True)
class Reason:
    """A requirement that binds: what is given up with it, and what that saves or gives."""

    key: str
    words: str


def why_no_fabric(asked: Requirements, catalog: Catalog) -> Iterator[Reason]:
    """What no fabric joins, what each limit alone rules out, and how many nodes could be joined."""
    what = f"{counted(asked.nodes, 'node')} of {asked.node}"
    limits = dict(_limits(asked))
    tiers = "" if asked.shapes else " of up to three tiers"
    with_ = f" with {'; '.join(words for words, _ in limits.values())}" if limits else ""
    yield Reason("parts", f"no fabric{tiers} joins {what}{with_}")
    collisions = 0
    for key, (words, without) in limits.items():
        found = list(_fabrics(replace(asked, **without), catalog))
        if found:
            collisions += 1
            others = [other for name, (other, _) in limits.items() if name != key]
            with_others = joined([*others, counted(asked.nodes, "node")])
            more = f"{counted(len(found), 'fabric')}{_by_how_much(key, found)}"
            yield Reason(key, f"{words}: collides with {with_others}; without it there are {more}")
    most = _most_nodes(asked, catalog)
    if most:
        fewer = asked.nodes - most
        yield Reason("nodes", f"it joins up to {counted(most, 'node')}, {fewer:,} fewer than asked")
    elif not collisions:
        yield Reason("nodes", "not even one node is joined: name other switches or NICs")


def _limits(asked: Requirements) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """The limits that are set, each in words and with what sets it aside."""
    if asked.switches:
        yield "switches", (f"switches {', '.join(asked.switches)}", {"switches": ()})
    if asked.nics or asked.nics_per_node is not None:
        many = "" if asked.nics_per_node is None else f"{asked.nics_per_node} x "
        words = f"NICs {many}{', '.join(asked.nics)}".rstrip(" x")
        yield "nics", (words, {"nics": (), "nics_per_node": None})
    if asked.shapes:
        yield "shapes", (f"shapes {', '.join(asked.shapes)}", {"shapes": ()})
    if asked.oversubscription is not None:
        words = f"at most {oversubscription(asked.oversubscription)}"
        yield "oversubscription", (words, {"oversubscription": None})
    if asked.align:
        yield "align", (f"SUs of whole {asked.align} nodes", {"align": None})


def _by_how_much(key: str, found: list[Fabric]) -> str:
    if key != "oversubscription":
        return ""
    least = min(one.oversubscription for one in found)
    return f", none below {oversubscription(float(least))}"


def _fabrics(asked: Requirements, catalog: Catalog) -> Iterator[Fabric]:
    try:
        yield from every_fabric(asked, catalog)
    except EditError:
        return


def _most_nodes(asked: Requirements, catalog: Catalog) -> int:
    """The most nodes that all limits leave a fabric for; 0 for none."""

    def joins(nodes: int) -> bool:
        return next(_fabrics(replace(asked, nodes=nodes), catalog), None) is not None

    low, high = 0, asked.nodes
    while high - low > 1:
        middle = (low + high) // 2
        if joins(middle):
            low = middle
        else:
            high = middle
    return low
