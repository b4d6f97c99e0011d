"""What is proposed fits the GPUs, whatever these are; where nothing fits nothing is proposed."""

from __future__ import annotations

import pytest

from tests.every_design import CATALOG, EVERY
from toposmith.catalog import Node
from toposmith.design.document import Design, Group
from toposmith.errors import ToposmithError
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.answers import (
    WorkloadKind,
    fits,
    proposed_layout,
    proposed_model,
    proposed_precision,
)
from toposmith.workloads.assess import assess_block
from toposmith.workloads.model import preset, preset_names

NO_CHANNELS = ("mi250x-8",)
"""NCCL finds no channels between its GPUs, so that no training runs on one at all."""


def _inside(node: Node) -> str:
    """What a job on a node alone rests on: its GPUs and what joins them."""
    branches = [(one.socket, one.switch, one.gpus) for one in node.branches]
    return repr((node.gpu, node.gpus, node.nvlink, node.gpu_pcie, node.gpu_links, branches))


NODES = {
    _inside(part): part.id
    for part in CATALOG
    if isinstance(part, Node) and part.id not in NO_CHANNELS
}.values()
RUNS: dict[WorkloadKind, dict[str, int]] = {
    "training": {"batch": 1024, "sequence": 4096},
    "serving": {},
}


def of_one_node(part: str) -> Plan:
    return plan_design(Design(groups={"node": Group(part=part)}), CATALOG)


def holds(plan: Plan, model: str, layout: dict[str, int], kind: WorkloadKind) -> bool:
    """The same by the whole assessment, whose findings say what does not fit."""
    try:
        run = {**RUNS[kind], "precision": proposed_precision(plan, CATALOG)}
        block = {"model": model, "layout": layout, kind: run}
        found = assess_block(plan, CATALOG, block)
    except ToposmithError:
        return False
    return not any(one.code == "does-not-fit" for one in found.findings)


@pytest.mark.parametrize("kind", ["training", "serving"])
@pytest.mark.parametrize("part", NODES)
def test_a_proposed_model_runs_on_a_node_and_no_larger_one_does(
    part: str, kind: WorkloadKind
) -> None:
    plan = of_one_node(part)
    name = proposed_model(plan, CATALOG, kind)
    if name is None:
        for each in preset_names():
            assert not holds(plan, each, {"tp": 8}, kind)
        return
    layout = proposed_layout(plan, CATALOG, name, kind)
    assert layout is not None and holds(plan, name, layout, kind)
    larger = [n for n in preset_names() if preset(n).parameters > preset(name).parameters]
    for each in larger:
        assert not holds(plan, each, {"tp": layout["tp"]}, kind)


@pytest.mark.parametrize("name", ["dgx-h100-superpod-1su", "leaf-spine", "unlike nodes"])
def test_a_layout_is_proposed_for_every_model_that_some_layout_fits(name: str) -> None:
    plan = plan_design(EVERY[name], CATALOG)
    for model in preset_names():
        layout = proposed_layout(plan, CATALOG, model, "training")
        if layout is not None:
            assert fits(plan, CATALOG, model, layout, "training")
            assert holds(plan, model, layout, "training")


def test_without_gpus_nothing_is_proposed() -> None:
    plan = plan_design(Design(), CATALOG)
    assert proposed_model(plan, CATALOG, "training") is None
    assert proposed_layout(plan, CATALOG, "llama3-8b", "serving") is None
