"""Codes of findings about ports."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import counted


def _overused(v: Values) -> str:
    takers = ", ".join(
        f"{link} {cables:,}"
        for link, cables in zip(v.texts("links"), v.counts("cables"), strict=True)
    )
    if "cages" not in v:
        return (
            f"{v.with_noun('ports', 'port')}, links ask for {v['ports_asked']:,} ({takers}); "
            "give the links fewer cables, or fit more NICs"
        )
    return (
        f"each {v['part']} has {v.with_noun('cages', 'cage')} ({v.with_noun('ports', 'port')} of "
        f"{v['speed_gbit']} Gb/s), links ask for {v.with_noun('cages_asked', 'cage')} "
        f"for their connections ({takers}); give the links fewer cables, or take more switches or "
        "larger ones"
    )


def _used_of(v: Values) -> str:
    if "cages" not in v:
        return f"{v['ports_asked']:,} of {v['ports']:,} ports"
    return f"{v['cages_asked']:,} of {v['cages']:,} cages"


def _enough_ports(v: Values) -> str:
    if "cages" not in v:
        if v.number("nics") <= v.number("slots"):
            return f"fit {v.with_noun('nics', 'NIC')}, of {v['slots']} slots"
        return f"give its links at most {v.with_noun('most_cables', 'cable')}, what all slots have"
    if "most_cables" in v:
        most = v.with_noun("most_cables", "cable")
    else:
        words = " and ".join(f"{each} to a cage" for each in v.texts("cables_of_a_cage"))
        most = f"what {v.with_noun('cages', 'cage')} hold, of cables that are {words}"
    fewer = f"give its links at most {most}"
    if "larger" in v:
        return f"take {v['larger']} ({v.with_noun('larger_cages', 'cage')}), or {fewer}"
    spread = f"spread the cables of each over {v.with_noun('switches', 'switch')}"
    return f"{spread}, or {fewer}; no other switch in this catalog has them"


def _cables_selected(v: Values) -> str:
    before = v.count("before")
    taken = f", {before:,} of which entries before it take" if before else ""
    return (
        f"{v['selector']!r}: a link has at most {v.with_noun('there', 'cable')} between two of "
        f"these{taken}; all are taken"
    )


def _divisors(ports: int) -> list[int]:
    return [n for n in range(1, ports + 1) if ports % n == 0]


def _uneven(v: Values) -> str:
    ports, peers = v.count("ports"), v.count("peers")
    return (
        f"{ports} ports of {v['end']} cannot be dealt evenly over {peers} peers; "
        f"{' or '.join(map(str, _divisors(ports)))} peers work, or set `cables: {ports // peers}`"
    )


def _too_few(v: Values) -> str:
    ports, peers = counted(int(v.number("ports")), "port"), counted(int(v.number("peers")), "peer")
    return f"{v['end']} has {ports} for {peers}; fit more NICs or let it reach at most {v['ports']}"


def _other_peers(v: Values) -> str:
    reach = f"let {v['written_end']} reach {' or '.join(v.texts('reach'))} peers"
    if "in_slots" in v:
        ports, slots = v.with_noun("all_peers", "port"), v.with_noun("in_slots", "slot")
        reach += f", or fit NICs with {ports} in its {slots}"
    return reach


def _same_ends(v: Values) -> str:
    numbers = " and ".join(f"links[{index}]" for index in v.texts("links"))
    return f"{numbers} join the same ends; each pair gets {v.with_noun('cables', 'cable')} in all"


PORTS: tuple[Code, ...] = (
    Code(
        "ports-overused",
        "error",
        "more cables than ports",
        "links ask for more cages than each device has",
        "fewer cables, or a larger switch",
        text=_overused,
        figure=_used_of,
        fix=_enough_ports,
        measure=Measure("too_many", "too many"),
    ),
    Code(
        "single-cables-overused",
        "error",
        "more single cables than ports",
        "with its single cables a switch has more cables than cages",
        "take single cables away, or name the ports that they are to replace",
        text=(
            "the cables of {device}, single ones among them, ask for {cages_asked:,} cages, it has "
            "{cages:,}"
        ),
        figure="{cages_asked:,} of {cages:,} cages",
        measure=Measure("too_many", "too many"),
    ),
    Code(
        "cages-short",
        "error",
        "plugs take too many cages",
        "a cage holds one plug: a splitter's also where a leg is not used, as where a rack holds "
        "an odd number of devices, and ports of different plugs share none; a switch lacks cages "
        "for all",
        "an even number of devices per rack, equal lengths, or a larger switch",
        text=(
            "plugs of cables take {cages_asked} cages of a {part}, it has {cages}: different plugs "
            "share none, and legs of splitters that nothing uses are counted; ports beyond them "
            "have the mark ! in the schedule"
        ),
        figure="{cages_asked} of {cages} cages",
    ),
    Code(
        "bad-cable",
        "error",
        "single cable that cannot be",
        "an entry of cables: names what is not there, or what does not meet",
        "correct the entry",
        text="{reason}",
    ),
    Code(
        "breakout-limit",
        "error",
        "more logical ports than the chip runs",
        "cages suffice, but the switch cannot run so many ports in breakout",
        "fewer or faster ports",
        text=(
            "each {part} would run {ports_asked} logical ports; its chip runs {most_ports} in "
            "breakout"
        ),
        figure="{ports_asked} of {most_ports} ports",
        fix="give its links at most {most_ports} cables, or fewer and faster ones",
        measure=Measure("too_many", "too many"),
    ),
    Code(
        "links-repeated",
        "warning",
        "two links between the same ends",
        "a link is listed twice; the ports are used twice, which is rarely meant",
        "one link with cables: of both, or remove one",
        text=_same_ends,
        figure=lambda v: f"{counted(len(v.texts('links')), 'link')}",
        fix="one link with cables: {cables} if it is meant, else remove one",
        measure=Measure("count", "links"),
    ),
    Code(
        "too-few-ports",
        "error",
        "fewer ports than peers",
        "not every peer gets a cable",
        "fit more NICs, or reach fewer peers",
        text=_too_few,
        figure="{all_ports} ports over {all_peers} peers",
        fix=_other_peers,
    ),
    Code(
        "uneven-ports",
        "error",
        "axes that do not divide",
        "a node's ports cannot be dealt evenly over the switches that it reaches",
        "a number of peers that divides the ports",
        text=_uneven,
        figure="{all_ports} ports over {all_peers} peers",
        fix=_other_peers,
    ),
    Code(
        "which-slots",
        "error",
        "ports not named",
        "the node has several kinds of ports",
        "say which",
        text=lambda v: f"say which ports of {v['group']}: {' or '.join(v.texts('ends'))}",
    ),
    Code(
        "nodes-meshed",
        "error",
        "nodes cabled to each other",
        "nodes are cabled to each other only in pairs",
        "put a switch between",
        text="nodes are cabled to each other only in pairs; put a switch between",
    ),
    Code(
        "relation-at-node",
        "error",
        "a relation along an axis at a node",
        "a link of nodes says next, other or dealt along an axis",
        "join the switches so, and the nodes to these",
        text=lambda v: (
            f"along {v['axis']}: {v['word']} joins switches; {v['end']} has ports of nodes, "
            "cable them to switches and these to each other"
        ),
    ),
    Code(
        "relation-without-axis",
        "error",
        "a relation along no axis",
        "a link is along an axis that one end does not repeat over, or joins a group to itself "
        "along none",
        "name an axis that both ends have, or delete the link",
        text=lambda v: (
            f"along {v['axis']}: {' and '.join(dict.fromkeys(v.texts('ends')))} do not both repeat "
            "over it; name an axis that they do"
            if "axis" in v
            else f"{v.texts('ends')[0]} is joined to itself along no axis; say which, and how"
        ),
    ),
    Code(
        "dealt-too-many",
        "error",
        "more cables dealt than members to take them",
        "two sets of switches are joined by more cables than a set has switches to deal them over",
        "write fewer cables, or deal them over more switches",
        text=lambda v: (
            f"{v.with_noun('cables', 'cable')} between two sets are dealt over "
            f"{v.with_noun('members', 'switch')} of each; write cables: {v['members']} at most"
        ),
    ),
    Code(
        "no-cables-along",
        "info",
        "a relation that joins nothing",
        "a link says next, other or dealt along an axis that has one value",
        "give the axis more values, or delete the link",
        text=lambda v: (
            f"no cables: {v['axis']} has one value, and {v['word']} joins different ones"
        ),
    ),
    Code(
        "cabled-twice",
        "info",
        "devices joined by two links",
        "two links along an axis join some of the same devices: all others and neighbours, say",
        "delete one of the two, if the cables of one were meant",
        text="{link} joins some of the same devices, which have the cables of both",
    ),
    Code(
        "bad-selector",
        "error",
        "absent: or down: names nothing",
        "a selector cannot be read, or selects what the design has not",
        "correct the selector",
        text="{reason}",
    ),
    Code(
        "too-many-cables",
        "warning",
        "more cables selected than there are",
        "an entry of absent, down, slow or sets counts more cables than join two of its devices",
        "write as many as there are",
        text=_cables_selected,
        figure="{asked:,} of {there:,} cables",
        fix="write as many as there are",
    ),
    Code(
        "group-absent",
        "warning",
        "group wholly absent",
        "every device of a group is marked absent",
        "remove the group, or the mark",
        text="every device of {group} is marked absent",
        figure="0 of {devices:,}",
        fix="remove the group, or the mark",
    ),
    Code(
        "axis-unused",
        "warning",
        "axis that nothing repeats over",
        "an axis is declared, but no group names it in per:",
        "name it in per:, or remove it",
        text="no group repeats over {axis}, so that it makes nothing",
        figure="size {size:,}",
        fix="name {axis} in per:, or remove it",
    ),
    Code(
        "idle-ports",
        "info",
        "switches with idle ports",
        "half of the switches of a group, or fewer, would have the cages for all that is cabled",
        "let a switch serve more devices, or take smaller ones",
        text=(
            "{cages_used:,} of {cages:,} cages are cabled on each of {devices:,}; {enough:,} would "
            "have the cages for all of it"
        ),
        figure="{cages_used:,} of {cages:,} cages",
        fix=lambda v: (
            f"let each serve more devices, so that {v.count('devices') - v.count('enough'):,} can "
            "go, where these may share a switch; or take smaller switches"
        ),
    ),
    Code(
        "unwired",
        "warning",
        "switch without cables",
        "a switch is bought, but not wired to anything",
        "wire it, or remove it",
        text="{group} is not wired to anything",
    ),
)
