"""Which group is in which tier: nodes at the bottom, then leaves, spines, core."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from toposmith.fabric.plan import Plan

Edge = tuple[str, str]

_SWEEPS = 6  # over all rows, up and down, to find an order with fewer crossings


def design_edges(plan: Plan) -> dict[int, Edge]:
    """The two groups of every link in the design, by its index, sound or not."""
    edges: dict[int, Edge] = {}
    for index, link in enumerate(plan.design.links):
        a, b = (end.partition(".")[0] for end in link.between)
        if a in plan.groups and b in plan.groups:
            edges[index] = (a, b)
    return edges


def tier_rows(plan: Plan) -> list[list[str]]:
    """The groups by tier, bottom row first, ordered within a row so that trunks cross little.

    A switch's tier is the number of hops to the nearest node. Where switches are wired to each
    other but to no node yet, the group with the most devices counts as the leaf. Groups without
    links stand with the nodes if they are nodes, else on a row of their own on top.
    """
    edges = list(design_edges(plan).values())
    linked = {name for edge in edges for name in edge}
    nodes = [name for name in plan.groups if _is_node(plan, name)]
    tier = _hops(dict.fromkeys(nodes, 0), edges)
    while rest := [name for name in plan.groups if name in linked and name not in tier]:
        leaf = max(rest, key=lambda name: plan.groups[name].instances)
        tier |= _hops({leaf: 1}, edges)
    loose = [name for name in plan.groups if name not in tier]
    top = max(tier.values(), default=-1) + 1
    tier |= dict.fromkeys(loose, top)
    rows: dict[int, list[str]] = defaultdict(list)
    for name in plan.groups:
        rows[tier[name]].append(name)
    return _uncross([rows[level] for level in sorted(rows)], edges)


def _is_node(plan: Plan, name: str) -> bool:
    group = plan.groups[name]
    if group.part is not None:
        return group.host is not None
    ends = (end.partition(".") for link in plan.design.links for end in link.between)
    return bool(group.spec.nics) or any(end[0] == name and end[2] for end in ends)


def _hops(start: Mapping[str, int], edges: Iterable[Edge]) -> dict[str, int]:
    neighbours = defaultdict(list)
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    tier = dict(start)
    queue = deque(start)
    while queue:
        name = queue.popleft()
        for other in neighbours[name]:
            if other not in tier:
                tier[other] = tier[name] + 1
                queue.append(other)
    return tier


def _uncross(rows: list[list[str]], edges: list[Edge]) -> list[list[str]]:
    """Order every row by the mean place of its neighbours; keep the order with fewest crossings."""
    best, fewest = rows, _crossings(rows, edges)
    rows = [list(row) for row in rows]
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        levels = list(range(len(rows)))
        for level in levels if sweep % 2 == 0 else levels[::-1]:
            _sort_row(rows, level, edges)
        crossings = _crossings(rows, edges)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _sort_row(rows: list[list[str]], level: int, edges: list[Edge]) -> None:
    place = {name: (column + 0.5) / len(row) for row in rows for column, name in enumerate(row)}
    mine = set(rows[level])
    seen: dict[str, list[float]] = {name: [] for name in rows[level]}
    for a, b in edges:
        for name, other in ((a, b), (b, a)):
            if name in mine and other not in mine:
                seen[name].append(place[other])
    rows[level].sort(
        key=lambda name: sum(seen[name]) / len(seen[name]) if seen[name] else place[name]
    )


def _crossings(rows: list[list[str]], edges: list[Edge]) -> int:
    at = {
        name: (level, column) for level, row in enumerate(rows) for column, name in enumerate(row)
    }
    channels: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for a, b in edges:
        (low, x), (high, y) = sorted((at[a], at[b]))
        if low != high:
            channels[low].append((x, y))
    return sum(
        (x - u) * (y - v) < 0
        for pairs in channels.values()
        for i, (x, y) in enumerate(pairs)
        for u, v in pairs[:i]
    )
