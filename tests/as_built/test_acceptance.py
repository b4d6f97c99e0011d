"""What lies there becomes the lock: cables of a dump or a list, with the metal's own names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import toposmith
from tests.as_built.fabrics import dump_of, text_of
from tests.lock.fabrics import FABRIC, GROWN, evaluated, locked
from toposmith.as_built.acceptance import Acceptance, accept
from toposmith.as_built.cable_list import UnreadableError
from toposmith.as_built.reading.file_formats import read_files, read_path
from toposmith.design.edits.groups import rename_group
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.change_order import change_phases
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_file import FabricLock, lock_text, read_lock

FAULTS = Path(__file__).parents[1] / "data" / "as_built" / "made" / "su1-faults-ibnetdiscover.out"


def taken_over(
    design: EvaluatedDesign | str, text: str, lock: FabricLock | None = None
) -> Acceptance:
    drawn = evaluated(design, lock) if isinstance(design, str) else design
    return accept(drawn, dump_of(text))


def listed(lock: FabricLock, label: str = "{}") -> str:
    """A lock as a list of cables."""
    rows = [
        f"{one.a},{one.a_port},{one.z},{one.z_port},{label.format(one.label)}"
        for one in lock.cables
    ]
    return "\n".join(["A-Device,A-Port,Z-Device,Z-Port,Label", *rows, ""])


def test_a_fabric_that_is_cabled_as_drawn_gives_the_first_lock_with_guids() -> None:
    found = taken_over(FABRIC, text_of(evaluated(FABRIC)))
    first = locked(FABRIC)
    assert (found.same, found.moved, found.new, found.left_out) == (384, 0, 0, [])
    assert found.lock.cables == first.cables
    assert [one._replace(facts="") for one in found.lock.devices] == first.devices
    facts = [one.facts for one in found.lock.devices]
    assert all(one.startswith("guid=0x") for one in facts)
    assert len(set(facts)) == 40  # none has another's
    assert facts[[one.group for one in first.devices].index("node")].count(",") == 7
    assert found.lock.ports["node"]["OSFP1 P1"] == "mlx5_0"
    assert lock_text(read_lock(lock_text(found.lock))) == lock_text(found.lock)


def test_faults_of_a_dump_are_repaired_by_the_fewest_acts() -> None:
    """Four ends at wrong ports, two by two exchanged, and two cables that are not there."""
    design = evaluated(toposmith.load("dgx-h100-superpod-1su"))
    dump = accept(design, read_files([read_path(FAULTS)]))
    assert (dump.same, len(dump.lock.cables)) == (498, 502)
    after = lock_of(evaluated(design.design, dump.lock))
    phases = change_phases(dump.lock, after, {"node-su0-3"}, 0.25)
    acts = Counter(act.verb for phase in phases for act in phase.acts)
    # of two exchanged cables one is pulled, the other moved, the first laid anew
    assert acts == {"lay": 2 + 2, "move": 2, "pull": 2}
    assert {frozenset(one.ends) for one in after.cables} == {
        frozenset(one.ends) for one in lock_of(design).cables
    }


def test_a_list_of_cables_alone_is_a_first_lock_with_its_own_labels() -> None:
    found = taken_over(FABRIC, listed(locked(FABRIC), "Row7/{}"))
    first = locked(FABRIC)
    assert found.same == 384
    plain = [one for one in first.cables if "+" not in one.label and "-" not in one.label]
    assert {one.label for one in found.lock.cables if one.label.startswith("Row7/")} == {
        f"Row7/{one.label}" for one in plain
    }
    # the lock that the design then keeps is the same
    assert lock_text(lock_of(evaluated(FABRIC, found.lock))) == lock_text(found.lock)


def test_what_is_bound_and_not_seen_stays_unless_its_port_is_taken() -> None:
    lock = locked(FABRIC)
    text = listed(lock).splitlines(keepends=True)
    gone = text.pop(5)
    seen = taken_over(FABRIC, "".join(text), lock)
    assert (seen.unseen, seen.gone) == (1, 0)
    assert seen.lock.cables == lock.cables
    shown = accept(evaluated(FABRIC, lock), dump_of("".join(text)), shows_all=True)
    assert (shown.unseen, shown.gone) == (0, 1)
    assert gone.split(",")[4].strip() not in {one.label for one in shown.lock.cables}
    without = taken_over(FABRIC, "".join(text))
    assert (without.unseen, len(without.lock.cables)) == (0, 383)


def test_a_moved_end_is_the_same_cable_at_another_port() -> None:
    lock = locked(FABRIC)
    cable = next(one for one in lock.cables if one.a == "node-su0-0")
    taken = {port for one in lock.cables for name, port in one.ends if name == cable.z}
    free = next(f"{cage}/1" for cage in range(1, 33) if f"{cage}/1" not in taken)
    moved = lock_text(lock).replace(
        f"{cable.z}\t{cable.z_port}\t{cable.label}", f"{cable.z}\t{free}\t{cable.label}"
    )
    there = read_lock(moved)
    found = taken_over(FABRIC, listed(there), lock)
    assert (found.same, found.moved, found.new) == (383, 1, 0)
    assert lock_text(found.lock) == moved


def test_a_replaced_device_is_one_line_and_is_named() -> None:
    text = text_of(evaluated(FABRIC))
    before = taken_over(FABRIC, text).lock
    guid = before.by_name["spine-3"].facts.removeprefix("guid=0x")
    other = text.replace(guid.zfill(16), "00000000000abcde")
    found = taken_over(FABRIC, other, before)
    assert [note for note in found.notes if "another device" in note] == [
        f"spine-3 is another device: guid 0x{guid} -> 0xabcde"
    ]
    lines = set(lock_text(before).splitlines()) ^ set(lock_text(found.lock).splitlines())
    assert len(lines) == 2  # its old line and its new one


def test_devices_are_called_as_the_metal_is_and_stay_what_they_are_in_the_design() -> None:
    text = text_of(evaluated(FABRIC)).replace("spine-", "core-")
    found = taken_over(FABRIC, text)
    assert {one.name for one in found.lock.devices if one.group == "spine"} == {
        f"core-{number}" for number in range(8)
    }
    grown = lock_of(evaluated(GROWN, found.lock))
    assert {*found.lock.cables} <= {*grown.cables}


def test_a_cable_at_a_port_that_no_part_has_is_left_out_and_said() -> None:
    lock = locked(FABRIC)
    cable = next(one for one in lock.cables if one.a == "node-su0-0")
    text = listed(lock).replace(f"{cable.z},{cable.z_port},{cable.label}", f"{cable.z},99/9,X")
    found = taken_over(FABRIC, text)
    assert len(found.lock.cables) == 383
    (left_out,) = found.left_out
    assert f"{cable.z} 99/9: which port of {cable.z} 99/9 is, is not known" in left_out


def test_of_two_cables_at_one_port_the_first_is_bound() -> None:
    lock = locked(FABRIC)
    one, other = [cable for cable in lock.cables if cable.a.startswith("node-su0-")][:2]
    text = listed(lock).replace(
        f"{other.z},{other.z_port},{other.label}", f"{one.z},{one.z_port},{other.label}"
    )
    found = taken_over(FABRIC, text)
    assert len(found.lock.cables) == 383
    assert "another cable at one of its ports" in found.left_out[0]


HEADS = {
    "A-Device,A-Port,Z-Device,Z-Port": ("A-Serial", "Z Serial Number"),
    "Side A Device,Side A Name,Side B Device,Side B Name": ("Side A Serial", "Side B Device SN"),
    "Source node,Source port,Destination node,Destination port": (
        "Source SN",
        "Destination Serial",
    ),
    "Device 1,Port 1,Device 2,Port 2": ("Device 1 serial", "Device 2 serial"),
}


@pytest.mark.parametrize("head", HEADS)
def test_serial_numbers_of_a_list_are_facts_of_its_devices(head: str) -> None:
    first = locked(FABRIC)

    def rows(other: str = "") -> str:
        lines = [
            f"{one.a},{one.a_port},{one.z},{one.z_port},SN:{one.a},SN:{one.z}"
            for one in first.cables
        ]
        text = "\n".join([",".join([head, *HEADS[head]]), *lines, ""])
        return text.replace("SN:spine-3", "SN:" + (other or "spine-3"))

    found = taken_over(FABRIC, rows())
    assert {one.name: one.facts for one in found.lock.devices} == {
        one.name: f"serial=SN:{one.name}" for one in first.devices
    }
    again = taken_over(FABRIC, rows("new"), found.lock)
    assert again.lock.by_name["spine-3"].facts == "serial=SN:new"
    assert again.notes == ["spine-3 is another device: serial SN:spine-3 -> SN:new"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("node", "dgx", "group node is not in this design"),
        ("node|leaf|spine", "other", "none of its"),
    ],
)
def test_the_lock_of_another_design_or_of_renamed_groups_is_left_alone(
    old: str, new: str, why: str
) -> None:
    lock, design = locked(FABRIC), toposmith.parse(FABRIC)
    for number, name in enumerate(old.split("|")):
        design = rename_group(design, name, f"{new}{number}").design
    with pytest.raises(UnreadableError, match=why):
        accept(evaluated(design, lock), dump_of(text_of(evaluated(FABRIC))))
