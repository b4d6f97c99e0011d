"""What remains keeps port, label and place, as fresh plans of both designs say what remains."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

from tests.lock.fabrics import (
    CATALOG,
    FABRIC,
    GROWN,
    OVERFULL,
    SPLIT,
    evaluated,
    locked,
    pairs,
    rows,
)
from tests.lock.random_edits import edited, starts
from toposmith.design.document import Design
from toposmith.design.edits import set_axis, set_per
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.clashes import clashes_of
from toposmith.lock.lock_file import FabricLock, lock_text


def remaining(old: Design | str, new: Design | str) -> int:
    """Connections that two designs share, by devices and ports of nodes: of fresh plans alone."""
    return (pairs(old) & pairs(new)).total()


def test_one_node_more_in_each_unit_moves_no_cable_that_lies_there() -> None:
    single = FABRIC.replace("cables: 2", "cables: 1")
    grown_file = GROWN.replace("cables: 2", "cables: 1")
    lock = locked(single)
    stood = {one.ends for one in lock.cables}
    fresh = {((a, port_a), (z, port_z)) for _, a, port_a, z, port_z in rows(evaluated(grown_file))}
    assert (len(stood), len(stood - fresh)) == (256, 128)  # without the lock

    grown = locked(grown_file, lock)
    assert set(lock.cables) <= set(grown.cables)
    assert set(lock.devices) <= set(grown.devices)
    assert len(grown.cables) == 256 + 2 * 8  # a ninth node with eight ports in two units
    assert {one.label for one in set(grown.cables) - set(lock.cables)} == {
        f"C{number:04d}" for number in range(257, 273)
    }


def test_the_schedule_of_what_stays_is_the_same() -> None:
    lock = locked(FABRIC)
    assert set(rows(evaluated(FABRIC))) <= set(rows(evaluated(GROWN, lock)))


def test_without_a_change_the_lock_is_the_same_and_so_is_the_schedule() -> None:
    for design in starts():
        lock = locked(design)
        assert rows(evaluated(design, lock)) == rows(evaluated(design))
        assert lock_text(locked(design, lock)) == lock_text(lock)


def test_each_leg_of_a_splitter_keeps_its_label() -> None:
    known = rows(evaluated(SPLIT))
    assert {label.partition("-")[2] for label, *_ in known} == {"1", "2", "3", "4"}
    assert rows(evaluated(SPLIT, locked(SPLIT))) == known


def test_an_edit_and_its_reverse_give_the_cables_back() -> None:
    lock = locked(FABRIC)
    back = locked(FABRIC, locked(GROWN, lock))
    assert back.cables == lock.cables
    assert back.devices == lock.devices


def test_new_devices_stand_in_the_racks_of_their_unit() -> None:
    lock = locked(FABRIC)
    grown = locked(GROWN, lock)
    new = {one.name: one.rack for one in set(grown.devices) - set(lock.devices)}
    racks = {one.at.split(",")[0]: set[str]() for one in lock.devices if one.group == "node"}
    for device in lock.devices:
        if device.group == "node":
            racks[device.at.split(",")[0]].add(device.rack)
    # 40.8 kW hold four nodes of 10.2 kW: two racks of a unit are full, so the ninth needs a third
    assert set(new) == {"node-su0-8", "node-su1-8"}
    assert not set(new.values()) & set.union(*racks.values())


def test_a_cable_moves_by_one_end_where_spines_are_added() -> None:
    lock = locked(FABRIC)
    wider = FABRIC.replace("count: 8}\nlinks", "count: 16}\nlinks").replace(
        "cables: 2", "cables: 1"
    )
    change = evaluated(wider, lock).planned.kept()
    assert change is not None
    # each of 16 leaves gives up one of its two cables to eight spines, for one to eight new ones
    assert change.kept == 128 + 16 * 8
    assert change.moved + change.laid == change.moved + change.pulled == 16 * 8
    was, now = ({one.label: one for one in one.cables} for one in (lock, change.lock))
    changed = [(was[label], now[label]) for label in was.keys() & now.keys()]
    moved = [(before, after) for before, after in changed if before != after]
    assert len(moved) == change.moved
    for before, after in moved:
        assert (before.a, before.a_port) == (after.a, after.a_port)
        assert before.z != after.z
    # only what is too short for the new spines of its leaf is pulled
    for label in was.keys() - now.keys():
        new = [one for one in now.values() if one.a == was[label].a and one.label not in was]
        assert float(was[label].metres) < min(float(one.metres) for one in new)


def test_an_absent_device_keeps_its_line_and_its_units() -> None:
    lock = locked(FABRIC)
    without = FABRIC + "absent: ['node[su=0,node=3]']\n"
    less = locked(without, lock)
    assert less.devices == lock.devices
    assert len(less.cables) == 384 - 8
    assert locked(FABRIC, less).devices == lock.devices


def test_a_name_of_the_metal_stays() -> None:
    lock = locked(FABRIC)
    devices = [
        one._replace(name="dgx017") if one.name == "node-su0-3" else one for one in lock.devices
    ]
    cables = [one._replace(a="dgx017") if one.a == "node-su0-3" else one for one in lock.cables]
    named = FabricLock(devices, cables, lock.kits)
    grown = evaluated(GROWN, named)
    assert {row.a.node for row in grown.schedule} >= {"dgx017", "node-su0-8"}
    assert "node-su0-3" not in {row.a.node for row in grown.schedule}
    assert grown.planned.kept().pulled == 0  # type: ignore[union-attr]


def test_a_cage_with_two_plugs_keeps_the_first_and_moves_the_other() -> None:
    lock = locked(FABRIC)
    at_cage = [one for one in lock.cables if one.z == "leaf-su0-rail0" and one.z_port[:2] == "1/"]
    assert [one.z_port for one in at_cage] == ["1/1", "1/2"]
    spoilt = [one._replace(z_plug="other") if one == at_cage[1] else one for one in lock.cables]
    kits = {kit: f"kit{turn}" for turn, kit in enumerate({one[6:10] for one in spoilt})}
    kept = evaluated(FABRIC, FabricLock(lock.devices, spoilt, kits)).planned.kept()
    assert kept is not None
    assert (kept.kept, kept.moved + kept.laid) == (383, 1)
    assert at_cage[0] in kept.lock.cables
    assert clashes_of(kept.lock) == []
    (again,) = {one for one in kept.lock.cables if one.a == at_cage[1].a} - set(spoilt)
    assert again.z == "leaf-su0-rail0"


def held_faults(old: Design, new: Design, before: FabricLock | None = None) -> str:
    """What a lock did not keep of an edit; empty where it kept everything that it can."""
    before = before or locked(old)
    kept = evaluated(new, before).planned.kept()
    assert kept is not None
    after = kept.lock
    lines = set(before.cables) & set(after.cables)
    if (fewer := remaining(old, new) - len(lines)) > 0:
        return f"{fewer} of {len(before.cables)} connections changed"
    stood = {one.name: one for one in before.devices}
    changed = [one for one in after.devices if one.name in stood and one != stood[one.name]]
    if changed:
        return f"{changed[0]} was {stood[changed[0].name]}"
    if clashes := clashes_of(after):
        return str(clashes[0])
    bound = Counter(one.body for one in after.cables)
    return "" if bound.total() == len(after.cables) else "lines are missing"


def is_sound(design: Design) -> bool:
    """Whether a design can be built as it is drawn."""
    return all(one.severity != "error" for one in evaluated(design).engine_findings)


def sound_edits(seed: int, many: int) -> list[tuple[Design, Design]]:
    """Designs before and after one random edit, both such as can be built."""
    dice, found = Random(seed), list[tuple[Design, Design]]()
    designs = starts()
    while len(found) < many:
        old = dice.choice(designs)
        new = edited(old, dice)
        if new != old and is_sound(new):
            found.append((old, new))
    return found


def sound_chain(design: Design, dice: Random, many: int) -> list[Design]:
    """A design and what it becomes edit by edit, each such as can be built."""
    chain = [design]
    while len(chain) <= many:
        new = edited(chain[-1], dice)
        if new != chain[-1] and is_sound(new):
            chain.append(new)
    return chain


def test_chains_of_six_edits_change_nothing_that_remains() -> None:
    dice = Random(44)
    for start in starts()[::3]:
        chain = sound_chain(start, dice, 6)
        lock = locked(start)
        for old, new in pairwise(chain):
            assert held_faults(old, new, lock) == ""
            lock = locked(new, lock)


def test_sixty_random_edits_change_nothing_that_remains() -> None:
    faults = [held_faults(old, new) for old, new in sound_edits(seed=41, many=60)]
    assert [fault for fault in faults if fault] == []


TYPED = (
    FABRIC.replace("toposmith: 1", "toposmith: 2")
    + """\
cables:
  - {a: "node[su=0,node=0].compute[0]", z: "leaf[su=0,rail=1].port[40]"}
  - {a: "node[su=0,node=0].compute[1]", z: "leaf[su=0,rail=0].port[3]"}
"""
)


def test_a_port_that_is_typed_is_the_port_in_the_lock() -> None:
    lock = locked(TYPED)
    # two ports a cage: port 40, counted from 0, is the first of cage 21, 3 the second of cage 2;
    # the cable that the link dealt there, of the fourth node, is replaced
    crossed = {
        (one.z, one.z_port)
        for one in lock.cables
        if one.a == "node-su0-0" and one.z in ("leaf-su0-rail0", "leaf-su0-rail1")
    }
    assert crossed == {("leaf-su0-rail1", "21/1"), ("leaf-su0-rail0", "2/2")}
    assert clashes_of(lock) == []
    assert len(lock.cables) == 383
    assert lock_text(locked(TYPED, lock)) == lock_text(lock)


def test_a_port_typed_later_takes_its_cable_there_and_makes_room() -> None:
    lock = locked(FABRIC)
    change = evaluated(TYPED, lock).planned.kept()
    assert change is not None
    ends = {(one.a, one.z): one.z_port for one in change.lock.cables if one.a == "node-su0-0"}
    assert ends["node-su0-0", "leaf-su0-rail1"] == "21/1"
    assert ends["node-su0-0", "leaf-su0-rail0"] == "2/2"
    assert clashes_of(change.lock) == []
    # the two that are crossed, and the one that was in the typed port, have changed
    assert change.kept == 384 - 3


def test_what_finds_no_port_is_not_counted_as_bound() -> None:
    design = evaluated(OVERFULL, locked(FABRIC))
    kept = design.planned.kept(design.terms)
    assert kept is not None
    bound = 2 * (64 + 128) + 3 * 64 + 8 * (64 - 32)  # as before, new nodes, free ports of spines
    assert kept.kept + kept.moved + kept.laid == len(kept.lock.cables) == bound


def test_an_axis_under_another_name_carries_its_devices_along() -> None:
    design = evaluated(FABRIC, locked(FABRIC)).design
    over = set_axis(design, "pod", 2).design
    renamed = set_per(set_per(over, "node", ("pod",)).design, "leaf", ("pod", "rail")).design
    kept = EvaluatedDesign(set_axis(renamed, "su", None).design, CATALOG).planned.kept()
    assert kept is not None
    assert (kept.kept, kept.moved, kept.laid, kept.pulled) == (384, 0, 0, 0)
    assert {one.at.partition("=")[0] for one in kept.lock.devices if one.group == "leaf"} == {"pod"}
    # what was there before the edit is as it was
    assert design.lock is not None
    assert design.lock.devices == locked(FABRIC).devices
