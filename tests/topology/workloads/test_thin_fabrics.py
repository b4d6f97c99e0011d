"""Published runs on thin networks are predicted on the network that they had."""

from __future__ import annotations

from statistics import median

import pytest

from bench.workloads.__main__ import error_of, network_shares, runs
from bench.workloads.own_fabrics import own_fabric

THIN = [row for row in runs("thin_fabrics") if own_fabric(row) is not None]


def test_six_runs_and_more_are_drawn_on_their_own_fabric() -> None:
    assert len({row["source"] for row in THIN}) >= 4
    assert len(THIN) >= 70


@pytest.mark.parametrize("network", sorted({str(row["fabric"]) for row in THIN}))
def test_a_node_has_the_bandwidth_that_its_source_states(network: str) -> None:
    row = next(row for row in THIN if str(row["fabric"]) == network)
    plan = own_fabric(row)
    assert plan is not None
    (node,) = (group for group in plan.groups.values() if group.node is not None)
    assert (
        node.port_groups["compute"].ports * plan.links[0].speed_gbit == row["fabric"]["node_gbps"]
    )


def test_half_of_the_runs_on_thin_networks_are_predicted_within_fifteen_percent() -> None:
    several = [row for row in THIN if row["fabric"]["nodes"] > 1]
    assert median(abs(error_of(row)) for row in several) < 0.15


def test_the_share_of_the_network_is_more_than_nothing() -> None:
    for run, published, predicted in network_shares(THIN):
        assert published > 0, run
        assert predicted > 0, run
