"""NICs that take less of all their ports together than the ports' line rates."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Cages, Catalog, Nic, PortMode, Switch, load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings

NICS = [part for part in load_catalog() if isinstance(part, Nic)]
SHARED = [nic for nic in NICS if nic.shared_gbit]
EACH = pytest.mark.parametrize("nic", SHARED, ids=[nic.id for nic in SHARED])


def switch_for(nic: Nic) -> Switch:
    return Switch(
        id="ideal",
        name="ideal",
        vendor="test",
        source="made for the tests",
        protocol="ethernet",
        cages=Cages(
            count=64,
            cage=nic.cage,
            lanes=nic.lanes,
            modes=(PortMode(ports=1, speed_gbit=nic.speed_gbit),),
        ),
    )


def rails(nic: Nic, cables: int) -> tuple[Plan, Catalog]:
    """Four nodes of eight GPUs with one such NIC, so many of its ports on a leaf each."""
    catalog = Catalog([*load_catalog(), switch_for(nic)])
    node = Group(part="hgx-a100-8", count=4, nics={"compute": FittedNics(part=nic.id, count=1)})
    design = Design(
        axes={"rail": cables},
        groups={"node": node, "leaf": Group(part="ideal", per=("rail",))},
        links=(Link(between=("node.compute", "leaf"), cables=1),),
    )
    plan = plan_design(design, catalog)
    assert not [one for one in port_findings(plan) if one.severity == "error"]
    return plan, catalog


def test_some_adapters_of_the_catalog_share_a_limit() -> None:
    known = {nic.id: nic.shared_gbit for nic in SHARED}
    # servethehome.com's review of the E810-CQDA2; lenovopress.com/lp1195 of ConnectX-6
    assert known == {
        "intel-e810-cqda2": 100,
        "connectx-6-200gbe-2p": 200,
        "connectx-6-hdr-2p": 200,
    }


def test_no_limit_of_ports_is_told_in_a_note_alone() -> None:
    # what the slot gives is in the field of the slot
    told = [nic for nic in NICS if nic.note and "of both together" in nic.note]
    assert [nic.id for nic in told if not nic.shared_gbit] == []


@EACH
@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "reduce_scatter"])
def test_two_cabled_ports_give_no_more_than_the_adapter_takes(
    nic: Nic, collective: Collective
) -> None:
    plan, catalog = rails(nic, 2)
    found = analyse(plan, catalog, Request(collective, 2**40))
    line = (nic.shared_gbit or 0) / 8
    assert found.busbw_GBps == pytest.approx(0.96 * line, rel=0.01)
    # n b (N - 1) / (N - G) of 32 GPUs in nodes of 8
    assert found.bound_busbw_GBps == pytest.approx(line * 31 / 24)
    assert {cut.link for cut in found.bound_cut} == {"node NIC"}


@EACH
def test_all_to_all_shares_what_the_adapter_takes_over_the_gpus(nic: Nic) -> None:
    plan, catalog = rails(nic, 2)
    found = analyse(plan, catalog, Request("all_to_all", 2**40))
    line = (nic.shared_gbit or 0) / 8
    # 8 GPUs send 24 of 32 shares out of the node
    assert found.algbw_GBps == pytest.approx(0.96 * line / (8 * 24 / 32), rel=1e-3)
    assert found.bound_busbw_GBps == pytest.approx(line * 32 / (8 * 24) * 31 / 32)
    # two nodes against two
    assert found.bisection_GBps == pytest.approx(2 * line)


@EACH
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_no_port_carries_more_than_its_share_of_the_adapter(
    nic: Nic, collective: Collective
) -> None:
    plan, catalog = rails(nic, 2)
    found = analyse(plan, catalog, Request(collective, 2**40))
    loads = {load.link: load for load in found.limits}
    ports = loads["node.compute - leaf"]
    assert 2 * ports.load_GBps <= (nic.shared_gbit or 0) / 8
    assert loads["node NIC"].utilization == pytest.approx(
        2 * ports.load_GBps / (0.12 * nic.shared_gbit)
    )  # type: ignore[operator]


@EACH
def test_one_cabled_port_gives_all_of_its_line_rate(nic: Nic) -> None:
    plan, catalog = rails(nic, 1)
    assert ComputeNetwork(plan).ring_nics == 1
    found = analyse(plan, catalog, Request(message_bytes=2**40))
    assert found.busbw_GBps == pytest.approx(0.96 * nic.speed_gbit / 8, rel=0.01)
