"""Model FLOPs utilisation (MFU) of published training runs beside what is predicted.

    python -m bench.workloads

One set of constants for all rows. Nodes are DGX A100, H100 and B200 on a rail-optimised fabric
without oversubscription, as large as each run needs; what a source does not say is assumed, and
noted beside the run. The one calibrated constant was chosen by ``published.yaml``; by
``held_out.yaml`` nothing was.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from toposmith.catalog import Catalog, load_catalog
from toposmith.topology.design.reading import parse_design
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.fabric.planning import plan_design
from toposmith.topology.workloads.accelerator import accelerator
from toposmith.topology.workloads.block import workload_of
from toposmith.topology.workloads.collective_times import CollectiveTimes
from toposmith.topology.workloads.splitting import split_of
from toposmith.topology.workloads.training import Step, training_step

SETS = ("published", "held_out")
FABRIC = """\
toposmith: 1
axes: {{rail: 8}}
groups:
  node: {{part: {node}, count: {nodes}{nics}}}
  leaf: {{part: {leaf}, per: [rail]}}
links:
  - {{between: [node.compute, leaf]}}
"""
OPEN_SLOTS = ", nics: {compute: {part: connectx-7-ndr, count: 8}}"
PARTS = {
    "a100": ("dgx-a100", "qm8790"),
    "h100": ("dgx-h100", "qm9700"),
    "b200": ("dgx-b200", "qm9700"),
    "h800": ("hgx-h800-8", "qm9700"),
}


@cache
def parts() -> Catalog:
    """The catalog."""
    return load_catalog()


def fabric(gpu: str, gpus: int) -> Plan:
    """Nodes of so many GPUs, each rail on a switch that is never short of ports."""
    node, leaf = PARTS[gpu]
    nics = OPEN_SLOTS if node.startswith("hgx") else ""
    text = FABRIC.format(node=node, leaf=leaf, nodes=gpus // 8, nics=nics)
    return plan_design(parse_design(text, gpu), parts())


def predicted(row: dict[str, Any]) -> tuple[float, Step]:
    """The published figure as predicted."""
    workload = workload_of({key: row[key] for key in ("model", "layout", "training")})
    assert workload.training is not None
    plan = fabric(row["gpu"], row["gpus"])
    split = split_of(workload.layout, row["gpus"])
    gpu, times = accelerator(plan, parts()), CollectiveTimes(plan, parts())
    step = training_step(workload.model, split, workload.training, gpu, times)
    figures = {
        "hfu": step.mfu_with_scores * 4 / 3,
        "mfu_with_scores": step.mfu_with_scores,
        "tokens_per_s_gpu": step.tokens_per_s / split.gpus,
    }
    return figures[row["figure"]], step


def runs(name: str) -> list[dict[str, Any]]:
    """The rows of a set."""
    text = (Path(__file__).parent / f"{name}.yaml").read_text("utf-8")
    rows: list[dict[str, Any]] = yaml.safe_load(text)
    return rows


def error_of(row: dict[str, Any]) -> float:
    """Predicted over published, less one."""
    return predicted(row)[0] / float(row["value"]) - 1


def _show(name: str) -> None:
    """Print a set, and its medians by source."""
    rows = runs(name)
    errors: dict[str, list[float]] = defaultdict(list)
    print(f"{name:48} {'GPU':5} {'figure':17} {'published':>9} {'predicted':>9} {'error':>7}")
    for row in rows:
        value, step = predicted(row)
        error = value / row["value"] - 1
        errors[row["source"].split(",")[0].split(";")[0]].append(error)
        digits = 0 if row["value"] > 1 else 3
        print(
            f"{row['run']:48} {row['gpu']:5} {row['figure']:17} {row['value']:9.{digits}f} "
            f"{value:9.{digits}f} {error:+7.1%}  {'' if row['verified'] else 'unverified'}"
            f"{'' if step.fits else ' (does not fit)'}"
        )
    print()
    for source, some in errors.items():
        _medians(source, some)
    found = [error for each in errors.values() for error in each]
    _medians(f"{name}: all", found)
    read = [e for e, row in zip(found, rows, strict=True) if row["verified"]]
    _medians(f"{name}: verified", read)
    print()


def _medians(what: str, errors: list[float]) -> None:
    """One line of medians."""
    middle, lean = statistics.median(map(abs, errors)), statistics.median(errors)
    print(f"{what:42} {len(errors):2} runs, median |error| {middle:.1%}, median error {lean:+.1%}")


def main() -> None:
    """Print the tables."""
    for name in SETS:
        _show(name)


if __name__ == "__main__":
    main()
