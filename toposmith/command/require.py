"""`require`: the bandwidth that a group's collectives need, against what a design has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from toposmith.analysis.request import Request
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import FINDINGS, FINE, Refused, write_data, write_talk
from toposmith.command.options import message_size
from toposmith.command.reports.workload import required_report
from toposmith.command.workload import read_block
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
    from toposmith.workloads.block import Workload
    from toposmith.workloads.required_bandwidth import RequiredBandwidth


def _size(_ctx: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    return None if value is None else message_size(value)


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--ranks", type=int, metavar="N", help="Ranks of a group.")
@click.option("--size", callback=_size, metavar="SIZE", help="M, such as 16MB.")
@click.option("--per-second", type=float, metavar="R", help="Collectives (or passes) a second.")
@click.option("--one-per-node", is_flag=True, help="One rank on each of N nodes, not N in a row.")
@click.option("--model", metavar="NAME", help="In place of --size: a preset, or a config.json.")
@click.option("--tokens", type=float, metavar="N", help="With --model: tokens of a pass; 1.")
@click.option("--precision", metavar="WORD", help="With --model: of its weights, bf16 or fp8.")
@click.option("--workload", "workload_file", metavar="FILE", help="A workload file.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def require(
    file: str,
    ranks: int | None,
    size: int | None,
    per_second: float | None,
    one_per_node: bool,
    model: str | None,
    tokens: float | None,
    precision: str | None,
    workload_file: str | None,
    as_json: bool,
) -> int:
    """Say what bandwidth a group's collectives need, and whether a design gives it.

    With --ranks, --size and --per-second: of plain numbers. With --model in place of --size: of all
    its weights, and of the activations that move. With neither: of the workload of the design.
    """
    if size is not None and model is not None:
        raise click.BadParameter("a model has its own bytes; leave one out", param_hint="--size")
    for option, value in (("--tokens", tokens), ("--precision", precision)):
        if value is not None and model is None:
            raise click.BadParameter("counts with --model only", param_hint=option)
    asked = size is not None or model is not None
    if not asked:
        for option, given in (
            ("--ranks", ranks is not None),
            ("--per-second", per_second is not None),
            ("--one-per-node", one_per_node),
        ):
            if given:
                text = "counts with --size or --model only"
                raise click.BadParameter(text, param_hint=option)
    elif workload_file is not None:
        text = "has a model and a rate of its own; leave it or --size and --model out"
        raise click.BadParameter(text, param_hint="--workload")
    elif ranks is None or per_second is None:
        missing = "--ranks" if ranks is None else "--per-second"
        raise Refused(f"{missing} is missing, as in --ranks 8 --size 16MB --per-second 1000")
    if file == workload_file == "-":
        raise Refused("only one file can come from stdin")
    design = EvaluatedDesign(read_design(file), load_parts(), Request())
    if asked:
        assert ranks is not None and per_second is not None
        exchanges = _exchanges(size, model, per_second, tokens, precision)
        found = _of_numbers(design, ranks, one_per_node, exchanges)
    else:
        found = _of_workload(design, workload_file)
    if as_json:
        data = {
            "toposmith": 1,
            "design": design.design.name,
            "required": [required_data(each) for each in found],
        }
        write_data(json.dumps(data, indent=2) + "\n")
    else:
        write_talk(required_report(design.design.name, found))
    return FINE if all(each.ok for each in found) else FINDINGS


def _exchanges(
    size: int | None,
    model: str | None,
    per_second: float,
    tokens: float | None,
    precision: str | None,
) -> tuple[GroupTraffic, ...]:
    if size is not None:
        return (GroupTraffic("plain numbers", size, per_second),)
    assert model is not None
    return exchanges_of(_served(model, precision), per_second, 1.0 if tokens is None else tokens)


def _served(model: str, precision: str | None) -> Workload:
    words = {} if precision is None else {"precision": precision}
    return workload_of({"model": named_model(model), "serving": words})


def _of_numbers(
    design: EvaluatedDesign, ranks: int, one_per_node: bool, exchanges: tuple[GroupTraffic, ...]
) -> tuple[RequiredBandwidth, ...]:
    part, layout = group_of(design.plan, ranks, one_per_node=one_per_node)
    times = CollectiveTimes(part, design.catalog)
    return tuple(required_bandwidth(times, layout, each) for each in exchanges)


def _of_workload(
    design: EvaluatedDesign, workload_file: str | None
) -> tuple[RequiredBandwidth, ...]:
    block = read_block(workload_file) if workload_file else design.design.workload
    if block is None:
        raise Refused(
            "the design has no workload: block; say --ranks 8 --size 16MB --per-second 1000, "
            "--model with --ranks and --per-second, or --workload FILE"
        )
    assessed = design.assessed(workload_of(block))
    found = required_by(design.plan, design.catalog, assessed)
    if found:
        return found
    if assessed.split.tp == 1:
        raise Refused("layout.tp is 1: without tensor parallelism nothing is exchanged; 2 works")
    raise Refused("a GPU does not hold the workload, so it has no rate; `workload` says what fits")
