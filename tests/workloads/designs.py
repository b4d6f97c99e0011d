"""Designs and layouts that tests of workloads ask about."""

from __future__ import annotations

from functools import cache

from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import LayoutBlock, TrainingBlock, workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.model import Model
from toposmith.workloads.runnable import on_first_nodes
from toposmith.workloads.training import TrainingStep, training_step

POD = "dgx-h100-superpod-4su"
RACK = "a100-rack-1x100gbe"


@cache
def parts() -> Catalog:
    return load_catalog()


@cache
def saved(name: str) -> Plan:
    found = find_saved(name)
    assert found is not None
    return plan_design(load_file(found.path).design, parts())


def rails(nodes: int, nics: int = 8, node: str = "dgx-a100") -> Plan:
    """Nodes on one switch."""
    text = (
        "toposmith: 1\ngroups:\n"
        f"  node: {{part: {node}, count: {nodes}, "
        f"nics: {{compute: {{part: connectx-6-hdr, count: {nics}}}}}}}\n"
        "  leaf: {part: qm8700}\nlinks: [{between: [node.compute, leaf]}]\n"
    )
    return plan_design(parse_design(text, "rails"), parts())


def step(
    plan: Plan, model: Model, layout: LayoutBlock, dp: int, training: TrainingBlock
) -> TrainingStep:
    split = ParallelSizes(layout, dp)
    part = on_first_nodes(plan, max(1, split.gpus // 8))
    gpu = accelerator(plan, parts())
    return training_step(model, split, training, gpu, CollectiveTimes(part, parts()))


def assessed(name: str, **block: object) -> Assessment:
    return assess(saved(name), parts(), workload_of(block))
