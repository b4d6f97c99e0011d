"""A change order, carried out line by line by an applier of its own, gives the new lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from tests.lock.fabrics import CATALOG, FABRIC, GROWN, locked
from tests.lock.test_keeping import sound_edits
from toposmith.lock.change_order import ChangeAct, ChangePhase, change_phases
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import (
    FabricLock,
    LockedCable,
    LockedDevice,
    lock_text,
)

WIDER = FABRIC.replace("count: 8}\nlinks", "count: 16}\nlinks").replace("cables: 2", "cables: 1")
"""Twice the spines, half the cables of each pair."""


def nodes(*locks: FabricLock) -> set[str]:
    kinds = {part.id: part.kind for part in CATALOG}
    every = (device for lock in locks for device in lock.devices)
    return {one.name for one in every if kinds[one.part] in ("node", "storage")}


def phases(old: FabricLock, new: FabricLock, share: float = 0.25) -> list[ChangePhase]:
    return change_phases(old, new, nodes(old, new), share)


def acts(old: FabricLock, new: FabricLock, share: float = 0.25) -> list[ChangeAct]:
    return [act for phase in phases(old, new, share) for act in phase.acts]


def carried_out(old: FabricLock, order: Iterable[ChangeAct]) -> FabricLock:
    """What lies there after each act was done in turn: a plug never meets another in its port."""
    stand: dict[str, LockedDevice] = {}
    plugged: dict[tuple[str, str], LockedCable] = {}
    for device in old.devices:
        stand[device.name] = device
    for cable in old.cables:
        for end in cable.ends:
            plugged[end] = cable
    for act in order:
        gone, come = act.before, act.after
        if isinstance(gone, LockedCable):
            for end in gone.ends:
                assert plugged.pop(end) == gone, act.words
        if isinstance(gone, LockedDevice):
            assert stand.pop(gone.name) == gone, act.words
            if act.verb == "take out":
                assert all(name != gone.name for name, _ in plugged), f"{act.words}: still cabled"
        if isinstance(come, LockedDevice):
            assert come.name not in stand, act.words
            stand[come.name] = come
        if isinstance(come, LockedCable):
            for end in come.ends:
                assert end not in plugged, f"{act.words}: {plugged[end]} is there"
                assert end[0] in stand, f"{act.words}: no such device yet"
                plugged[end] = come
    return in_order(stand.values(), dict.fromkeys(plugged.values()), old)


@pytest.mark.parametrize(
    "new", [GROWN, WIDER, FABRIC.replace("su: 2", "su: 3"), FABRIC.replace("su: 2", "su: 1")]
)
def test_a_change_order_gives_the_new_lock_byte_for_byte(new: str) -> None:
    old = locked(FABRIC)
    wanted = locked(new, old)
    for share in (1.0, 0.25):
        assert lock_text(carried_out(old, acts(old, wanted, share))) == lock_text(wanted)


def test_the_change_orders_of_sixty_random_edits_give_their_locks() -> None:
    for before, after in sound_edits(seed=43, many=60):
        old = locked(before)
        wanted = locked(after, old)
        assert lock_text(carried_out(old, acts(old, wanted))) == lock_text(wanted)


def test_no_phase_takes_more_than_its_share_of_a_device() -> None:
    old = locked(FABRIC)
    wanted = locked(WIDER, old)
    busy = [phase for phase in phases(old, wanted) if phase.takes_down]
    assert len(busy) > 1
    for phase in busy:
        out: dict[str, int] = defaultdict(int)  # by leaf, which has 16 cables to eight spines
        for act in phase.acts:
            assert isinstance(act.before, LockedCable) or act.verb == "lay"
            if act.verb == "move":  # the leaf, whose cable goes to another spine
                out[act.subject[0]] += 1
            elif isinstance(act.before, LockedCable):
                out[act.before.a] += 1
        assert max(out.values()) <= 16 // 4


def test_nodes_join_last_and_leave_first() -> None:
    old = locked(FABRIC)
    grown = [act.verb for act in acts(old, locked(FABRIC.replace("su: 2", "su: 3"), old))]
    assert grown.index("lay") > max(at for at, verb in enumerate(grown) if verb == "add")
    wanted = locked(FABRIC.replace("su: 2", "su: 3"), old)
    laid = [act.after for act in acts(old, wanted) if isinstance(act.after, LockedCable)]
    kinds = [one.a.startswith("node") for one in laid]
    assert kinds == sorted(kinds)  # every uplink before the first node
    less = acts(old, locked(FABRIC.replace("su: 2", "su: 1"), old))
    left = [act.subject.name for act in less if isinstance(act.subject, LockedDevice)]
    assert [name.split("-")[0] for name in left] == ["node"] * 8 + ["leaf"] * 8


def cable(label: str, z_port: str) -> LockedCable:
    node = f"node-{label}"
    return LockedCable(node, "P1", "leaf", z_port, label, "2", "dac", "400", "dac", "dac")


def test_cables_that_wait_for_one_another_are_parked() -> None:
    devices = [LockedDevice("leaf", "leaf", "leaf=0", "qm9700", "", "", "")]
    devices += [
        LockedDevice(f"node-C{n}", "node", f"node={n}", "dgx-h100", "", "", "") for n in range(3)
    ]
    old = in_order(devices, [cable("C0", "1"), cable("C1", "2"), cable("C2", "3")])
    new = in_order(devices, [cable("C0", "2"), cable("C1", "3"), cable("C2", "1")])
    for share in (1.0, 0.1):
        order = acts(old, new, share)
        assert lock_text(carried_out(old, order)) == lock_text(new)
        assert sorted(act.verb for act in order) == ["lay", "move", "move", "pull"]


def test_an_exchanged_switch_comes_before_the_cables_of_its_ports() -> None:
    devices = [
        LockedDevice("leaf", "leaf", "leaf=0", "qm8700", "A01", "42", ""),
        LockedDevice("node-C0", "node", "node=0", "dgx-h100", "A01", "1", ""),
    ]
    old = in_order(devices, [cable("C0", "5")])
    other = [devices[0]._replace(part="qm9700"), devices[1]]
    new = in_order(other, [cable("C0", "5/1")])
    order = acts(old, new)
    assert [act.verb for act in order] == ["replace", "move"]
    assert order[0].words == "replace leaf (qm9700) A01 U42"
    assert order[1].words == "move C0: leaf 5 to leaf 5/1"


TWINS = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, count: 8}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""


def test_half_of_a_twin_cable_is_shut_at_its_ports_and_the_cable_stays_plugged() -> None:
    """To pull the cable by its label would take down the connection that is to stay."""
    old = locked(TWINS)
    new = locked(TWINS.replace("cables: 2", "cables: 1"), old)
    pulls = [act for act in acts(old, new) if act.verb == "pull"]
    assert len(pulls) == 16
    stays = {cable.label: cable for cable in old.cables if cable in set(new.cables)}
    for act in pulls:
        assert isinstance(act.before, LockedCable)
        assert act.shares == stays.get(act.before.label)
        assert ("the cable stays for" in act.words) == (act.before.label in stays)
    assert any(act.shares for act in pulls)
