"""A comparison as JSON, under stable keys (docs/as-built.md)."""

from __future__ import annotations

from typing import Any

from toposmith.as_built.cable_list import ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CableDetail, CablingDifference
from toposmith.as_built.costs import (
    FOUND,
    OF_GROUP,
    TOO_MANY,
    Costs,
    Gating,
    Jobs,
    shares_figures,
)
from toposmith.as_built.survey import RecablingProgress
from toposmith.labels import Labelled, as_data


def comparison_data(
    compared: CablingComparison,
    costs: Costs | None,
    why_not: str = "",
    since: RecablingProgress | None = None,
    jobs: Jobs | None = None,
) -> dict[str, Any]:
    """The comparison as plain data; ``why_not`` says why there are no costs.

    ``since`` is the progress since an earlier dump, ``jobs`` the nodes of each job.
    """
    dump, gating = compared.dump, Gating(compared, jobs)
    return {
        "plan": compared.plan.source,
        "dump": dump.source,
        "form": dump.form,
        "same": compared.same,
        "cables": {
            "planned": compared.planned,
            "found": compared.found,
            "agree": compared.agree,
        },
        "devices": {
            "missing": compared.missing,
            "extra": compared.extra,
            "unnamed": compared.unnamed,
        },
        "matching": {
            "by": dict(compared.match.ways),
            "ambiguous": compared.match.ambiguous,
        },
        "other_ports": [_detail(compared, detail) for detail in compared.other_ports],
        "differences": [
            _difference(compared, place, one, costs, since) | {"gates": gating.of(one)}
            for place, one in enumerate(compared.differences)
        ],
        "moves": compared.moves,
        "add": compared.add,
        "remove": compared.remove,
        "cost": None if costs is None else _together(costs),
        "cost_why": why_not or FOUND,
        "done": [] if since is None else [one.instruction for one in since.done],
        "ignored": [
            {"reason": reason, "count": many, "places": dump.places.get(reason, [])}
            for reason, many in dump.ignored.items()
        ],
        "notes": [*compared.plan.notes, *dump.notes, *compared.notes],
    }


def _together(costs: Costs) -> dict[str, Any]:
    return {
        name: {
            "designed": _figure(costs.designed[name]),
            "as_built": _figure(costs.as_built[name]),
            "label": as_data(costs.as_built[name].label),
        }
        for name in costs.designed
    }


def _difference(
    compared: CablingComparison,
    place: int,
    one: CablingDifference,
    costs: Costs | None,
    since: RecablingProgress | None,
) -> dict[str, Any]:
    cost: dict[str, float] | None = None
    why = ""
    if costs is not None and one.harmful:
        lost = costs.lost_GBps(place)
        cost = {name: round(less, 3) for name, less in lost.items()} or None
        why = "" if lost else TOO_MANY
        if lost and shares_figures(compared.differences, one):
            why = OF_GROUP
        why = "; ".join(filter(None, (why, costs.left_out.get(place, ""))))
    state = ""
    if since is not None and one.harmful:
        state = "new" if place in since.new else "open"
    return {
        "kind": one.kind,
        "harmful": one.harmful,
        "a": _end(compared, one.a),
        "z": _end(compared, one.z),
        "expected": _expected(compared, one.expected),
        "instruction": one.instruction,
        "moves": one.moves,
        "add": one.add,
        "remove": one.remove,
        "cables": one.cables,
        "group": one.group,
        "rack": one.spot,
        "place": one.place,
        "cost_GBps": cost,
        "cost_why": why,
        "runs_at": one.runs_at,
        "details": [_detail(compared, detail) for detail in one.details],
        "state": state,
    }


def _detail(compared: CablingComparison, detail: CableDetail) -> dict[str, Any]:
    return {
        "a": _end(compared, detail.a),
        "z": _end(compared, detail.z),
        "expected": _expected(compared, detail.expected),
        "place": detail.place,
    }


def _expected(
    compared: CablingComparison, ends: tuple[ListedEnd, ListedEnd] | None
) -> dict[str, Any] | None:
    return None if ends is None else {"a": _end(compared, ends[0]), "z": _end(compared, ends[1])}


def _end(compared: CablingComparison, end: ListedEnd | None) -> dict[str, str] | None:
    if end is None:
        return None
    held = compared.plan.devices.get(end.device) or compared.dump.devices[end.device]
    return {"device": held.name, "port": end.port}


def _figure(figure: Labelled) -> float | None:
    return None if figure.value is None else round(figure.value, 3)
