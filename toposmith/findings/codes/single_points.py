"""Codes of findings about single points of failure."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import counted, joined


def _cut_off(v: Values) -> str:
    """How many GPUs are lost; where nodes are apart already, of those that the switch joins."""
    if "partitions" not in v:
        return f"{v['lost_gpus']:,} of {v['gpus']:,} GPUs are cut off"
    return (
        f"{v['lost_gpus']:,} of the GPUs that meet over it are cut off; all {v['gpus']:,} are in "
        f"{v['partitions']:,} partitions already"
    )


def _one_spine(v: Values) -> str:
    below = counted(v.count("below"), f"{v['group']} switch")
    text = f"one {v['above']} joins {below}: if it fails, "
    if v["lost_gpus"]:
        return text + _cut_off(v)
    return f"{text}nothing above joins them, but nodes meet by other ports"


def _second_switch(v: Values) -> str:
    works = [n for n in (2, 4, 8) if v.count("cables") % n == 0]
    if works:
        many = joined(map(str, works), "or")
        return f"deal its {v.with_noun('cables', 'port')} over {many} switches"
    return "fit a second NIC, and cable it to a second switch"


def _not_drawn(v: Values) -> str:
    why = {
        "management": "nothing reaches the consoles of nodes and switches while the fabric is down",
        "storage": "where jobs read and write is open",
    }
    names = v.texts("networks")
    return f"no {joined(names, 'or')} network is drawn: {'; '.join(why[name] for name in names)}"


def _supplies(v: Values) -> str:
    return (
        f"{v['part']} needs all of its {counted(v.count('supplies'), 'power supply')}: "
        "one or its feed fails, it is off"
    )


SINGLE_POINTS: tuple[Code, ...] = (
    Code(
        "single-leaf",
        "warning",
        "nodes on one switch",
        "all ports of a node end at one switch: if it fails, they are cut off",
        "a second switch",
        text=lambda v: f"all ports of a node end at one {v['leaf']}: if it fails, {_cut_off(v)}",
        figure="{lost_gpus:,} GPUs",
        fix=_second_switch,
        measure=Measure("lost_gpus", "GPUs"),
    ),
    Code(
        "single-nic",
        "warning",
        "nodes on one cable",
        "a node has one cabled port: if it fails, its GPUs are cut off",
        "a second NIC",
        text="each node has one cable: if it fails, {gpus} GPUs are cut off",
        figure="1 cable a node",
        fix=lambda v: f"fit 2 of {v['slots']} slots" if "slots" in v else "a second port",
        measure=Measure("gpus", "GPUs"),
    ),
    Code(
        "single-spine",
        "warning",
        "leaves joined by one switch",
        "one switch joins all below it: if it fails, nodes that meet nowhere else are cut off",
        "a second spine",
        text=_one_spine,
        figure="{lost_gpus:,} GPUs",
        fix=lambda v: (
            f"2 of {v['above']} with {counted((v.count('cables') + 1) // 2, 'cable')} to each"
        ),
        measure=Measure("lost_gpus", "GPUs"),
    ),
    Code(
        "no-spare-supply",
        "warning",
        "no spare power supply",
        "if one power supply or feed fails, the device is off",
        "a device with a spare supply",
        text=_supplies,
        figure="0 of {supplies} spare",
        fix="take a device with a spare supply, or feed both sides from one UPS",
    ),
    Code(
        "network-single-switch",
        "warning",
        "nodes on one switch of another network",
        "a network other than the compute network, such as that to storage, has one switch: if it "
        "fails, jobs that need it stop",
        "a second switch, and two ports of each node on two switches",
        text=(
            "one {switch} fails: {lost_nodes:,} of {nodes:,} nodes lose the {network}, and jobs "
            "that need it stop"
        ),
        figure="{lost_nodes:,} nodes",
        measure=Measure("lost_nodes", "nodes"),
    ),
    Code(
        "network-unreached",
        "warning",
        "devices of another network that no node reaches",
        "no cable leads from any node with GPUs to the network of a device, such as storage",
        "wire a port of the nodes to its switches",
        text="no node with GPUs reaches the {network}",
        figure="0 nodes",
        fix="wire a port of the nodes, such as node.storage, to its switches",
    ),
    Code(
        "compute-switches-shared",
        "warning",
        "compute switches carry other traffic",
        "a network other than the compute network, such as that to storage or management, runs "
        "over switches of the compute network: its bursts fill the buffers and cables that "
        "collectives wait for, and no figure has that",
        "switches of its own for the other network",
        text=lambda v: (
            f"{joined(v.texts('switches'))} also {'carries' if v['count'] == 1 else 'carry'} the "
            f"{v['network']}: its bursts delay collectives, which no figure here has"
        ),
        figure="{count} of {of} groups of compute switches",
        fix="give the other network switches of its own, and slots of the nodes that reach them",
        measure=Measure("count", "groups of switches"),
    ),
    Code(
        "network-not-drawn",
        "info",
        "no management or storage network",
        "no link is of management or of storage: what reaches the BMCs and consoles while the "
        "fabric is down, or what jobs read, is neither drawn nor on the bill",
        "draw it, or say in the review who provides it",
        text=_not_drawn,
        fix=lambda v: "links to " + joined(v.texts("ends"), "and to"),
    ),
    Code(
        "network-not-looked-at",
        "info",
        "network without figures",
        "a network other than the compute network, such as that to storage, has no figure: its "
        "bandwidth, before and after failures, is not computed",
        "calculate by hand what its users need; failures list the nodes that lose it, and what "
        "all nodes read of storage",
        text=(
            "not looked at: bandwidth of the {network}, before and after failures; failures say "
            "which nodes lose it, and what all nodes read of storage"
        ),
    ),
)
