"""Beside a prediction stand published results of its own kind of node, or that there are none."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import Questions
from toposmith.analysis.prediction.published import band_class
from toposmith.analysis.request import Request
from toposmith.catalog import Gpu, Node, load_catalog
from toposmith.design.document import Design, Group
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog(user=False)


def by_nvidia(node: Node) -> bool:
    """Whether NCCL runs on its GPUs, so that published results of NCCL count."""
    gpu = CATALOG[node.gpu]
    return isinstance(gpu, Gpu) and gpu.vendor == "NVIDIA"


NODES = [
    node
    for node in CATALOG
    if isinstance(node, Node)
    and node.gpus > 1
    and by_nvidia(node)
    and (node.nvlink is None or (node.nvlink.domain_gpus or 0) <= node.gpus)
]


def kind_of(node: Node) -> str:
    """What a person calls the inside of a node, by its part."""
    if node.nvlink is None:
        return "inside a node without NVLink"
    if node.nvlink.shape == "nvswitch":
        return "inside an NVSwitch node"
    return "inside a node with NVLink but no NVSwitch"


@pytest.mark.parametrize("node", NODES, ids=[node.id for node in NODES])
def test_results_of_its_own_kind_stand_beside_a_node(node: Node) -> None:
    design = Design(groups={"node": Group(part=node.id)})
    asked = Questions(plan_design(design, CATALOG), CATALOG)
    for size in (2**14, 2**24, 2**30):
        request = Request("all_reduce", size)
        predictor = asked.of(request).predictor
        assert predictor is not None
        assert band_class(predictor.cluster)[0] == kind_of(node)
        found = asked.analysis(request)
        said = found.no_band if found.band is None else found.band.where
        other = {"inside a node without NVLink", "inside an NVSwitch node"} - {kind_of(node)}
        assert not any(kind in said for kind in other), said


@pytest.mark.parametrize("part", ["hgx-a100-4", "hgx-h100-4", "gh200-quad"])
def test_of_meshes_of_four_no_published_result_is_claimed(part: str) -> None:
    design = Design(groups={"node": Group(part=part)})
    found = Questions(plan_design(design, CATALOG), CATALOG).analysis(Request("all_reduce", 2**24))
    assert found.band is None
    assert found.no_band == (
        "too few published results: none (inside a node with NVLink but no NVSwitch)"
    )
