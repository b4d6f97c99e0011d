"""Published runs on thin networks are predicted on the network that they had."""

from __future__ import annotations

from statistics import median

import pytest

from bench.workloads.__main__ import error_of, network_shares, runs
from bench.workloads.own_fabrics import own_fabric
from toposmith.workloads.block import workload_of

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


def test_software_to_2022_reduces_gradients_after_the_last_backward_pass() -> None:
    """Megatron-LM of DLPerf lost 27.6 and 29.6 % of a node's rate to a network of 100 Gb/s."""
    shares = [each for each in network_shares(THIN) if "Megatron-LM" in each[0]]
    assert len(shares) == 2
    for run, published, predicted in shares:
        assert predicted == pytest.approx(published, abs=0.02), run


@pytest.mark.parametrize(
    ("stack", "layout", "hidden"),
    [
        ("older", {}, False),
        ("nvidia", {}, True),
        ("older", {"zero": 3}, True),
        ("older", {"overlap": ["dp"]}, True),
    ],
)
def test_what_overlaps_follows_the_software_unless_it_is_said(
    stack: str, layout: dict[str, object], hidden: bool
) -> None:
    training = {"batch": 64, "sequence": 2048, "stack": stack}
    told = workload_of({"model": "llama3-8b", "layout": layout, "training": training})
    assert ("dp" in told.layout.overlap) == hidden
    assert ("overlap" in told.layout.model_fields_set) == ("overlap" in layout)
