"""`workload`: how a design trains or serves a model, and in which layout."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.analysis.request import Request
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import FINDINGS, FINE, Refused, say, write_data, write_talk
from toposmith.command.patience import count_done, doing
from toposmith.command.reports.workload import ranking_report, workload_report
from toposmith.design.loader import MAX_BYTES, decoded
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.waivers import marked
from toposmith.text import duration, number
from toposmith.workloads.answers import LAYOUT
from toposmith.workloads.config_json import named_model
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.own_run import compute_factor
from toposmith.workloads.runnable import workload_that_divides
from toposmith.workloads.workload_file import parse_workload, with_values
from toposmith.workloads.workload_json import assessment_data, ranking_data

if TYPE_CHECKING:
    from toposmith.workloads.block import Workload

SHOWN_LAYOUTS = 20

_PLACES: dict[str, tuple[str, ...]] = {
    "model": ("model",),
    **{name: ("layout", name) for name in LAYOUT},
}
_SIZES = ("tp", "cp", "pp", "dp", "ep", "micro_batch", "interleave")
"""Layout keys that a search varies unless they are given."""

_TRAINING = ("batch", "sequence", "tokens", "stack")
_TRAINING_LAYOUT = tuple(name for name in LAYOUT if name not in ("tp", "pp", "ep"))
"""Layout keys that serving lacks: replicas fill the cluster, and there is no backward pass."""

_SERVING = (
    *("prompt", "output", "decode_batch", "kv_precision"),
    *("tpot_ms", "ttft_ms", "tokens_per_s", "concurrency"),
)


EXAMPLES = """\b
Examples:
  toposmith workload dgx-h100-superpod-4su --model llama3-70b --tp 4 --pp 4 --batch 960
  toposmith workload dgx-h100-superpod-4su --model llama3-70b --batch 960 --search
  toposmith workload dgx-h100-superpod-1su --model llama3-70b --serve --tp 8 --tpot-ms 25
  toposmith workload dgx-h100-superpod-1su --model llama3-70b --serve --tp 8 --concurrency 512
"""


@click.command(epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--workload", "workload_file", metavar="FILE", help="A workload file.")
@click.option(
    "--model",
    metavar="NAME",
    help="A preset, such as llama3-70b, or the path of a model's config.json.",
)
@click.option("--tp", type=int, metavar="N", help="Tensor parallelism.")
@click.option("--cp", type=int, metavar="N", help="Context parallelism.")
@click.option("--pp", type=int, metavar="N", help="Pipeline stages.")
@click.option("--dp", type=int, metavar="N", help="Copies; as many as fit if not given.")
@click.option("--ep", type=int, metavar="N", help="Expert parallelism, inside cp x dp.")
@click.option("--expert-tp", type=int, metavar="N", help="Of each expert; 1 folds tp into ep.")
@click.option("--zero", type=int, metavar="STAGE", help="ZeRO stage, 0 to 3.")
@click.option("--micro-batch", type=int, metavar="N", help="Sequences of a micro-batch.")
@click.option("--interleave", type=int, metavar="N", help="Chunks of layers in each stage.")
@click.option("--uneven-stages", is_flag=True, default=None, help="Let stages have unlike layers.")
@click.option("--recompute", metavar="WHAT", help="none, selective or full.")
@click.option("--batch", type=int, metavar="N", help="Sequences of a training step.")
@click.option("--sequence", type=int, metavar="N", help="Tokens of a sequence.")
@click.option("--tokens", type=float, metavar="N", help="Of the whole run.")
@click.option("--stack", metavar="WORD", help="The software: nvidia, fsdp or older.")
@click.option(
    "--precision", metavar="WORD", help="bf16, fp16, fp8, mxfp8, nvfp4 or (serving) int8."
)
@click.option("--serve", is_flag=True, help="Serve the model instead of training it.")
@click.option("--prompt", type=int, metavar="N", help="Tokens of a prompt.")
@click.option("--output", type=int, metavar="N", help="Tokens of an answer.")
@click.option("--decode-batch", type=int, metavar="N", help="Sequences decoded together.")
@click.option(
    "--kv-precision", metavar="WORD", help="Of the KV cache; as the weights if not given."
)
@click.option("--tpot-ms", type=float, metavar="MS", help="Time per output token at most.")
@click.option("--ttft-ms", type=float, metavar="MS", help="Time to the first token at most.")
@click.option("--tokens-per-s", type=float, metavar="N", help="Output of the cluster at least.")
@click.option("--concurrency", type=int, metavar="N", help="Requests that are always under way.")
@click.option("--disaggregated", is_flag=True, help="Read prompts on other nodes.")
@click.option(
    "--measured-step-s",
    type=float,
    metavar="S",
    help="What a step took in a run of yours: says the compute_factor that gives it.",
)
@click.option("--search", is_flag=True, help="Rank all layouts of the model on this design.")
@click.option(
    "--vary",
    multiple=True,
    type=click.Choice(["recompute", "zero", "overlap"]),
    help="What --search tries besides sizes; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def workload(
    file: str,
    workload_file: str | None,
    search: bool,
    serve: bool,
    disaggregated: bool,
    as_json: bool,
    precision: str | None,
    vary: tuple[str, ...],
    measured_step_s: float | None,
    **asked: Any,
) -> int:
    """Say whether a design serves a model: step time, MFU, tokens per second, what limits."""
    if search and serve:
        raise click.BadParameter("ranks layouts of training, not of serving", param_hint="--search")
    if vary and not search:
        raise click.BadParameter("counts with --search only", param_hint="--vary")
    if measured_step_s is not None and (search or as_json):
        text = "says one factor in words; leave --search and --json out"
        raise click.BadParameter(text, param_hint="--measured-step-s")
    if file == workload_file == "-":
        raise Refused("only one file can come from stdin")
    design = read_design(file)
    block = read_block(workload_file) if workload_file else design.workload
    if asked["model"] is not None:
        asked["model"] = named_model(asked["model"])
    wanted = _wanted(block, asked, precision, serve, disaggregated)
    told = workload_that_divides(wanted)
    evaluated = EvaluatedDesign(design, load_parts(), Request())
    if search:
        only = {name: asked[name] for name in _SIZES if asked[name] is not None}
        return _search(evaluated, told, vary, only, as_json=as_json)
    if measured_step_s is not None:
        return _say_factor(evaluated, told, measured_step_s)
    return _assess(evaluated, told, as_json=as_json)


def read_block(file: str) -> dict[str, Any]:
    """Read a workload file; Refused where it is missing or no mapping."""
    if file == "-":
        return parse_workload(decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"), "<stdin>")
    try:
        with Path(file).open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"{file}: {reason}") from None
    return parse_workload(decoded(raw, file), file)


def _wanted(
    block: dict[str, Any] | None,
    asked: dict[str, Any],
    precision: str | None,
    serve: bool,
    disaggregated: bool,
) -> dict[str, Any]:
    """The block with the options applied; training or serving as these select."""
    if block is None and asked["model"] is None:
        raise Refused(
            "the design has no workload: block; say --model, such as --model llama3-70b, or "
            "--workload FILE"
        )
    values = {place: asked[name] for name, place in _PLACES.items()}
    serves = serve or _serves_only(block, asked)
    side = "serving" if serves else "training"
    if serves:
        _refuse(asked, (*_TRAINING, *_TRAINING_LAYOUT), "is for training, not for serving")
    if not serve:
        _refuse(asked, _SERVING, "counts with --serve only")
    if disaggregated and not (serves or _serves_too(block, asked)):
        raise click.BadParameter("counts with --serve only", param_hint="--disaggregated")
    names = _SERVING if serve else _TRAINING
    values |= {(side, name): asked[name] for name in names}
    values[side, "precision"] = precision
    if disaggregated:
        values["serving", "disaggregated"] = True
    made = with_values(block, values)
    if serve:
        made.setdefault("serving", {})
        made.pop("training", None)
    elif any(asked[name] is not None for name in _TRAINING) or "serving" not in made:
        made.setdefault("training", {})
        made.pop("serving", None)
    if isinstance(made.get("training"), dict):
        made["training"] = dict(made["training"])
    return made


def _serves_too(block: dict[str, Any] | None, asked: dict[str, Any]) -> bool:
    """Whether the block has serving, and no option selects training instead."""
    trains = any(asked[name] is not None for name in _TRAINING)
    return block is not None and "serving" in block and not trains


def _serves_only(block: dict[str, Any] | None, asked: dict[str, Any]) -> bool:
    """Whether the block has serving only."""
    return _serves_too(block, asked) and "training" not in (block or {})


def _refuse(asked: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    """Raise click.BadParameter for the first of these options that is given."""
    given = next((name for name in names if asked[name] is not None), None)
    if given is not None:
        raise click.BadParameter(why, param_hint=f"--{given.replace('_', '-')}")


def _say_factor(design: EvaluatedDesign, told: Workload, measured_s: float) -> int:
    """Print the factor by which compute is slower than predicted, for use in the block."""
    found = design.assessed(told)
    factor = compute_factor(design.plan, design.catalog, found, measured_s, design.asked)
    predicted = duration(found.step.step_s) if found.step is not None else "no time (does not fit)"
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
    if as_json:
        _write_json(assessment_data(found))
    else:
        write_talk(workload_report(found))
    return FINE if found.ok else FINDINGS


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
            design.plan, design.catalog, told, progress=count_done, variants=variants, only=only
        )
    found = replace(found, findings=marked(found.findings, design.design, date.today()))
    if as_json:
        _write_json(ranking_data(found, SHOWN_LAYOUTS))
    else:
        write_talk(ranking_report(found, SHOWN_LAYOUTS))
    if not found.fitting:
        say("no layout fits into memory; more GPUs, larger ones, or --recompute full may")
    return FINE if found.ok else FINDINGS


def _write_json(data: Any) -> None:
    write_data(json.dumps(data, indent=2) + "\n")
