"""Codes of findings about NICs."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import counted


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
        "some NICs serve more GPUs than others, and the most loaded decides",
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
