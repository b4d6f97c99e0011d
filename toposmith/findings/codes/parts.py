"""Codes of findings about parts."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Values
from toposmith.text import counted

_FACT_WORDS = {
    "power_w": "power",
    "rack_units": "rack units",
    "latency_ns": "latency",
    "part_number": "part number",
    "max_ports": "most ports",
    "cages.cage": "cage type",
    "cages.heat_sink": "heat sink of the plugs",
    "cages.modes": "port modes",
    "gpu": "GPU model",
    "gpus": "number of GPUs",
    "weight_kg": "weight",
    "end_of_sale": "end of sale",
    "end_of_life": "end of life",
    "sockets": "CPU sockets",
    "cpu_vendor": "CPU vendor",
    "inter_socket_GBps": "bandwidth between sockets",
    "nvlink": "NVLink topology",
    "nvlink.links_per_pair": "NVLinks per pair of GPUs",
    "nvlink.pairs": "pairs of GPUs with NVLink",
    "nvlink.switches": "number of NVSwitches",
    "nvlink.switch_trays": "number of NVSwitch trays",
    "gpu_pcie": "PCIe of the GPUs",
    "branches": "PCIe topology",
    "slots": "NIC slots",
    "sharp": "SHARP support",
    "adaptive_routing": "adaptive routing support",
    "power_supplies": "power supplies",
}
_SLOT_WORDS = {"nic": "NICs", "pcie": "PCIe", "cages": "cages", "count": "number"}


def fact_words(field: str) -> str:
    """The field of a part in words, such as the bandwidth between sockets."""
    if field in _FACT_WORDS:
        return _FACT_WORDS[field]
    whole, _, rest = field.partition(".")
    if whole == "slots":
        name, _, of = rest.partition(".")
        what = _SLOT_WORDS.get(of.partition(".")[0], "")
        return f"{what} of the {name} slots" if what else f"{name} slots"
    return _FACT_WORDS.get(whole, whole)


def _doubtful_words(v: Values) -> str:
    """The facts in words, each with its field in brackets where that is another word."""
    named = ((fact_words(field), field) for field in v.texts("fields"))
    return ", ".join(words if words == field else f"{words} ({field})" for words, field in named)


def _unknown_part(v: Values) -> str:
    """Of a group, of a node's GPUs, of slots, or of a group at the end of a link."""
    near = f"; did you mean {' or '.join(v.texts('near'))}?" if "near" in v else ""
    if "gpu" in v:
        return f"{v['node']} has GPUs {v['gpu']!r}, which the catalog has not"
    if "nic" in v:
        what = "is not a NIC" if v["in_catalog"] else "is not in the catalog"
        return f"{v['nic']!r} {what}{near}"
    if "part" in v:
        return f"the catalog has no part {v['part']!r}{near}"
    return f"{v['group']} has an unknown part, so its ports are unknown"


def _depends(v: Values) -> str:
    devices, links = int(v.number("devices")), int(v.number("links"))
    if "devices" not in v:
        raise KeyError("devices")
    depend = "depends" if devices == 1 and not links else "depend"
    return f"{counted(devices, 'device')} and {counted(links, 'link')} {depend} on it"


def _name_a_part(v: Values) -> str:
    if "devices" not in v:
        return "name a part of the catalog for the group at its end" if v["at_an_end"] else ""
    usual = "give its part file with --catalog"
    nearest = v.texts("nearest")
    return f"name {' or '.join(nearest)}, or {usual}" if nearest else usual


def _unknown_slots(v: Values) -> str:
    if "written" in v:
        return f"{v['group']} is a switch; write {v['group']!r}, not {v['written']!r}"
    known = ", ".join(v.texts("known")) or "none"
    if "part" in v:
        return f"{v['part']} has no {v['slots']!r} slots (it has: {known})"
    return f"{v['group']} has no slots {v['slots']!r} (it has: {known})"


def _left_out(v: Values) -> str:
    if "more" in v:
        return f"{v.with_noun('more', 'fault')} more; toposmith catalog list says them all"
    return f"{v['reason']}; left out"


def _lacking_words(v: Values) -> str:
    return ", ".join(map(fact_words, v.texts("lacks")))


def _lacking(v: Values) -> str:
    return f"{v['part']}: {_lacking_words(v)} not in this catalog; what rests on it is incomplete"


def _not_as_pinned(v: Values) -> str:
    by = f" by {v['by']}" if "by" in v else ""
    return f"not as pinned on {v['date']}{by}: {', '.join(v.texts('parts'))}"


def _rack_as_sold(v: Values) -> str:
    if "switch_trays" not in v:
        return ""
    return (
        "as many links of each GPU to every switch, no more than these have: "
        f"{v.with_noun('switch_trays', 'switch tray')} and {v.with_noun('trays', 'tray')} a rack, "
        "as sold; or let the switches repeat over the axes of the racks"
    )


def _no_nvlink_up(v: Values) -> str:
    at = f" at {v['at']}" if v["at"] else ""
    if v["alone"]:
        return f"no cable joins {v['switches']}{at} to those of another rack of its domain"
    return f"no switch of {v['switches']} is up{at}"


PARTS: tuple[Code, ...] = (
    Code(
        "unknown-part",
        "error",
        "part not in the catalog",
        "the catalog has no such part (any more), so that its ports and every figure that"
        " rests on it are unknown",
        "name a part of the catalog, or give its part file with --catalog",
        text=_unknown_part,
        figure=_depends,
        fix=_name_a_part,
    ),
    Code(
        "not-a-device",
        "error",
        "part is no device",
        "a group is of nodes, switches or storage; NICs go into slots, the bill chooses cables",
        "name a node, a switch or storage",
        text="{part} is a {kind}; a group is of nodes, switches or storage",
    ),
    Code(
        "not-a-node",
        "error",
        "NICs fitted into a switch",
        "a switch has no slots for NICs",
        "remove nics from the group",
        text="{part} is a switch; it has no slots for NICs",
    ),
    Code(
        "unknown-slots",
        "error",
        "slots that the part has not",
        "the part has no slots of that name",
        "name slots that the part has",
        text=_unknown_slots,
    ),
    Code(
        "part-file",
        "warning",
        "invalid part file",
        "a part was left out because its file has faults",
        "correct the file at the line given",
        text=_left_out,
    ),
    Code(
        "part-note",
        "info",
        "remark about part files",
        "such as a part that replaces another",
        "nothing, if it is meant",
        text="{reason}",
    ),
    Code(
        "unknown-fact",
        "info",
        "unknown catalog fact",
        "a figure rests on a fact of a part that is not in this catalog, so that it is "
        "incomplete or a bound",
        "ask the vendor, and put the fact into a part file of your own",
        text=_lacking,
        figure=_lacking_words,
        fix=lambda v: (
            f"put {', '.join(v.texts('lacks'))} of {v['part_id']} into a part file of your own, "
            "with its source"
        ),
    ),
    Code(
        "unverified-fact",
        "info",
        "unverified catalog fact",
        "a fact that a result rests on was found only in a place that may be wrong",
        "hold it against the vendor's data sheet",
        text=lambda v: (
            f"{v['part']}: {_doubtful_words(v)} unverified, or printed differently elsewhere"
        ),
        figure=lambda v: ", ".join(map(fact_words, v.texts("fields"))),
        fix="hold it against the data sheet (toposmith catalog show {part_id})",
    ),
    Code(
        "pinned-parts-changed",
        "warning",
        "parts not as they were pinned",
        "the catalog describes parts otherwise than on the day when the design was pinned, so"
        " that its figures may be others",
        "see what changed (review --status); pin again where it is right",
        text=_not_as_pinned,
        figure=lambda v: counted(len(v.texts("parts")), "part"),
        fix="review --status says which figures changed; review --pin pins them again",
    ),
    Code(
        "policy-file",
        "warning",
        "invalid policy file",
        "the user's policy cannot be read; the app applies the built-in one, and approves nothing",
        "correct the file at the line given",
        text="{reason}; the built-in policy is used",
    ),
    Code(
        "bad-nvlink-link",
        "error",
        "NVLinks that cannot be joined so",
        "a link to NVLink switches names other ports than NVLinks, or does not fit them",
        "as many links of each GPU to every switch, no more than these have; or let the switches "
        "repeat over the axes of the racks",
        text="{reason}",
        fix=_rack_as_sold,
    ),
    Code(
        "no-nvlink-up",
        "error",
        "no NVLink between the trays of a rack, or between racks",
        "all NVLink switches of a rack, or all cables between those of two racks, are down or "
        "absent",
        "bring one of them up, or draw the trays without a link to them",
        text=_no_nvlink_up,
    ),
    Code(
        "bad-view",
        "warning",
        "position on the canvas that cannot be read",
        "view: moves an unknown group, or not by a whole number of columns",
        "correct it, or remove it: the layout places the group",
        text="{reason}",
    ),
)
