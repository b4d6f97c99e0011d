"""Codes of findings about protocols and speeds."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values


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
