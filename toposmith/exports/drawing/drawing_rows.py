"""Which group stands on which row of the drawing: nodes below, then leaves, spines, core."""

from __future__ import annotations

from collections import defaultdict

from toposmith.fabric.plan import Plan

_SWEEPS = 4


def rows_of(plan: Plan) -> list[list[str]]:
    """The groups by hops to the nearest node, bottom row first; those without links on top."""
    near: dict[str, set[str]] = defaultdict(set)
    for link in plan.links:
        near[link.a.group].add(link.b.group)
        near[link.b.group].add(link.a.group)
    for nvlink in plan.nvlinks:
        near[nvlink.nodes].add(nvlink.switches)
        near[nvlink.switches].add(nvlink.nodes)
    above = {nvlink.switches for nvlink in plan.nvlinks}
    height: dict[str, int] = {
        name: 0 for name, group in plan.groups.items() if group.switch is None and name not in above
    }
    _climb(height, near)
    while rest := [name for name in plan.groups if near[name] and name not in height]:
        height[max(rest, key=lambda name: plan.groups[name].instances)] = 1
        _climb(height, near)
    top = max(height.values(), default=-1) + 1
    rows: dict[int, list[str]] = defaultdict(list)
    for name in plan.groups:
        rows[height.get(name, top)].append(name)
    return _sorted([rows[level] for level in sorted(rows)], near)


def _climb(height: dict[str, int], near: dict[str, set[str]]) -> None:
    queue = list(height)
    for name in queue:
        for other in sorted(near[name]):
            if other not in height:
                height[other] = height[name] + 1
                queue.append(other)


def _sorted(rows: list[list[str]], near: dict[str, set[str]]) -> list[list[str]]:
    """Each row by the mean place of its neighbours, so that trunks cross little."""
    for _ in range(_SWEEPS):
        place = {name: (i + 0.5) / len(row) for row in rows for i, name in enumerate(row)}
        for row in rows:
            mean = {
                name: sum(place[other] for other in near[name]) / len(near[name])
                if near[name]
                else place[name]
                for name in row
            }
            row.sort(key=mean.__getitem__)
    return rows
