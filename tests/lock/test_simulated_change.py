"""After each step of a change order OpenSM brings the simulated fabric up, cable by cable."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from bench.subnets import PRELOAD, simulated
from tests.lock.fabrics import FABRIC, evaluated, locked
from tests.lock.test_change_order import carried_out, phases
from toposmith.as_built.acceptance import accept
from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.reading.file_formats import read_bytes
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS
from toposmith.lock.change_order import ChangeAct
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import FabricLock, LockedCable, lock_text

SMALL = FABRIC.replace("count: 8}\n  leaf", "count: 3}\n  leaf").replace("count: 8}", "count: 2}")
ADDED = SMALL.replace("su: 2", "su: 3")
MORE = SMALL.replace("count: 3}", "count: 4}")
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


def dump_of_metal(design: EvaluatedDesign, folder: Path, guids: dict[str, str]) -> Cabling:
    """What ibnetdiscover tells of a design in the simulator, with some GUIDs exchanged."""
    net = b"".join(FORMS["ibsim"].make(design, None, None).pieces).decode()
    _, told = simulated(net, folder)
    for old, new in guids.items():
        assert old.encode() in told
        told = told.replace(old.encode(), new.encode())
    return read_bytes("dump", told)


def schedule(design: EvaluatedDesign) -> set[bytes]:
    """The lines of the cable schedule."""
    return set(b"".join(FORMS["cables"].make(design, None, None).pieces).splitlines())


def up_after_each_step(old: FabricLock, new: FabricLock, folder: Path) -> int:
    """Carry an order out in the simulator, OpenSM after each step; how many there were."""
    done: list[ChangeAct] = []
    order = phases(old, new)
    for phase in order:
        done += phase.acts
        stands = carried_out(old, done)
        assert seen_by_opensm(stands, folder) == cables_of(stands)
    assert lock_text(carried_out(old, done)) == lock_text(new)
    return len(order)


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


needs_simulator = pytest.mark.skipif(
    not (PRELOAD.exists() and all(map(shutil.which, ("ibsim", "opensm", "ibnetdiscover")))),
    reason="needs ibsim, OpenSM and ibnetdiscover (Debian: ibsim-utils, opensm, infiniband-diags)",
)


@needs_simulator
@pytest.mark.parametrize(
    "change", ["a unit more", "a node less in each unit", "two cables crossed"]
)
def test_the_subnet_is_up_after_each_step_of_the_order(change: str, tmp_path: Path) -> None:
    old = locked(SMALL)
    if change == "two cables crossed":
        old, wanted = crossed(old), SMALL
    else:
        wanted = ADDED if change == "a unit more" else FEWER
    assert up_after_each_step(old, locked(wanted, old), tmp_path) > 0


@needs_simulator
def test_a_cluster_that_was_read_grows_and_is_repaired_and_all_that_stays_keeps_its_row(
    tmp_path: Path,
) -> None:
    built = accept(evaluated(SMALL), dump_of_metal(evaluated(SMALL), tmp_path, {})).lock
    assert built.cables == locked(SMALL).cables
    assert all("guid=" in device.facts for device in built.devices)

    # a node more in each unit: the new cables, and no other line
    lies, grown = evaluated(SMALL, built), locked(MORE, built)
    assert set(built.cables) < set(grown.cables)
    assert len(grown.cables) == len(built.cables) + 2 * 8
    assert up_after_each_step(built, grown, tmp_path) > 1
    assert schedule(lies) < schedule(evaluated(MORE, grown))

    # a spine is replaced by one with another GUID: a line of a device
    metal = evaluated(MORE, grown)
    spine = grown.by_name["spine-1"]
    guid = spine.facts.removeprefix("guid=0x").partition(" ")[0]
    again = accept(metal, dump_of_metal(metal, tmp_path, {guid: "abcde0"}))
    assert any("spine-1 is another device" in note for note in again.notes)
    replaced = again.lock
    assert replaced.cables == grown.cables
    assert set(replaced.devices) - set(grown.devices) >= {replaced.by_name["spine-1"]}
    assert "abcde0" in replaced.by_name["spine-1"].facts
    assert schedule(evaluated(MORE, replaced)) == schedule(metal)

    # two cables are crossed, found so, and repaired: only these two are touched
    wrong = crossed(replaced)
    mended = locked(MORE, wrong)
    assert up_after_each_step(wrong, mended, tmp_path) > 0
    assert cables_of(mended) == cables_of(replaced)
    assert len(set(wrong.cables) - set(mended.cables)) == 2
    assert len(schedule(evaluated(MORE, mended)) - schedule(metal)) <= 2
