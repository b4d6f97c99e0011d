"""What a lock says twice is named with both lines, and binds nothing."""

from __future__ import annotations

from tests.every import for_every
from tests.lock.test_lock_file import SMALL
from toposmith.lock.binding import Binding
from toposmith.lock.clashes import clashes_of
from toposmith.lock.lock_file import read_lock

SECOND = "c\tnode-0\tOSFP1 P2\tleaf\t1/2\tC0002\t2\tdac\n"
SOUND = SMALL + SECOND
"""The first cable of 1.5 m on line 8, the second of 2 m on line 9."""

TWICE = {
    "port leaf 1/1 twice: line 8 (node-0 OSFP1 P1 leaf 1/1 C0001) and line 9": SOUND.replace(
        "1/2", "1/1"
    ),
    "port node-0 OSFP1 P1 twice": SOUND.replace("OSFP1 P2", "OSFP1 P1"),
    "label C0001 twice": SOUND.replace("C0002", "C0001"),
    "device leaf twice": SOUND.replace("d\tnode-0", "d\tleaf"),
    "leaf[leaf=0] twice": SOUND.replace("d\tnode-0\tnode\tnode=0", "d\tnode-0\tleaf\tleaf=0"),
    "A01 U42 twice: line 3 (leaf leaf leaf=0 qm9700 A01) and line 4": SOUND.replace(
        "\tA01\t1\t", "\tA01\t42\t"
    ),
    "line 9 (nobody OSFP1 P2 leaf 1/2 C0002): no line is of the device nobody": SOUND.replace(
        "c\tnode-0\tOSFP1 P2", "c\tnobody\tOSFP1 P2"
    ),
}


@for_every(TWICE)
def test_what_is_said_twice_is_named(said: str) -> None:
    binding = Binding("x.lock", TWICE[said])
    assert binding.lock is None
    assert any(fault.startswith(said) for fault in binding.faults), binding.faults


def test_both_connections_of_one_twin_cable_share_a_label() -> None:
    twin = SOUND.replace("C0002\t2", "C0001\t1.5")
    assert Binding("x.lock", twin).faults == ()


def test_a_tall_device_takes_all_of_its_units() -> None:
    lock = read_lock(SMALL.replace("\tA01\t42\t", "\tA01\t8\t"))
    assert clashes_of(lock) == []
    assert [clash.kind for clash in clashes_of(lock, {"dgx-h100": 8})] == ["U"]


def test_a_folder_or_bytes_in_place_of_a_lock_are_faults(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from toposmith.lock.binding import binding_beside

    design = tmp_path / "pod.yaml"
    assert binding_beside(design) is None
    (tmp_path / "pod.lock").mkdir()
    folder = binding_beside(design)
    assert folder is not None
    assert folder.faults
    (tmp_path / "pod.lock").rmdir()
    (tmp_path / "pod.lock").write_bytes(b"\xff\xfe\x00")
    no_text = binding_beside(design)
    assert no_text is not None
    assert "no text in UTF-8" in no_text.faults[0]
