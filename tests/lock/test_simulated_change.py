"""After each step of a change order OpenSM brings the simulated fabric up, cable by cable."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from bench.subnets import PRELOAD, simulated
from tests.lock.fabrics import FABRIC, locked
from tests.lock.test_change_order import carried_out, phases
from toposmith.as_built.reading.file_formats import read_bytes
from toposmith.lock.lock_file import FabricLock, LockedCable, in_order

SMALL = FABRIC.replace("count: 8}\n  leaf", "count: 3}\n  leaf").replace("count: 8}", "count: 2}")
ADDED = SMALL.replace("su: 2", "su: 3")
FEWER = SMALL.replace("count: 3}", "count: 2}")


def port_number(port: str) -> int:
    """``5/2`` of a switch of 32 cages with two ports each: the tenth."""
    cage, _, half = port.partition("/")
    return 2 * int(cage) - 2 + int(half)


def end_of(name: str, port: str) -> tuple[str, int]:
    """A port as ibsim has it: of a switch by number, of a node an adapter of its own."""
    if re.fullmatch(r"\d+/\d", port):
        return name, port_number(port)
    return f"{name} {port.replace(' ', '-')}", 1


def cables_of(lock: FabricLock) -> set[frozenset[tuple[str, int]]]:
    return {frozenset(end_of(*end) for end in cable.ends) for cable in lock.cables}


def net_of(lock: FabricLock) -> str:
    """The net file of a lock, worked out from its lines alone."""
    lines: dict[str, list[str]] = defaultdict(list)
    for one, other in map(tuple, cables_of(lock)):
        for (name, port), (far, far_port) in ((one, other), (other, one)):
            lines[name].append(f'[{port}] "{far}"[{far_port}]')
    heads = {name: "Hca 1" if " " in name else "Switch 64" for name in lines}
    return "\n\n".join(
        "\n".join([f'{heads[name]} "{name}"', *lines[name]]) for name in sorted(lines)
    )


def seen_by_opensm(lock: FabricLock, folder: Path) -> set[frozenset[tuple[str, int]]]:
    logs, told = simulated(net_of(lock), folder)
    assert logs
    assert all("SUBNET UP" in log for log in logs)
    found = read_bytes("dump", told)
    return {
        frozenset(
            (f"{device} {end.port}", 1) if found.devices[end.device].kind == "host"
            else (device, int(end.port))
            for end in (one.a, one.z)
            for device in (found.devices[end.device].name,)
        )
        for one in found.cables
    }  # fmt: skip


def crossed(lock: FabricLock) -> FabricLock:
    """The lock with the switch ends of two cables of a node exchanged."""
    one, other = [cable for cable in lock.cables if cable.a == "node-su0-1"][:2]
    swap: dict[LockedCable, LockedCable] = {
        one: one._replace(z=other.z, z_port=other.z_port),
        other: other._replace(z=one.z, z_port=one.z_port),
    }
    return in_order(lock.devices, [swap.get(cable, cable) for cable in lock.cables], lock)


@pytest.mark.skipif(
    not (PRELOAD.exists() and all(map(shutil.which, ("ibsim", "opensm", "ibnetdiscover")))),
    reason="needs ibsim, OpenSM and ibnetdiscover (Debian: ibsim-utils, opensm, infiniband-diags)",
)
@pytest.mark.parametrize(
    "change", ["a unit more", "a node less in each unit", "two cables crossed"]
)
def test_the_subnet_is_up_after_each_step_of_the_order(change: str, tmp_path: Path) -> None:
    old = locked(SMALL)
    if change == "two cables crossed":
        old, wanted = crossed(old), SMALL
    else:
        wanted = ADDED if change == "a unit more" else FEWER
    new = locked(wanted, old)
    done = []
    for phase in phases(old, new):
        done += phase.acts
        stands = carried_out(old, done)
        assert seen_by_opensm(stands, tmp_path) == cables_of(stands)
    assert cables_of(carried_out(old, done)) == cables_of(new)
