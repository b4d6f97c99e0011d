"""The text of a lock: read back as written, and every fault named with its line."""

from __future__ import annotations

import pytest

from tests.every import for_every
from tests.lock.fabrics import FABRIC, locked
from toposmith.errors import LockError
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import lock_text, natural, read_lock

SMALL = """\
toposmith-lock\t1
#d\tname\tgroup\tat\tpart\track\tu\tfacts
d\tleaf\tleaf\tleaf=0\tqm9700\tA01\t42\t
d\tnode-0\tnode\tnode=0\tdgx-h100\tA01\t1\tguid=0x10
#k\tkit\tpart\tgbit\ta-plug\tz-plug
k\tdac\tmcp7y00\t400\tmcp7y00\tmcp7y00
#c\ta\tport\tz\tport\tlabel\tm\tkit
c\tnode-0\tOSFP1 P1\tleaf\t1/1\tC0001\t1.5\tdac
"""


def test_a_lock_is_read_back_as_it_was_written() -> None:
    lock = read_lock(SMALL)
    assert lock_text(lock) == SMALL
    assert [device.name for device in lock.devices] == ["leaf", "node-0"]
    (cable,) = lock.cables
    assert (cable.metres, cable.part, cable.gbit, cable.body) == ("1.5", "mcp7y00", "400", "C0001")


def test_the_lock_of_a_fabric_is_read_back_as_it_was_written() -> None:
    text = lock_text(locked(FABRIC))
    # 2 x 8 nodes, 16 leaves, 8 spines; 16 x 8 and 16 x 8 x 2 cables
    assert text.count("\nd\t") == 40
    assert text.count("\nc\t") == 384
    assert lock_text(read_lock(text)) == text


FAULTS = {
    "line 1: version '2'": SMALL.replace("\t1\n", "\t2\n", 1),
    "line 1: found 'groups:'": "groups:\n",
    "line 4: half merged": SMALL.replace("d\tnode", "<<<<<<< ours\nd\tnode"),
    "line 8: half merged": SMALL.replace("c\tnode", "=======\nc\tnode"),
    "line 3: found U '0'": SMALL.replace("\t42\t", "\t0\t"),
    "line 3: found U '1000'": SMALL.replace("\t42\t", "\t1000\t"),
    "line 3: found U '٤٢'": SMALL.replace("\t42\t", "\t٤٢\t"),
    "line 3: found rack 'cellar'": SMALL.replace("\tA01\t42", "\tcellar\t42"),
    "line 8: kit 'fibre' is not": SMALL.replace("1.5\tdac", "1.5\tfibre"),
    "line 8: found length 'far'": SMALL.replace("1.5\tdac", "far\tdac"),
    "line 8: found length 'inf'": SMALL.replace("1.5\tdac", "inf\tdac"),
    "line 8: found label 'C1-x'": SMALL.replace("C0001", "C1-x"),
    "line 6: found rate 'fast', expected Gb/s": SMALL.replace("\t400\t", "\tfast\t"),
    "line 7: kit 'dac' means two": SMALL.replace("#c\t", "k\tdac\tother\t400\t\t\n#c\t"),
    "line 3: 7 fields, expected 8": SMALL.replace("\tA01\t42\t\n", "\tA01\t42\n"),
    "line 3: begins with 'x'": SMALL.replace("d\tleaf", "x\tleaf"),
    "line 3: a field that begins like a formula": SMALL.replace("d\tleaf", "d\t=leaf()"),
    "line 3: a character that cannot be shown (U+001B)": SMALL.replace("d\tleaf", "d\t\x1b[2J"),
    "line 8: a character that cannot be shown (U+202E)": SMALL.replace("C0001", "\u202e1000C"),
}


@for_every(FAULTS)
def test_a_fault_is_named_with_its_line(said: str) -> None:
    with pytest.raises(LockError) as raised:
        read_lock(FAULTS[said])
    assert str(raised.value).startswith(said)


def test_lines_stand_in_one_order_however_they_came() -> None:
    lock = locked(FABRIC)
    again = in_order(lock.devices[::-1], lock.cables[::-1], lock)
    assert lock_text(again) == lock_text(lock)


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    names = ["swp10", "swp9", "swp1s1", "swp1", "2/1", "10/1"]
    assert sorted(names, key=natural) == ["2/1", "10/1", "swp1", "swp1s1", "swp9", "swp10"]
