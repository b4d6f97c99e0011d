"""The designs that are walked: saved ones, one of each template, and odd ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.labels.commands import run
from toposmith.saved_designs import saved_designs

ODD = Path(__file__).parent / "odd"

TEMPLATES: dict[str, tuple[str, ...]] = {
    "empty": (),
    "single-switch": (),
    "leaf-spine": ("su=2", "nodes=4", "empty_slots=1"),
    "three-tier": ("su=4", "su_per_pod=2", "nodes=4"),
    "rail-only": ("su=2", "nodes=4"),
    "dual-plane": ("su=2", "nodes=4"),
    "top-of-rack": ("racks=4", "nodes=2"),
    "nvlink-racks": ("racks=2", "nodes=4"),
    "torus": ("x=3", "y=3"),
    "dragonfly": ("groups=5", "routers=4"),
}
"""Settings that keep them small; what is left out is as the template has it."""
SLOW = {"dragonfly-74x32-slingshot", "torus-4x4x4-h100"}
"""Saved designs that take seconds for each page; their templates are walked."""

WALKED = (
    *("gb200-nvl72-8-racks-ndr", "gb200-nvl36x2-pair", "template empty"),
    *("absent-nodes", "all-waived", "amd-cluster", "card-with-a-shared-limit"),
    *("communicator-of-groups", "efa-nodes", "lengths-not-sold", "nodes-down", "nothing-wired"),
    *("one-gpu-alone", "one-gpu-per-node", "one-nic-down", "one-node-in-fp8", "one-spine"),
    *("pcie-only-rails", "rack-of-trays", "several-networks", "tcp-sockets", "trays-side-by-side"),
    *("unknown-part", "unknown-power", "unknown-power-and-height"),
    *("waived-findings", "workload-that-fits"),
)
"""Over these the tests walk; ``python -m tests.labels`` walks over all.

Labels were taken away from the pages of all, or turned into others: whatever was found on any page
of one of them is found on that page of one of these, and each rule can be broken over one.
"""


def odd_designs() -> dict[str, Path]:
    return {path.stem: path for path in sorted(ODD.glob("*.yaml"))}


def all_names() -> list[str]:
    """Every design that is walked, templates by their names."""
    saved = [design.name for design in saved_designs() if design.name not in SLOW]
    return [*saved, *(f"template {name}" for name in TEMPLATES), *odd_designs()]


def written(name: str, folder: Path) -> Path:
    """A design as a file of its own in a folder."""
    path = folder / f"{name.replace(' ', '-')}.yaml"
    if name.startswith("template "):
        template = name.removeprefix("template ")
        settings = [word for each in TEMPLATES[template] for word in ("--set", each)]
        made = run("new", template, *settings, "-o", str(path))
        assert made.code == 0, made.err
        return path
    saved = {design.name: design.path for design in saved_designs()}
    source = saved[name] if name in saved else odd_designs()[name]
    path.write_bytes(source.read_bytes())
    return path


def twin_of(path: Path) -> Path:
    """The same design before its faults; of one without faults, with its first links exchanged."""
    twin = path.with_name("twin.yaml")
    twin.write_text("".join(_without_faults_or_turned(path)), encoding="utf-8")
    return twin


def _without_faults_or_turned(path: Path) -> Iterator[str]:
    design = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    faults = [design.pop(key, None) for key in ("absent", "down")]
    if not any(faults):
        first, second, *others = [*(design.get("links") or ()), None, None]
        design["links"] = [link for link in (second, first, *others) if link]
    yield yaml.safe_dump(design, sort_keys=False, allow_unicode=True)
