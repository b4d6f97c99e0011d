"""Model FLOPs utilisation (MFU) of published training runs beside what is predicted.

    python -m bench.workloads                  # the two sets below, and medians by stack
    python -m bench.workloads FILE [FILE ...]  # runs of training in files of the same keys

One set of constants for all rows. A run on a thin fabric is drawn on its own (`own_fabrics`); else
nodes are DGX A100, H100 and B200 on a rail-optimised fabric without oversubscription, as large as
each run needs; what a source does not say is assumed, and noted beside the run. The one calibrated
constant was chosen by ``published.yaml``; by ``held_out.yaml`` nothing was.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bench.workloads.own_fabrics import catalog, own_fabric
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.errors import ToposmithError
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import split_of
from toposmith.workloads.memory import CONTEXT_BYTES, training_memory
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import split_problems
from toposmith.workloads.training import TrainingStep, training_step

SETS = ("published", "held_out")
FIGURES = ("hfu", "mfu_with_scores", "tokens_per_s_gpu", "peak_memory_gib")
LEAST = " (at least)"
FABRIC = """\
toposmith: 1
axes: {{rail: {rails}}}
groups:
  node: {{part: {node}, count: {nodes}{nics}}}
  leaf: {{part: {leaf}, per: [rail]}}
links:
  - {{between: [node.compute, leaf]}}
"""
RACKS = """\
toposmith: 1
axes: {{rack: {racks}, rail: 4}}
groups:
  tray: {{part: {node}, per: [rack], count: {trays}}}
  leaf: {{part: {leaf}, per: [rail]}}
links:
  - {{between: [tray.compute, leaf]}}
"""
RACK_GPUS = (72, 64)
"""GPUs that runs take of each NVL72 rack: all, or 64 of them."""

OPEN_SLOTS = {
    "hgx-h800-8": ", nics: {compute: {part: connectx-7-ndr, count: 8}}",
    "mi325x-8": ", nics: {compute: {part: broadcom-p1400gd, count: 8}}",
}
"""NICs of servers that are sold without."""
PARTS = {
    "a100": ("dgx-a100", "qm8790"),
    "h100": ("dgx-h100", "qm9700"),
    "b200": ("dgx-b200", "qm9700"),
    "h800": ("hgx-h800-8", "qm9700"),
    "h200": ("dgx-h200", "qm9700"),
    "b300": ("dgx-b300", "q3400-ra"),
    "mi325x": ("mi325x-8", "as9817-64d"),
    "gb200": ("gb200-nvl72-tray", "qm9700"),
    "gb300": ("gb300-nvl72-tray", "q3400-ra"),
}
"""What stands for a GPU where the source does not say more."""

STACKS = {
    "older": ("bigscience", "Narayanan", "Korthikanti", "DLPerf", "Decentralized_FM"),
    "NVIDIA's": ("NVIDIA", "NeMo", "Megatron", "megatron", "Shoeybi", "Korthikanti", "Narayanan"),
    "FSDP": (
        "torchtitan",
        "llm-foundry",
        "fms-fsdp",
        "KempnerForge",
        "torchtune",
        "FSDP",
        "MosaicML",
        "mosaicml",
    ),
}
"""Words of a row's stack or source that tell its software."""

SOFTWARE = {"FSDP": "fsdp", "older": "older"}
"""Stacks that the program counts in another way than Megatron-LM of today."""

STATES: dict[int, dict[str, int]] = {16: {}, 8: {"gradient_bytes": 2, "optimiser_bytes": 4}}
"""By the bytes of a parameter with its gradient and optimiser: all that is not as usual."""


@cache
def parts() -> Catalog:
    """The catalog."""
    return load_catalog()


def fabric(gpu: str, gpus: int) -> Plan:
    """Nodes of so many GPUs, each rail on a switch that is never short of ports.

    Trays stand in racks whose GPUs NVLink joins.
    """
    node, leaf = PARTS[gpu]
    each = 4 if "tray" in node else 8
    nics = OPEN_SLOTS.get(node, "")
    taken = next((of for of in RACK_GPUS if gpus > of and gpus % of == 0), None)
    if "tray" in node and taken is not None:
        racks, trays = gpus // taken, taken // 4
        text = RACKS.format(node=node, leaf=leaf, racks=racks, trays=trays)
        return plan_design(parse_design(text, gpu), parts())
    text = FABRIC.format(node=node, leaf=leaf, nodes=max(1, gpus // each), nics=nics, rails=each)
    return plan_design(parse_design(text, gpu), parts())


def predicted(row: dict[str, Any]) -> tuple[float, TrainingStep]:
    """The published figure as predicted."""
    training = {"stack": software(row), **row["training"]}
    workload = workload_of({"model": row["model"], "layout": row["layout"], "training": training})
    assert workload.training is not None
    drawn = own_fabric(row)
    plan = fabric(row["gpu"], row["gpus"]) if drawn is None else drawn
    split = split_of(workload.layout, row["gpus"])
    if problems := split_problems(plan, workload, split):
        raise WorkloadError(problems)
    known = parts() if drawn is None else catalog()
    gpu, times = accelerator(plan, known), CollectiveTimes(plan, known)
    step = training_step(workload.model, split, workload.training, gpu, times)
    figures = {
        "hfu": step.mfu_with_scores * 4 / 3,
        "mfu_with_scores": step.mfu_with_scores,
        "tokens_per_s_gpu": step.tokens_per_s / split.gpus,
    }
    return figures[row["figure"]], step


def memory_gib(row: dict[str, Any]) -> float:
    """The peak memory of a run as predicted; what is kept free counts where all of the GPU does."""
    states = STATES.get(row.get("state_bytes", 16))
    if states is None:
        raise WorkloadError([f"training: {row['state_bytes']} bytes a parameter, not 16 or 8"])
    planned = "OneFlow" in row["stack"]  # its optimiser takes gradients as they are
    stack = "nvidia" if planned else software(row)
    training = {"stack": stack, **states, **row["training"]}
    workload = workload_of({"model": row["model"], "layout": row["layout"], "training": training})
    assert workload.training is not None
    split = split_of(workload.layout, row["gpus"])
    if split.expert_ranks % split.ep or not split.dp:
        raise WorkloadError(["layout: does not divide its GPUs"])
    use = training_memory(workload.model, split, workload.training)
    measured = {
        "allocated": use.tensors,
        "active": use.tensors,
        "reserved": use.taken - CONTEXT_BYTES,
        "device": use.total if planned else use.taken,  # memory is planned, not taken as needed
    }
    return measured[row["measure"]] / 2**30


def runs(name: str) -> list[dict[str, Any]]:
    """The rows of a set."""
    return _read(Path(__file__).parent / f"{name}.yaml")


def _read(file: Path) -> list[dict[str, Any]]:
    return list(yaml.load(file.read_text("utf-8"), yaml.CSafeLoader))


def error_of(row: dict[str, Any]) -> float:
    """Predicted over published, less one."""
    return predicted(row)[0] / float(row["value"]) - 1


def stack_of(row: dict[str, Any]) -> str:
    """The software of a run: older, NVIDIA's, plain FSDP, or other."""
    words = f"{row.get('stack', '')} {row['source']}"
    found = (name for name, known in STACKS.items() if any(word in words for word in known))
    return next(found, "other")


def software(row: dict[str, Any]) -> str:
    """The stack as a workload block names it."""
    return SOFTWARE.get(stack_of(row), "nvidia")


def _show(name: str, rows: list[dict[str, Any]], stacks: dict[str, list[float]]) -> None:
    """Print a set, and its medians by source."""
    errors: dict[str, list[float]] = defaultdict(list)
    read, refused = [], 0
    print(f"{name:48} {'GPU':5} {'figure':17} {'published':>9} {'predicted':>9} {'error':>7}")
    for row in rows:
        note = ""
        try:
            if row["figure"] == "peak_memory_gib":
                value = memory_gib(row)
            else:
                value, step = predicted(row)
                note = "" if step.fits else " (does not fit)"
                note += LEAST if step.times_label.kind == "at most" else ""
        except (ToposmithError, KeyError) as why:
            refused += 1
            words = f"no node of {why}" if isinstance(why, KeyError) else str(why).splitlines()[0]
            print(f"{row['run']:48} {row['gpu']:5} refused: {words}")
            continue
        error = value / row["value"] - 1
        if LEAST not in note:  # what is known from one side only has no error
            errors[row["source"].split(",")[0].split(";")[0]].append(error)
            stacks[stack_of(row)].append(error)
            if row["verified"]:
                read.append(error)
        digits = 0 if row["value"] > 1 else 3
        print(
            f"{row['run']:48} {row['gpu']:5} {row['figure']:17} {row['value']:9.{digits}f} "
            f"{value:9.{digits}f} {error:+7.1%}  {'' if row['verified'] else 'unverified'}"
            f"{note}"
        )
    print()
    for source, some in errors.items():
        _medians(source, some)
    _medians(f"{name}: all", [error for each in errors.values() for error in each])
    _medians(f"{name}: verified", read)
    if refused:
        print(f"{name}: {refused} of {len(rows)} refused")
    _show_network_shares(name, rows)
    print()


def network_shares(rows: list[dict[str, Any]]) -> list[tuple[str, float, float]]:
    """Of runs on several nodes the share lost against one node: published, and predicted.

    Rows of one series differ in nodes alone, so that what is lost is the network's.
    """
    found = []
    ones = {row["series"]: row for row in rows if "series" in row and _nodes(row) == 1}
    for row in rows:
        one = ones.get(row.get("series", ""))
        if one is None or row is one or own_fabric(row) is None:
            continue
        published = 1 - row["value"] / one["value"]
        found.append((row["run"], published, 1 - predicted(row)[0] / predicted(one)[0]))
    return found


def _nodes(row: dict[str, Any]) -> int:
    return int(row.get("fabric", {}).get("nodes", 0))


def _show_network_shares(name: str, rows: list[dict[str, Any]]) -> None:
    """Print the network's share of a step, apart from the step itself."""
    shares = network_shares(rows)
    for run, published, predicted_share in shares:
        print(
            f"network's share: {run:56} published {published:6.1%} predicted {predicted_share:6.1%}"
        )
    if shares:
        apart = statistics.median(abs(one - other) for _, one, other in shares)
        print(f"{name}: network's share off by {apart:.1%} of the step at the median")


def _medians(what: str, errors: list[float]) -> None:
    """One line of medians."""
    if not errors:
        return
    middle, lean = statistics.median(map(abs, errors)), statistics.median(errors)
    print(f"{what:42} {len(errors):2} runs, median |error| {middle:.1%}, median error {lean:+.1%}")


def main(files: list[str]) -> None:
    """Print the tables: of the two sets, or of the files named."""
    stacks: dict[str, list[float]] = defaultdict(list)
    sets = {name: runs(name) for name in SETS}
    if files:
        sets = {Path(f).stem: _read(Path(f)) for f in files}
    for name, rows in sets.items():
        _show(name, [row for row in rows if row.get("figure") in FIGURES], stacks)
    for stack, errors in sorted(stacks.items()):
        _medians(f"stack: {stack}", errors)


if __name__ == "__main__":
    main(sys.argv[1:])
