"""Codes of findings about protocols and speeds."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import counted


def _speak(v: Values) -> str:
    one, other = " or ".join(v.texts("protocols_a")), " or ".join(v.texts("protocols_b"))
    return f"{v['a']} cannot be joined to {v['b']}: one speaks {one}, the other {other}"


def _speeds(v: Values) -> str:
    if "speed_gbit" in v:
        offered = " or ".join(v.texts("common_gbit")) or "none"
        return (
            f"{v['speed_gbit']} Gb/s does not run between {v['a']} and {v['b']}; "
            f"common speeds: {offered}"
        )
    return (
        f"{v['a']} and {v['b']} have no speed in common in this catalog; "
        "take a NIC or a switch of the other's speed"
    )


def _against(v: Values) -> str:
    if "switches" in v:
        return " and ".join(v.texts("switch_protocols"))
    if v["switch_protocol"] not in v.texts("nic_protocols"):
        return f"{' or '.join(v.texts('nic_protocols'))} against {v['switch_protocol']}"
    return f"{v['wanted_gbit']} Gb/s against {'/'.join(v.texts('switch_speeds_gbit'))}"


def _that_suits(v: Values) -> str:
    if "switches" in v:
        one, other = v.texts("switches")
        return f"take {one} at both ends, or {other}"
    if "both_run_gbit" in v:
        return f"set `speed: {v['both_run_gbit']}`, the fastest that both run"
    if "switch_protocol" not in v:
        raise KeyError("switch_protocol")
    fit = f"fit {v['nic_id']} ({v['nic_gbit']} Gb/s)" if "nic_id" in v else ""
    take = f"take {v['switch_id']} as the switch" if "switch_id" in v else ""
    return ", or ".join(filter(None, (fit, take))) or "take another switch"


def _slowed(v: Values) -> str:
    by = f"against the NICs of {v['node']}" if "node" in v else "on this switch"
    return f"{v['nic']} runs at {v['speed_gbit']} of its {v['nic_gbit']} Gb/s {by}"


def _full_speed(v: Values) -> str:
    meant = f"set `speed: {v['speed_gbit']}` if it is meant"
    return f"take {v['switch_id']} at {v['at']}, or {meant}" if "switch_id" in v else meant


PROTOCOLS: tuple[Code, ...] = (
    Code(
        "protocol-mismatch",
        "error",
        "InfiniBand to Ethernet",
        "the two ends share no protocol",
        "a NIC or a switch of the other's protocol",
        text=_speak,
        figure=_against,
        fix=_that_suits,
    ),
    Code(
        "speed-mismatch",
        "error",
        "no common speed",
        "the two ends share no speed, or not the one requested",
        "a NIC or a switch of the other's speed",
        text=_speeds,
        figure=_against,
        fix=_that_suits,
    ),
    Code(
        "nic-slowed",
        "warning",
        "NIC below its speed",
        "the other end runs slower ports than the NIC has",
        "a faster switch, or set `speed:` if it is meant",
        text=_slowed,
        figure="{speed_gbit} of {nic_gbit} Gb/s",
        fix=_full_speed,
        measure=Measure("speed_gbit", "Gb/s", "less"),
    ),
    Code(
        "speed-lowered",
        "warning",
        "link set below what both ends run",
        "speed: holds a link below the fastest common speed, and does not split cages to reach "
        "more switches",
        "leave speed: out",
        text="its cables run {speed_gbit} Gb/s where both ends run {fastest_gbit}",
        figure="{speed_gbit} of {fastest_gbit} Gb/s",
        fix="leave speed: out",
        measure=Measure("speed_gbit", "Gb/s", "less"),
    ),
    Code(
        "provider-nic",
        "warning",
        "NIC of a cloud provider in a drawn fabric",
        "what is behind the NIC belongs to the provider and cannot be cabled by others",
        "a node with NICs that have cages",
        text="{nic} has no cage: its provider's network cannot be cabled by others",
        figure="no cage",
        fix="fit NICs that have cages, or read the figures as a study",
    ),
)


PFC_SOURCE = "pause quanta of IEEE 802.3 annex 31B"
ECN_SOURCE = "Zhu et al., SIGCOMM 2015; Azure/SONiC wiki, Enable ECN on lossless queues"
"""*Congestion Control for Large-Scale RDMA Deployments* (doi 10.1145/2785956.2787484) brings DCQCN
and how to set the thresholds of buffers for it; that ECN marks before PFC pauses on the same link
is asked for in so many words by SONiC."""

POLARISED_SOURCE = "Xu et al., USENIX ATC 2022; Qian et al., Alibaba HPN, SIGCOMM 2024"
"""*Hashing Design in Modern Networks*: switch chips have few uncorrelated hash functions, so that
tiers reuse them. *Alibaba HPN* (doi 10.1145/3651890.3672265): the few large flows of training make
it worse."""


def _headroom(v: Values) -> str:
    return (
        f"one lossless priority needs at least {v['port_kB']:.0f} kB a port for "
        f"{v['length_m']:.0f} m at {v['speed_gbit']} Gb/s ({PFC_SOURCE}): {v['total_MB']:.2g} of "
        f"the {v['buffer_MB']:g} MB that all ports of {v['switch']} share"
    )


LOSSLESS: tuple[Code, ...] = (
    Code(
        "ecmp-polarised",
        "info",
        "two tiers that may hash alike",
        "switches of two tiers that hash by one function send what one tier chose together to the "
        "same links of the next",
        "a separate hash seed for each tier, or adaptive routing",
        text=(
            "hashes after {below} did: with the same hash and seed each of its switches uses "
            f"{{used}} of its {{uplinks}} uplinks ({POLARISED_SOURCE})"
        ),
        figure="{used} of {uplinks} uplinks",
        fix="give {group} another hash seed than {below}, or route adaptively",
    ),
    Code(
        "pfc-headroom",
        "info",
        "PFC headroom of the switch's buffer",
        "what arrives after a pause was sent has to find room in the buffer, or is lost",
        "shorter cables, fewer lossless ports, or a switch with more buffer",
        text=_headroom,
        figure="{percent:.0f}% of the buffer",
        measure=Measure("percent", "% of the buffer"),
    ),
    Code(
        "incast-needs-ecn",
        "info",
        "incast fills the buffer before PFC alone can help",
        "many senders into one port fill the switch's buffer; ECN has to slow them before",
        "ECN marking with DCQCN, its threshold below that of PFC",
        text=(
            "{senders:,} ports that send to one fill the {buffer_MB:g} MB of {switch} in "
            f"{{fills_us:.0f}} us: set ECN to mark before PFC pauses ({ECN_SOURCE})"
        ),
        figure="{fills_us:.0f} µs",
        measure=Measure("fills_us", "us", "less"),
    ),
)


def _no_nic(v: Values) -> str:
    if "slots" in v:
        return f"{v['group']}.{v['slots']} has no NIC fitted; fit one first"
    return f"{v['group']} has no NIC fitted; fit one into its slots first"


def _shared(v: Values) -> str:
    nics = counted(v.count("nics"), "NIC")
    gpus = v.with_noun("gpus", "GPU")
    return f"{gpus} share {nics}: {v['GBps_per_gpu']:.3g} GB/s of line rate per GPU"


def _more_nics(v: Values) -> str:
    slots = v["slots"]
    if "enough" in v:
        return (
            f"fit {v['enough']} of {slots} slots: {v['enough_GBps']:.3g} GB/s of line rate per GPU"
        )
    return f"take a node with {v.with_noun('gpus', 'slot')}; this one has {slots}"


def _even_nics(v: Values) -> str:
    if "more" in v:
        return f"fit {v['more']}"
    fewer = f"fit {v['fewer']}, " if "fewer" in v else ""
    return f"{fewer}or take a node with {v.with_noun('gpus', 'slot')}"


def _every_socket(v: Values) -> str:
    if "enough" in v:
        return (
            f"fit {v.with_noun('enough', 'NIC')}, the fewest that reach every socket and that GPUs "
            "divide over"
        )
    return "take a node with slots below every socket"


def _fewer_ports(v: Values) -> str:
    cable = "cable it" if v["free"] == 1 else "cable them"
    if v["on_board"]:
        return cable
    if v.count("nics_needed") < v.count("nics"):
        return f"{cable}, or fit {v.with_noun('nics_needed', 'NIC')}"
    if v.count("used") > v.count("nics"):
        return cable  # cards of one port would be too few
    single = "a single-port NIC" if v["nics"] == 1 else "single-port NICs"
    return f"{cable}, or fit {single}"


def _nic_for_slot(v: Values) -> str:
    nic = v["nic_that_fits"]
    return f"fit {nic}, which the slot can feed" if nic else "take a node with faster slots"


NICS: tuple[Code, ...] = (
    Code(
        "no-nic",
        "error",
        "slots without a NIC",
        "a link ends at slots in which no NIC is fitted",
        "fit NICs",
        text=_no_nic,
    ),
    Code(
        "slots-overfilled",
        "error",
        "more NICs than slots",
        "the node has fewer slots",
        "fit as many as there are slots",
        text="{nics} NICs for {slots} slots; fit at most {slots}",
        figure="{nics} of {slots} slots",
        fix="fit {slots}",
    ),
    Code(
        "fewer-nics-than-gpus",
        "warning",
        "fewer NICs than GPUs",
        "GPUs share NICs, and so their bandwidth",
        "fit one for each GPU where slots are free",
        text=_shared,
        figure="{nics_per_gpu:.3g} NICs per GPU",
        fix=_more_nics,
        measure=Measure("nics_per_gpu", "NICs per GPU", "less"),
    ),
    Code(
        "nics-uneven",
        "warning",
        "NICs that GPUs do not divide over",
        "some NICs serve more GPUs than others, and the fullest decides",
        "a count that divides",
        text="{gpus} GPUs do not divide over {nics} NICs: one serves {most_gpus} GPUs",
        figure="{gpus} over {nics}",
        fix=_even_nics,
    ),
    Code(
        "nic-far-socket",
        "warning",
        "NICs on the wrong socket",
        "GPUs below one socket have no NIC there, so that their traffic crosses the sockets' link",
        "NICs below every socket with GPUs",
        text="all {nics} NICs are below other sockets than {far_gpus} of its GPUs",
        figure="{far_gpus} of {gpus} GPUs",
        fix=_every_socket,
        measure=Measure("far_gpus", "GPUs"),
    ),
    Code(
        "nics-idle",
        "warning",
        "NIC ports fitted and not cabled",
        "ports are bought and carry nothing",
        "cable them, or fit fewer",
        text="{free} of {ports} ports of {nic} have no cable",
        figure="{free} of {ports} ports",
        fix=_fewer_ports,
        measure=Measure("free", "ports"),
    ),
    Code(
        "slot-slower-than-nic",
        "warning",
        "NIC faster than its PCIe slot",
        "the slot feeds less than the NIC's line rate",
        "the NIC that the slot can feed",
        text=(
            "{nic} needs {needs_GBps:.3g} GB/s, its PCIe {pcie_generation} x{pcie_lanes} slot "
            "carries {slot_GBps:.3g} GB/s"
        ),
        figure="needs {needs_GBps:.3g} GB/s",
        fix=_nic_for_slot,
        measure=Measure("percent_of_line_rate", "% of its line rate", "less"),
    ),
    Code(
        "nic-ports-share",
        "warning",
        "ports that share a limit",
        "the adapter takes less of all its cabled ports together than these carry",
        "one port cabled, or a NIC that carries both",
        text=(
            "the {ports} ports of {nic} carry {ports_GBps:.3g} GB/s, the adapter takes "
            "{adapter_GBps:.3g} of all together"
        ),
    ),
)


def _apart(v: Values) -> str:
    return (
        f"port {v['port']} of {v['end']} and of {v['other']} end at different "
        f"{' and '.join(v.texts('leaves'))} switches, and so do "
        f"{v.with_noun('wrong_ports', 'port')} in all: their rails meet at the spines only"
    )


def _in_order(v: Values) -> str:
    leaves = " and ".join(v.texts("leaves"))
    return f"deal the ports of both to {leaves} from port 0 on, in the same order"


def _elsewhere(v: Values) -> str:
    if "more" in v:
        return f"{v.count('more'):,} more single cables go elsewhere than links deal them"
    return f"{v['port']} goes to {v['goes_to']}, not to {v['dealt_to']} as its link deals it"


RAILS: tuple[Code, ...] = (
    Code(
        "rails-crossed",
        "warning",
        "rails crossed",
        "NICs of one number of two node groups end at different leaves",
        "cable the same ports of both groups, in the same order",
        text=_apart,
        figure="{wrong_ports} of {ports} ports",
        fix=_in_order,
        measure=Measure("wrong_ports", "ports"),
    ),
    Code(
        "rails-apart",
        "warning",
        "rails that meet only inside nodes",
        "no switch joins the rails: what goes from one to another rests on PXN, and what hangs on "
        "one of them, such as storage or management, reaches the NICs of that one only",
        "switches above that join all rails; `rails: apart` in the file where it is meant, since "
        "nothing but NCCL with PXN runs over them",
        text=(
            "no switch joins its rails: a NIC reaches {met} of the {nics} NICs of another node; "
            "what goes from one rail to another rests on PXN, through NVLink inside nodes, and "
            "storage or management on one rail is not reached from the others"
        ),
        figure="{met} of {nics} NICs reached",
        measure=Measure("missed", "NICs"),
    ),
    Code(
        "cable-crosses-rails",
        "warning",
        "single cable crosses rails",
        "a single cable leads to another leaf than its link deals its port to",
        "move the cable back and take its entry away",
        text=(
            "{port} goes to {goes_to}, not to {dealt_to} as its link deals it: its rail meets the "
            "others of its number above these only"
        ),
        fix="move the cable to {dealt_to}, and take the entry away",
    ),
    Code(
        "cable-elsewhere",
        "warning",
        "cable goes elsewhere",
        "a single cable leads to another device than its link deals its port to",
        "move the cable back and take its entry away, or waive it",
        text=_elsewhere,
    ),
    Code(
        "rails-uneven",
        "warning",
        "rails uneven",
        "nodes of one group have unlike numbers of cabled NICs",
        "cable the missing ports",
        text=(
            "{nodes:,} nodes have fewer cabled NICs than the others ({fewest} instead of "
            "{most}); a collective over all runs with the fewest"
        ),
        figure="{fewest} of {most} NICs",
        fix=lambda v: (
            f"cable the missing {counted(v.count('most') - v.count('fewest'), 'port')} of each, "
            "or leave them out of jobs"
        ),
        measure=Measure("missing", "NICs"),
    ),
)
