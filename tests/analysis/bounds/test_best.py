"""What no schedule can beat, worked out by hand."""

import pytest

from tests.small_designs import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

MIXED = """\
toposmith: 1
groups:
  one: {part: node1, nics: {compute: {part: nic-1x100, count: 1}}}
  four: {part: node4, nics: {compute: {part: nic-1x100, count: 1}}}
  leaf: {part: switch}
links:
  - {between: [one.compute, leaf]}
  - {between: [four.compute, leaf]}
"""


@pytest.mark.parametrize(
    ("collective", "busbw"),
    [
        # of five shares, four go from the single GPU to the others and four come back: at
        # 12.5 GB/s its share of T seconds is S 4/5, so busbw = 12.5
        ("all_to_all", 12.5),
        # the node of one needs four of five shards through its port
        ("all_gather", 12.5),
        ("broadcast", 12.5),
    ],
)
def test_a_node_of_one_gpu_beside_a_node_of_four_is_bound_by_its_port(
    collective: Collective, busbw: float
) -> None:
    plan = plan_design(parse_design(MIXED, "test"), CATALOG)
    assert analyse(plan, CATALOG, Request(collective)).bound_busbw_GBps == pytest.approx(busbw)


@pytest.mark.parametrize("nodes", [2, 4])
def test_gpus_of_a_group_exchange_what_nodes_take_in_for_it(nodes: int) -> None:
    # eight groups of a GPU in each of n nodes share eight ports of 50 GB/s: into n nodes 2 (n - 1)
    # buffers have to come, 2 (n - 1) / n into each, so that busbw is what enters for a group
    text = (
        f'toposmith: 1\ncommunicator: {{layout: "tp=8,dp={nodes}", group: dp}}\ngroups:\n'
        f"  node: {{part: dgx-h100, count: {nodes}}}\n"
        "  leaf: {part: qm9700}\n"
        "links:\n  - {between: [node.compute, leaf]}\n"
    )
    catalog = load_catalog(user=False)
    plan = plan_design(parse_design(text, "test"), catalog)
    found = analyse(plan, catalog, Request(job=job_and_findings(plan.design)[0]))
    assert found.bound_busbw_GBps == pytest.approx(50)
    assert found.bound_label.kind == "bound"
