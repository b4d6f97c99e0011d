"""Two branches of a lock, united: nothing of the base is lost, and nothing is said twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.lock.fabrics import FABRIC, GROWN, locked
from tests.lock.test_clashes import SOUND
from toposmith.lock.clashes import clashes_of
from toposmith.lock.lock_file import FabricLock, lock_text, read_lock
from toposmith.lock.settling import settled, united_text

HEIGHTS = {"dgx-h100": 8, "qm9700": 1}
SU = FABRIC.replace("su: 2", "su: 3")
SPINES = FABRIC.replace("count: 8}\nlinks", "count: 16}\nlinks")
FEWER = FABRIC.replace("count: 8}\n  leaf", "count: 7}\n  leaf")
BESIDE = FABRIC.replace("links:\n", "  store: {part: qm9700, count: 2}\nlinks:\n") + (
    "  - {between: [leaf, store]}\n"
)


def merged(folder: Path, base: FabricLock, ours: FabricLock, theirs: FabricLock) -> str:
    """What git itself makes of both sides."""
    for name, lock in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_text(lock_text(lock), encoding="utf-8")
    run = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode >= 0, run.stderr
    return run.stdout


@pytest.mark.parametrize(
    ("ours", "theirs"), [(SU, SU), (SU, BESIDE), (SU, SPINES), (GROWN, SPINES), (FEWER, SU)]
)
def test_no_line_of_the_base_is_lost(tmp_path: Path, ours: str, theirs: str) -> None:
    base = locked(FABRIC)
    sides = locked(ours, base), locked(theirs, base)
    result, done = settled(read_lock(united_text(merged(tmp_path, base, *sides))), base, HEIGHTS)
    assert clashes_of(result, HEIGHTS) == []
    both = [set(base.cables) & set(side.cables) for side in sides]
    assert both[0] & both[1] <= set(result.cables)
    stood = set(base.devices) & set(sides[0].devices) & set(sides[1].devices)
    assert stood <= set(result.devices)
    names = {device.name for side in sides for device in side.devices}
    gone = {one.name for one in base.devices} - {
        one.name for one in set(sides[0].devices) & set(sides[1].devices)
    }
    assert names - gone <= {device.name for device in result.devices}
    if ours == theirs:
        assert done == []
        assert lock_text(result) == lock_text(sides[0])


def test_the_base_between_marks_is_left_out() -> None:
    both = "<<<<<<< ours\nc\ta\n||||||| base\nc\tb\n=======\nc\td\n>>>>>>> theirs\n"
    assert united_text(f"toposmith-lock\t1\n{both}") == "toposmith-lock\t1\nc\ta\nc\td\n"


def test_the_newer_cable_gets_the_next_label_and_the_newer_device_another_place() -> None:
    base = read_lock(SOUND)
    # the second cable and the leaf are of the base, whatever stands before them
    text = SOUND.replace(
        "c\tnode-0\tOSFP1 P1", "c\tnode-0\tOSFP2 P1\tleaf\t2/1\tC0002\t3\tdac\nc\tnode-0\tOSFP1 P1"
    ).replace("d\tleaf\t", "d\tcore\tcore\tcore=0\tqm9700\tA01\t42\t\nd\tleaf\t")
    result, done = settled(read_lock(text), base, HEIGHTS)
    assert {clash.kind for clash in done} == {"U", "label"}
    assert set(base.cables) < set(result.cables)
    assert set(base.devices) < set(result.devices)
    (new,) = set(result.cables) - set(base.cables)
    assert (new.a_port, new.label) == ("OSFP2 P1", "C0003")
    (core,) = set(result.devices) - set(base.devices)
    assert (core.name, core.rack, core.unit) == ("core", "", "")
