"""Model FLOPs utilisation (MFU) of published training runs beside what is predicted.

    python -m bench.workloads

One set of constants for all rows. Nodes are DGX A100 and DGX H100 on a rail-optimised fabric
without oversubscription, as large as each run needs; what a source does not say is assumed, and
noted in ``published.yaml``.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from catalog import Catalog, load_catalog
from topology.design.reading import parse_design
from topology.fabric.plan import Plan
from topology.fabric.planning import plan_design
from topology.workloads.accelerator import accelerator
from topology.workloads.block import workload_of
from topology.workloads.collective_times import CollectiveTimes
from topology.workloads.splitting import split_of
from topology.workloads.training import Step, training_step

PUBLISHED = Path(__file__).parent / "published.yaml"
FABRIC = """\
toposmith: 1
axes: {{rail: 8}}
groups:
  node: {{part: {node}, count: {nodes}}}
  leaf: {{part: {leaf}, per: [rail]}}
links:
  - {{between: [node.compute, leaf]}}
"""
PARTS = {"a100": ("dgx-a100", "qm8790"), "h100": ("dgx-h100", "qm9700")}


@cache
def parts() -> Catalog:
    """The catalog."""
    return load_catalog()


def fabric(gpu: str, gpus: int) -> Plan:
    """Nodes of so many GPUs, each rail on a switch that is never short of ports."""
    node, leaf = PARTS[gpu]
    text = FABRIC.format(node=node, leaf=leaf, nodes=gpus // 8)
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


def main() -> None:
    """Print the table."""
    rows = yaml.safe_load(PUBLISHED.read_text("utf-8"))
    errors: dict[str, list[float]] = defaultdict(list)
    print(f"{'run':42} {'GPU':5} {'figure':17} {'published':>9} {'predicted':>9} {'error':>7}")
    for row in rows:
        value, step = predicted(row)
        error = value / row["value"] - 1
        errors[row["source"].split(",")[0].split(";")[0]].append(error)
        digits = 0 if row["value"] > 1 else 3
        print(
            f"{row['run']:42} {row['gpu']:5} {row['figure']:17} {row['value']:9.{digits}f} "
            f"{value:9.{digits}f} {error:+7.1%}  {'' if row['verified'] else 'unverified'}"
            f"{'' if step.fits else ' (does not fit)'}"
        )
    print()
    for source, found in errors.items():
        middle = statistics.median(map(abs, found))
        print(
            f"{source:42} {len(found):2} runs, median |error| {middle:.1%}, "
            f"median error {statistics.median(found):+.1%}"
        )
    found = [error for each in errors.values() for error in each]
    read = [abs(e) for e, row in zip(found, rows, strict=True) if row["verified"]]
    print(
        f"{'all':42} {len(found):2} runs, median |error| {statistics.median(map(abs, found)):.1%}, "
        f"median error {statistics.median(found):+.1%}"
    )
    print(f"{'verified':42} {len(read):2} runs, median |error| {statistics.median(read):.1%}")


if __name__ == "__main__":
    main()
