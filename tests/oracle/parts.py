"""The catalog's YAML files, as plain mappings."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "toposmith" / "catalog" / "parts"

Part = dict[str, Any]


@cache
def parts() -> dict[str, Part]:
    """Every part by its id."""
    files = sorted(FOLDER.rglob("*.yaml"))
    return {
        part["id"]: part for file in files for part in yaml.load(file.read_text(), yaml.CSafeLoader)
    }


def part(name: str) -> Part:
    return parts()[name]


def of_kind(kind: str) -> list[Part]:
    return [one for one in parts().values() if one["kind"] == kind]


def nic_speeds(nic: Part) -> set[int]:
    """Speeds of a NIC's port: its own, and half of it on half its lanes."""
    speed = nic["speed_gbit"]
    return {speed, speed // 2} if nic["lanes"] % 2 == 0 and speed % 2 == 0 else {speed}


def switch_speeds(switch: Part) -> set[int]:
    return {mode["speed_gbit"] for mode in switch["cages"]["modes"]}


def ports_a_cage(switch: Part, speed_gbit: int, nic: Part | None = None) -> int:
    """Ports of this speed that a cage has; a NIC that takes more lanes leaves room for fewer."""
    ports = next(
        mode["ports"] for mode in switch["cages"]["modes"] if mode["speed_gbit"] == speed_gbit
    )
    if nic is None:
        return int(ports)
    lanes = max(1, nic["lanes"] * speed_gbit // nic["speed_gbit"])
    return max(1, min(int(ports), switch["cages"]["lanes"] // lanes))


def protocols(one: Part) -> set[str]:
    """What a NIC or a switch speaks."""
    return {one["protocol"]} if one["kind"] == "switch" else set(one["protocols"])
