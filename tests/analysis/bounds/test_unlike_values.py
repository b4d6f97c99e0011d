"""Of the values of an axis whose devices are not wired alike, the thinnest bounds an exchange."""

from __future__ import annotations

import pytest

from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.bisection import all_to_all_bound
from toposmith.analysis.bounds.near_cuts import cuts_near
from toposmith.analysis.bounds.single_cuts import single_cuts
from toposmith.analysis.jobs.communicator import WORLD, Groups
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_network import row_network
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

THIN_PODS = """\
toposmith: 1
axes: {pod: 3, rack: 4}
groups:
  node: {part: hgx-h100-4, per: [pod, rack], nics: {compute: {part: connectx-7-ndr, count: 4}}}
  leaf: {part: qm9700, per: [pod, rack]}
  middle: {part: qm9700, per: [pod]}
  top: {part: qm9700}
links:
  - {between: [node, leaf]}
  - {between: [leaf, middle], cables: 4}
  - {between: [middle, top], cables: 16}
down: ["14 of middle[pod=%d] - top", "2 of leaf[pod=0,rack=2] - middle"]
"""


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("pod", range(3))
def test_a_thin_pod_bounds_all_to_all_however_devices_are_looked_at(
    pod: int, one_by_one: bool
) -> None:
    plan = plan_design(parse_design(THIN_PODS % pod, "thin"), CATALOG)
    flows = FlowNetworks(ComputeNetwork(plan, one_by_one=one_by_one), CATALOG)
    found = all_to_all_bound(flows, Groups(WORLD, 48, 1, 0, 1, 12))
    # 16 of 48 GPUs send 16 x 32 / 48 of S/T by two cables of 50 GB/s
    assert found is not None and float(found.rate) == pytest.approx(100 * 48 / (16 * 32))
    assert {cut.link: cut.cables for cut in found.cut} == {"middle - top": 2}


def test_a_cut_near_the_nodes_of_a_value_is_no_narrower_than_the_narrowest() -> None:
    network = ComputeNetwork(
        plan_design(parse_design(THIN_PODS % 1, "thin"), CATALOG), one_by_one=True
    )
    cuts = single_cuts(network)
    near = cuts_near(network, "pod")
    # of pod 0 a leaf lacks two of its four cables of 50 GB/s
    assert near == {0: (16, 700_000), 1: (16, 100_000), 2: (16, 800_000)}
    for axis in ("pod", "rack"):
        for value, (gpus, leaving) in cuts_near(network, axis).items():
            at = row_network(network).rows.values[axis][row_network(network).kinds.nodes]
            held, narrowest, _ = cuts.severed(at == value)
            assert (gpus, leaving) >= (held, narrowest * 1000)
