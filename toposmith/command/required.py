"""The bandwidth that a group's collectives need, against what a design has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toposmith.analysis.request import Request
from toposmith.command.catalog_options import load_parts
from toposmith.command.edge import FINDINGS, FINE, Refused, write_data, write_talk
from toposmith.command.options import message_size
from toposmith.command.reports.workload import required_report
from toposmith.evaluation import EvaluatedDesign
from toposmith.workloads.block import workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.config_json import named_model
from toposmith.workloads.required_bandwidth import (
    GroupTraffic,
    exchanges_of,
    group_of,
    required_bandwidth,
    required_by,
)
from toposmith.workloads.workload_json import required_data

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.workloads.required_bandwidth import RequiredBandwidth


REQUIRED = ("ranks", "size", "per_second", "one_per_node", "tokens", "precision")
"""What ``--require`` is told of a group by ``--set``."""


def write_required(
    file: str,
    design: Design,
    block: Mapping[str, Any] | None,
    model: str | None,
    values: Mapping[str, Any],
    *,
    as_json: bool,
) -> int:
    """Write what a group's collectives need, and whether the design gives it; the exit code.

    Of plain numbers, of a model, or, where neither is given, of the workload in ``block``.

    Raises
    ------
    Refused
        For values that go with others, or that are missing.
    """
    if "size" in values and model is not None:
        raise Refused("--set size: a model has its own bytes; leave one out")
    for name in ("tokens", "precision"):
        if name in values and model is None:
            raise Refused(f"--set {name}: counts with --model only")
    evaluated = EvaluatedDesign(design, load_parts(), Request())
    if "size" in values or model is not None:
        for name in ("ranks", "per_second"):
            if not isinstance(values.get(name), int | float):
                example = "ranks=8,size=16MB,per_second=1000"
                raise Refused(f"{name} is missing or no number, as in --set {example}")
        found = _of_numbers(evaluated, values, _exchanges(model, values))
    elif values:
        raise Refused(f"--set {next(iter(values))}: counts with size, or with --model")
    else:
        found = _of_workload(evaluated, block)
    if as_json:
        data = {
            "toposmith": 1,
            "design": design.name,
            "required": [required_data(each) for each in found],
        }
        write_data(json.dumps(data, indent=2) + "\n")
    else:
        write_talk(required_report(design.name or file, found))
    return FINE if all(each.ok for each in found) else FINDINGS


def _exchanges(model: str | None, values: Mapping[str, Any]) -> tuple[GroupTraffic, ...]:
    per_second = float(values["per_second"])
    if model is None:
        size = message_size(str(values["size"]))
        return (GroupTraffic("plain numbers", size, per_second),)
    served = {"precision": values["precision"]} if "precision" in values else {}
    workload = workload_of({"model": named_model(model), "serving": served})
    return exchanges_of(workload, per_second, float(values.get("tokens", 1.0)))


def _of_numbers(
    design: EvaluatedDesign, values: Mapping[str, Any], exchanges: tuple[GroupTraffic, ...]
) -> tuple[RequiredBandwidth, ...]:
    apart = bool(values.get("one_per_node", False))
    part, layout = group_of(design.plan, int(values["ranks"]), one_per_node=apart)
    times = CollectiveTimes(part, design.catalog)
    return tuple(required_bandwidth(times, layout, each) for each in exchanges)


def _of_workload(
    design: EvaluatedDesign, block: Mapping[str, Any] | None
) -> tuple[RequiredBandwidth, ...]:
    if block is None:
        raise Refused(
            "the design has no workload: block; say --set ranks=8,size=16MB,per_second=1000, "
            "--model with ranks and per_second, or --workload FILE"
        )
    assessed = design.assessed(workload_of(block))
    found = required_by(design.plan, design.catalog, assessed)
    if found:
        return found
    if assessed.split.tp == 1:
        raise Refused("layout.tp is 1: without tensor parallelism nothing is exchanged; 2 works")
    raise Refused("a GPU does not hold the workload, so it has no rate; `workload` says what fits")
