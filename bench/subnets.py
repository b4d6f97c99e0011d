"""OpenSM's fat-tree routing on every InfiniBand fabric of up to 256 switches: up, every cable seen.

    python -m bench.subnets [WORD...]

Saved designs and templates, written as ``ibsim`` and run in that simulator: OpenSM brings every
subnet up with ``-R ftree``, and what ibnetdiscover then returns is compared with the plan. Rails
and planes that share no switch are subnets of their own, each with an OpenSM. A lone switch is no
tree: OpenSM says so and routes it otherwise. With words only fabrics that have one in their name.
Exit code 1 where one fails. Debian: ibsim-utils, opensm, infiniband-diags.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import toposmith
from toposmith.as_built.cabling_comparison import compare
from toposmith.as_built.device_matches import match
from toposmith.as_built.planned import planned_cabling
from toposmith.as_built.reading.file_formats import read_bytes
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS
from toposmith.saved_designs import find_saved

PRELOAD = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
MOST_SWITCHES = 256
_SAVED = ("dgx-a100-su", "dgx-h100-superpod-1su", "dgx-h100-superpod-4su", "dgx-b200-superpod-64su",
          "b200-131072gpu-fabric-per-rail")  # fmt: skip
_PATIENCE_S = 300
_ROOM = ("-N", "8192", "-S", "512", "-P", "65536")
"""Nodes, switches and ports for which ibsim takes memory; it ends where a fabric has more."""
_SETTINGS: dict[str, tuple[dict[str, str | int], ...]] = {
    "leaf-spine": ({}, {"oversubscription": 2}, {"su": 8}, {"su": 2, "node": "dgx-a100",
                   "leaf": "qm8700", "nodes": 20}),
    "three-tier": ({}, {"su": 4, "su_per_pod": 2}, {"su": 6, "su_per_pod": 3}, {"su": 8},
                   {"su": 8, "su_per_pod": 4}, {"su": 12, "su_per_pod": 4}),
}  # fmt: skip
"""Settings of templates where the defaults alone are too many switches, or too few fabrics."""


class BroughtUp(NamedTuple):
    """What OpenSM and ibnetdiscover made of a fabric."""

    is_up: bool
    is_fat_tree: bool
    subnets: int
    planned: int
    agree: int
    same: bool

    @property
    def whole(self) -> bool:
        """Whether the subnet is up by fat-tree routing and every cable was returned as planned."""
        return self.is_up and self.is_fat_tree and self.same and self.agree == self.planned


def bring_up(design: EvaluatedDesign, folder: Path) -> BroughtUp:
    """Run a design's InfiniBand cables in ibsim under OpenSM; raises where a program fails."""
    net = b"".join(FORMS["ibsim"].make(design, None, None).pieces).decode()
    logs, told = simulated(net, folder)
    found = compare(*match(planned_cabling(design, "plan"), read_bytes("dump", told)))
    is_up, is_fat_tree = (
        all(words in log for log in logs) for words in ("SUBNET UP", "ftree tables configured")
    )
    return BroughtUp(is_up, is_fat_tree, len(logs), found.planned, found.agree, found.same)


def simulated(text: str, folder: Path) -> tuple[list[str], bytes]:
    """OpenSM's logs of each subnet of a net file, and what ibnetdiscover tells of all of them."""
    net = folder / "fabric.net"
    net.write_text(text)
    hosts = _one_host_of_each_subnet(text)
    logs, told = [], b""
    own = {**os.environ, "IBSIM_SOCKNAME": f"ts{os.getpid()}"}  # simulators at once do not meet
    with subprocess.Popen(
        ["ibsim", "-s", "-n", *_ROOM, str(net)],
        cwd=folder,
        env=own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as simulator:
        try:
            time.sleep(1)
            if simulator.poll() is not None:
                raise subprocess.SubprocessError("ibsim ended; is the fabric too large for it?")
            for host in hosts:
                held = {**own, "LD_PRELOAD": str(PRELOAD), "SIM_HOST": host}
                log = folder / f"osm-{len(logs)}.log"
                _run(["opensm", "-o", "-R", "ftree", "-f", log.name], folder, held)
                told += _run(["ibnetdiscover"], folder, held)
                logs.append(log.read_text(errors="replace"))
        finally:
            simulator.terminate()
    return logs, told


def _one_host_of_each_subnet(net: str) -> list[str]:
    """The first adapter of each part of a net file that no cable joins to another part."""
    joined: dict[str, set[str]] = {}
    adapters: list[str] = []
    here = ""
    for line in net.splitlines():
        if line.startswith(("Switch", "Hca")):
            here = line.split('"')[1]
            joined.setdefault(here, set())
            if line.startswith("Hca"):
                adapters.append(here)
        elif line.startswith("["):
            joined[here].add(line.split('"')[1])
    seen: set[str] = set()
    first = []
    for adapter in adapters:
        if adapter in seen or not joined[adapter]:
            continue
        first.append(adapter)
        reached = [adapter]
        while reached:
            one = reached.pop()
            if one not in seen:
                seen.add(one)
                reached += joined[one]
    return first


def _run(command: list[str], folder: Path, held: dict[str, str]) -> bytes:
    return subprocess.run(
        command, cwd=folder, env=held, capture_output=True, timeout=_PATIENCE_S, check=True
    ).stdout


def fabrics() -> Iterator[tuple[str, Callable[[], EvaluatedDesign]]]:
    """Saved designs and every template with its defaults, by name."""
    catalog = load_catalog()
    for name in _SAVED:
        saved = find_saved(name)
        assert saved is not None
        path = saved.path
        yield name, lambda path=path: EvaluatedDesign(load_file(path).design, catalog)
    for name in toposmith.TEMPLATES:
        for settings in _SETTINGS.get(name, ({},)):
            shown = " ".join([f"template {name}", *(f"{key}={settings[key]}" for key in settings)])
            yield (
                shown,
                lambda name=name, settings=settings: EvaluatedDesign(
                    toposmith.new(name, **settings), catalog
                ),
            )


def switches_of(design: EvaluatedDesign) -> int:
    """How many switches the design has."""
    groups = design.plan.groups.values()
    return sum(one.instances for one in groups if one.switch is not None)


def main(words: list[str]) -> int:
    """Bring each fabric up and tell what came back."""
    failed = 0
    for name, make in fabrics():
        if words and not any(word in name for word in words):
            continue
        try:
            design = make()
            if (many := switches_of(design)) > MOST_SWITCHES:
                print(f"{name}: {many:,} switches, not run", flush=True)
                continue
            with tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                found = bring_up(design, Path(folder))
        except (ToposmithError, subprocess.SubprocessError) as error:
            print(f"{name}: {error}", flush=True)
            failed += isinstance(error, subprocess.SubprocessError)
            continue
        took_s = time.perf_counter() - start
        print(
            f"{name}: {many} switches, {found.subnets} subnets, "
            f"{found.agree:,} of {found.planned:,} cables, "
            f"{'up' if found.is_up else 'DOWN'}, "
            f"{'ftree' if found.is_fat_tree else 'NO FTREE'}, {took_s:.0f} s",
            flush=True,
        )
        failed += not (found.whole or (many == 1 and found.is_up and found.same))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
