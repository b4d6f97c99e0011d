"""The fabric that a published run had, drawn from what its source says of it.

A row's `fabric` names nodes and their NICs. Where the source does not say which NIC it was, the
Gb/s of a node are NICs of 100 Gb/s. Switches have a port for every NIC: no source states
oversubscription.
Omni-Path, which the program does not model, is drawn as InfiniBand of the same speed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from toposmith.catalog import Cages, Catalog, Nic, Node, PortMode, Switch, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

OPEN_NODES = {"a100": "hgx-a100-8", "h100": "hgx-h100-8", "v100-16gb": "nd40rs-v2"}
"""Nodes of eight GPUs; those of A100 and H100 take any NICs, that of V100 has one of EDR."""

NIC = "connectx-6-hdr100"
CLOUD_NODE, CLOUD_NIC = "p3-16xlarge", "ena-25g"

FABRIC = """\
toposmith: 1
groups:
  node: {{part: {node}, count: {nodes}{nics}}}
  leaf: {{part: bench-switch-{protocol}}}
links:
  - {{between: [node.compute, leaf]}}
"""


@cache
def catalog() -> Catalog:
    """The catalog, a node with one adapter of 25 Gb/s over TCP, and switches never full."""
    known = load_catalog()
    node = next(part for part in known.of_kind("node") if part.id == "p3dn-24xlarge")
    nic = next(part for part in known.of_kind("nic") if part.id == "azure-eth-100g")
    assert isinstance(node, Node)
    assert isinstance(nic, Nic)
    slots = {"compute": node.slots["compute"].model_copy(update={"nic": CLOUD_NIC})}
    made = [
        nic.model_copy(update={"id": CLOUD_NIC, "speed_gbit": 25}),
        node.model_copy(update={"id": CLOUD_NODE, "gpu": "v100-sxm2-16gb", "slots": slots}),
    ]
    edr = next(part for part in known.of_kind("nic") if part.id == "connectx-5-edr")
    hdr100 = next(part for part in known.of_kind("nic") if part.id == NIC)
    switches = []
    for name, like in (("tcp", made[0]), ("edr", edr), ("hdr100", hdr100)):
        assert isinstance(like, Nic)
        mode = PortMode(ports=1, speed_gbit=like.speed_gbit)
        cages = Cages(count=1024, cage=like.cage, lanes=like.lanes, modes=(mode,))
        switches.append(
            Switch(
                id=f"bench-switch-{name}",
                name="switch",
                vendor="bench",
                source="made for the comparison",
                protocol=like.protocols[0],
                cages=cages,
            )
        )
    return Catalog([*known, *made, *switches])


@cache
def _drawn(gpu: str, nodes: int, node_gbps: int, tcp: bool) -> Plan:
    if tcp:
        text = FABRIC.format(node=CLOUD_NODE, nodes=nodes, nics="", protocol="tcp")
    elif gpu == "v100-16gb":
        text = FABRIC.format(node=OPEN_NODES[gpu], nodes=nodes, nics="", protocol="edr")
    else:
        nics = f", nics: {{compute: {{part: {NIC}, count: {node_gbps // 100}}}}}"
        text = FABRIC.format(node=OPEN_NODES[gpu], nodes=nodes, nics=nics, protocol="hdr100")
    return plan_design(parse_design(text, gpu), catalog())


def own_fabric(row: dict[str, Any]) -> Plan | None:
    """The fabric of a row as it was; None where it is not of nodes with eight GPUs."""
    told = row.get("fabric")
    if told is None or told["gpus_per_node"] != 8 or row["gpu"] not in OPEN_NODES:
        return None
    tcp = "TCP" in told["network"]
    if told["node_gbps"] % 100 and not (tcp and told["node_gbps"] == 25):
        return None
    if told["node_gbps"] > 800:
        return None
    return _drawn(row["gpu"], told["nodes"], told["node_gbps"], tcp)
