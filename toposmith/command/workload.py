"""`workload`: how a design trains or serves a model, and in which layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from toposmith.asked import Asked
from toposmith.command.design_input import read_design, read_given
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    refuse,
    say,
    write_either,
    write_talk,
    wrong,
)
from toposmith.command.options import WITH, request_of
from toposmith.command.patience import count_done, doing
from toposmith.command.reports.workload import (
    over_gpus_report,
    ranking_report,
    required_report,
    workload_report,
)
from toposmith.design.loader import decoded
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.waivers import marked
from toposmith.text import duration, number
from toposmith.workloads.answers import named_values
from toposmith.workloads.assess import compute_factor
from toposmith.workloads.block import (
    LayoutBlock,
    ServingBlock,
    TrainingBlock,
    parse_workload,
    with_values,
    workload_of,
)
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.config_json import named_model
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.required_bandwidth import (
    GroupTraffic,
    exchanges_of,
    group_of,
    required_bandwidth,
    required_by,
)
from toposmith.workloads.runnable import workload_that_divides
from toposmith.workloads.steps_over_gpus import steps_over_gpus
from toposmith.workloads.workload_json import (
    assessment_data,
    over_gpus_data,
    ranking_data,
    required_data,
)

if TYPE_CHECKING:
    from toposmith.workloads.block import Workload
    from toposmith.workloads.required_bandwidth import RequiredBandwidth


REQUIRED = ("ranks", "size", "per_second", "one_per_node", "tokens", "precision")
"""What ``--require`` is told of a group by ``--set``."""


def write_required(
    name: str,
    evaluated: EvaluatedDesign,
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
    write_either(
        as_json,
        lambda: {
            "toposmith": 1,
            "design": evaluated.design.name,
            "required": [required_data(each) for each in found],
        },
        lambda: required_report(name, found),
    )
    return FINE if all(each.ok for each in found) else FINDINGS


def _exchanges(model: str | None, values: Mapping[str, Any]) -> tuple[GroupTraffic, ...]:
    per_second = float(values["per_second"])
    if model is None:
        size = Asked(size=str(values["size"])).message_bytes
        return (GroupTraffic("plain numbers", size, per_second),)
    served = {"precision": values["precision"]} if "precision" in values else {}
    workload = workload_of({"model": named_model(model), "serving": served})
    return exchanges_of(workload, per_second, float(values.get("tokens", 1.0)))


def _of_numbers(
    design: EvaluatedDesign, values: Mapping[str, Any], exchanges: tuple[GroupTraffic, ...]
) -> tuple[RequiredBandwidth, ...]:
    apart = bool(values.get("one_per_node", False))
    part, layout = group_of(design.plan, int(values["ranks"]), one_per_node=apart)
    times = CollectiveTimes(part, design.catalog, design.asked)
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
    found = required_by(design.plan, design.catalog, assessed, design.asked)
    if found:
        return found
    if assessed.split.tp == 1:
        raise Refused("layout.tp is 1: without tensor parallelism nothing is exchanged; 2 works")
    raise Refused("a GPU does not hold the workload, so it has no rate; `workload` says what fits")


SHOWN_LAYOUTS = 20

_SIZES = ("tp", "cp", "pp", "dp", "ep", "micro_batch", "interleave")
"""Layout keys that a search varies unless they are set."""

_SERVED_LAYOUT = ("tp", "pp", "ep")
"""Layout keys that serving has: replicas fill the cluster, and there is no backward pass."""

_LISTS = frozenset({"whole", "order", "overlap", "offload"})
"""Layout keys that are lists, which a file says."""


EXAMPLES = """\b
Examples:
  toposmith workload dgx-h100-superpod-4su --model llama3-70b --set tp=4,pp=4,batch=960
  toposmith workload dgx-h100-superpod-4su --model llama3-70b --set batch=960 --search
  toposmith workload a100-rack-1x100gbe --model llama3-8b --curve --with tcp
  toposmith workload dgx-h100-superpod-1su --model llama3-70b --serve --set tp=8,tpot_ms=25
  toposmith workload a100-rack-1x100gbe --require --set ranks=8,size=16MB,per_second=1000
"""


@click.command(cls=GroupedCommand, epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--workload", "workload_file", metavar="FILE", help="A workload file.")
@click.option(
    "--model",
    metavar="NAME",
    help="A preset, such as llama3-70b, or the path of a model's config.json.",
)
@click.option("--serve", is_flag=True, help="Serve the model instead of training it.")
@click.option(
    "--require",
    is_flag=True,
    help="Say what bandwidth a group needs, and has.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE,...",
    multiple=True,
    help="Keys of layout and training, with --serve of serving, or of --require; may be repeated.",
)
@click.option("--curve", is_flag=True, help="The step on one node, two, up to all: what waits.")
@click.option("--search", is_flag=True, help="Rank all layouts of the model.")
@click.option(
    "--vary",
    multiple=True,
    type=click.Choice(["recompute", "zero", "overlap"]),
    help="What --search tries besides sizes; may be repeated.",
)
@click.option(
    "--measured-step-s",
    type=float,
    metavar="S",
    help="What a step took in a run of yours: says the compute_factor that gives it.",
)
@WITH
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def workload(
    file: str,
    workload_file: str | None,
    model: str | None,
    serve: bool,
    require: bool,
    settings: tuple[str, ...],
    curve: bool,
    search: bool,
    vary: tuple[str, ...],
    measured_step_s: float | None,
    further: tuple[str, ...],
    as_json: bool,
) -> int:
    """Say whether a design serves a model: step time, MFU, tokens per second, what limits."""
    which = "--search" if search else "--curve" if curve else "--require"
    text = {
        "--search": "ranks layouts of training",
        "--curve": "is of training alone",
        "--require": "is of no model that is served",
    }[which]
    alone = "says one factor in words; leave --search, --curve, --require and --json out"
    refuse(
        (sum((serve, search, curve, require)) > 1, wrong(which, text)),
        (vary and not search, wrong("--vary", "counts with --search only")),
        (
            measured_step_s is not None and (search or curve or require or as_json),
            wrong("--measured-step-s", alone),
        ),
        (file == workload_file == "-", Refused("only one file can come from stdin")),
    )
    design = read_design(file)
    block = _read_block(workload_file) if workload_file else design.workload
    evaluated = EvaluatedDesign(design, load_parts(), request_of(file, design, further=further))
    if require:
        given = named_values(",".join(settings), REQUIRED, "ranks=8,size=16MB")
        return write_required(design.name or file, evaluated, block, model, given, as_json=as_json)
    known = {*LayoutBlock.model_fields, *TrainingBlock.model_fields, *ServingBlock.model_fields}
    given = named_values(",".join(settings), known - _LISTS, "tp=8,batch=960")
    wanted = _wanted(block, None if model is None else named_model(model), given, serve)
    told = workload_that_divides(wanted)
    if search:
        only = {name: given[name] for name in _SIZES if name in given}
        return _search(evaluated, told, vary, only, as_json=as_json)
    if measured_step_s is not None:
        return _say_factor(evaluated, told, measured_step_s)
    if curve:
        return _over_gpus(evaluated, told, as_json=as_json)
    return _assess(evaluated, told, as_json=as_json)


def _read_block(file: str) -> dict[str, Any]:
    """Read a workload file; Refused where it is missing or no mapping."""
    source, raw = read_given(file, "a workload")
    return parse_workload(decoded(raw, source), source)


def _wanted(
    block: dict[str, Any] | None, model: object, given: dict[str, Any], serve: bool
) -> dict[str, Any]:
    """The block with what is given set in it; training or serving as this selects."""
    if block is None and model is None:
        raise Refused(
            "the design has no workload: block; say --model, such as --model llama3-70b, or "
            "--workload FILE"
        )
    trains = bool(set(given) & (set(TrainingBlock.model_fields) - set(ServingBlock.model_fields)))
    serves = serve or (not trains and set(block or ()) & {"training", "serving"} == {"serving"})
    side = "serving" if serves else "training"
    own = ServingBlock.model_fields if serves else TrainingBlock.model_fields
    of_layout = _SERVED_LAYOUT if serves else LayoutBlock.model_fields
    places = dict.fromkeys(of_layout, "layout") | dict.fromkeys(own, side)
    for name in given:
        if name not in places:
            why = "is for training, not for serving" if serves else "counts with --serve only"
            raise click.BadParameter(f"{name} {why}", param_hint="--set")
    values: dict[tuple[str, ...], object] = {("model",): model}
    values |= {(places[name], name): value for name, value in given.items()}
    made = with_values(block, values)
    if serve or trains or not ({"training", "serving"} & set(made)):
        made.setdefault(side, {})
        made.pop("training" if serves else "serving", None)
    return made


def _say_factor(design: EvaluatedDesign, told: Workload, measured_s: float) -> int:
    """Print the factor by which compute is slower than predicted, for use in the block."""
    found = design.assessed(told)
    factor = compute_factor(design.plan, design.catalog, found, measured_s, design.asked)
    predicted = duration(found.step.step_s) if found.step is not None else "no time"
    write_talk(
        f"compute_factor: {factor:.4g}\n"
        f"With it under training: the predicted step is {duration(measured_s)}, as measured; now "
        f"it is {predicted} (compute x {number(factor / _factor_of(told))}).\n"
    )
    return FINE


def _factor_of(told: Workload) -> float:
    return told.training.compute_factor if told.training is not None else 1.0


def _assess(design: EvaluatedDesign, told: Workload, *, as_json: bool) -> int:
    found = design.assessed(told)
    found = replace(found, findings=marked(found.findings, design.design, date.today()))
    write_either(as_json, lambda: assessment_data(found), lambda: workload_report(found))
    return FINE if found.ok else FINDINGS


def _over_gpus(design: EvaluatedDesign, told: Workload, *, as_json: bool) -> int:
    assessed = design.assessed(told)
    found = steps_over_gpus(design.plan, design.catalog, assessed, design.asked)
    write_either(as_json, lambda: over_gpus_data(found), lambda: over_gpus_report(found))
    return FINE if assessed.ok else FINDINGS


def _search(
    design: EvaluatedDesign,
    told: Workload,
    vary: tuple[str, ...],
    only: dict[str, int],
    *,
    as_json: bool,
) -> int:
    variants = Variants("recompute" in vary, "zero" in vary, "overlap" in vary)
    with doing("searching layouts"):
        found = search(
            design.plan,
            design.catalog,
            told,
            request=design.asked,
            progress=count_done,
            variants=variants,
            only=only,
        )
    found = replace(found, findings=marked(found.findings, design.design, date.today()))
    write_either(
        as_json,
        lambda: ranking_data(found, SHOWN_LAYOUTS),
        lambda: ranking_report(found, SHOWN_LAYOUTS),
    )
    if not found.fitting:
        say("no layout fits into memory; more GPUs, larger ones, or --recompute full may")
    return FINE if found.ok else FINDINGS
