"""Names of a dump may differ from the plan's in any way: its cables say which device is which.

``python -m bench.asbuilt.hostile_names`` tries many more.
"""

from __future__ import annotations

import re
from itertools import product

import pytest

from tests.as_built.fabrics import compared, design, dump_of, plan_of, text_of
from tests.as_built.hostile_names import SHAPES, SWITCH_NAMES, hostile_case, judged
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.device_matches import match


@pytest.mark.parametrize("seed", range(len(SHAPES) * len(SWITCH_NAMES)))
def test_no_more_cables_differ_than_under_the_truth(seed: int) -> None:
    """Every shape with every way to name switches: cables counted here, steps by the faults."""
    case = hostile_case(seed)
    found = judged(case)
    assert not found.is_wrong, (case.words, found)


def _one_switch(name: str, hosts: int, *, cables: int = 1) -> Cabling:
    """Hosts on a switch, each with as many cables."""
    cabling = Cabling(name)
    switch = cabling.device(f"{name}-switch", f"{name} switch", "switch")
    for number, port in product(range(hosts), range(cables)):
        host = cabling.device(f"host{number}", f"host{number}", "host")
        far = ListedEnd(switch, f"{number * cables + port}")
        cabling.cables.append(ListedCable(ListedEnd(host, f"{port}"), far))
    return cabling


@pytest.mark.parametrize(("planned", "found", "steps"), [(1, 1, 0), (2, 1, 3), (2, 2, 0)])
def test_cables_agree_up_to_as_many_as_are_planned_between_two_devices(
    planned: int, found: int, steps: int
) -> None:
    """Three hosts on a switch under another name: each has all its cables, or one less."""
    plan, dump = _one_switch("plan", 3, cables=planned), _one_switch("dump", 3, cables=found)
    matched, _ = match(plan, dump)
    assert matched.pairs == {
        "dump-switch": "plan-switch",
        **{f"host{number}": f"host{number}" for number in range(3)},
    }
    answer = compared(plan, dump)
    assert answer.moves + answer.add + answer.remove == steps


def test_what_a_match_rests_on_is_said() -> None:
    one = design("dgx-h100-superpod-1su")
    text = re.sub(r"leaf-su0-rail(\d)", lambda m: "xyzwvuts"[int(m[1])] * 6, text_of(one))
    found = compared(plan_of(one), dump_of(text))
    assert found.same and found.match.ways == {"name": 35, "wiring": 8}
    assert any(
        note.startswith("8 devices matched by what they are joined to") and "ssssss is" in note
        for note in found.notes
    )
