"""A dump is compared with its plan: what is distinguished, and that no more is moved than was."""

from __future__ import annotations

import random
import re

import pytest

from tests.as_built.fabrics import (
    compared,
    design,
    design_of,
    dump_of,
    ends_of,
    plan_of,
    renamed,
    rewired,
    swapped,
    text_of,
)
from tests.fabric_texts import on_rails
from toposmith.as_built.acceptance import accept
from toposmith.as_built.cable_list import Cabling, ListedEnd, UnreadableError
from toposmith.as_built.device_matches import match

ONE, FOUR = "dgx-h100-superpod-1su", "dgx-h100-superpod-4su"
SMALL = on_rails(6)


def _dump(name: str = ONE) -> Cabling:
    return dump_of(text_of(design(name)))


def _without(dump: Cabling, unwanted: set[int]) -> Cabling:
    ends = [one for at, one in enumerate(ends_of(dump)) if at not in unwanted]
    return rewired(dump, ends)


@pytest.mark.parametrize("name", [ONE, FOUR, "dgx-a100-su"])
def test_a_fabric_that_is_cabled_as_planned_does_not_differ(name: str) -> None:
    for form in ("ibnetdiscover", "ibsim"):
        found = compared(plan_of(design(name)), dump_of(text_of(design(name), form)))
        assert found.same
        assert found.agree == found.planned == found.found > 0
        assert not found.differences
        assert not (found.missing or found.extra or found.unnamed)


def test_two_ports_of_a_node_crossed_between_rails_are_two_moves() -> None:
    dump = _dump()
    ends = ends_of(dump)
    own = {end.port: at for at, one in enumerate(ends) for end in one if end.device == "node-su0-3"}
    one, other = own["mlx5_2"], own["mlx5_3"]
    (a, z), (b, y) = (
        sorted(ends[at], key=lambda e: e.device != "node-su0-3") for at in (one, other)
    )
    ends[one], ends[other] = (a, y), (b, z)
    found = compared(plan_of(design(ONE)), rewired(dump, ends))
    assert (found.moves, found.add, found.remove) == (2, 0, 0)
    assert [one.kind for one in found.differences] == ["swapped", "swapped"]
    assert all(one.harmful for one in found.differences)
    text = " ".join(one.instruction for one in found.differences)
    # The schedule has OSFP2 P1 on rail 6 and OSFP2 P2 on rail 5.
    assert "leaf-su0-rail5 port 2/2: move the cable to leaf-su0-rail6 port 2/2" in text
    assert "leaf-su0-rail6 port 2/2: move the cable to leaf-su0-rail5 port 2/2" in text


def test_cables_crossed_inside_a_bundle_do_no_harm() -> None:
    dump = _dump()
    ends = ends_of(dump)
    bundle = [at for at, one in enumerate(ends)
              if {end.device for end in one} == {"leaf-su0-rail0", "spine-0"}]  # fmt: skip
    one, other = bundle[:2]
    (a, z), (b, y) = ends[one], ends[other]
    ends[one], ends[other] = (a, y), (b, z)
    found = compared(plan_of(design(ONE)), rewired(dump, ends))
    assert [one.cables for one in found.differences] == [2] and found.same
    assert not any(one.harmful or one.moves for one in found.differences)
    assert found.agree == found.planned - 2


def test_alike_nodes_exchanged_on_one_leaf_do_no_harm() -> None:
    dump = _dump()
    ends = ends_of(dump)
    nodes = {"node-su0-3", "node-su0-4"}
    held = [
        at
        for at, (a, z) in enumerate(ends)
        if {a.device, z.device} & nodes and "leaf-su0-rail6" in (a.device, z.device)
    ]
    one, other = held
    leaf = [next(e for e in ends[at] if e.device == "leaf-su0-rail6") for at in held]
    node = [next(e for e in ends[at] if e.device != "leaf-su0-rail6") for at in held]
    ends[one], ends[other] = (node[0], leaf[1]), (node[1], leaf[0])
    found = compared(plan_of(design(ONE)), rewired(dump, ends))
    assert found.moves == 0 and not any(one.harmful for one in found.differences)
    assert {one.kind for one in found.differences} == {"swapped"}


def test_a_leaf_that_is_not_seen_is_one_difference() -> None:
    dump = _dump()
    gone = {at for at, one in enumerate(ends_of(dump))
            if any(end.device == "leaf-su0-rail2" for end in one)}  # fmt: skip
    found = compared(plan_of(design(ONE)), _without(dump, gone))
    assert [(one.kind, one.device, one.cables) for one in found.differences] == [
        ("missing", "leaf-su0-rail2", 63)
    ]
    assert found.missing == ["leaf-su0-rail2"]
    assert found.moves == found.add == 0


def test_removed_cables_are_to_be_laid_again_where_they_were() -> None:
    dump = _dump()
    found = compared(plan_of(design(ONE)), _without(dump, {10, 300}))
    assert (found.moves, found.add) == (0, 2)
    lost = {one.ends() for one in (dump.cables[10], dump.cables[300])}
    assert len(lost) == 2 and {one.kind for one in found.differences} == {"missing"}


def test_a_cable_that_is_not_planned_is_to_be_taken_out() -> None:
    dump = _dump()
    ends = [*ends_of(dump), (ListedEnd("leaf-su0-rail0", "32"), ListedEnd("leaf-su0-rail1", "32"))]
    found = compared(plan_of(design(ONE)), rewired(dump, ends))
    assert [(one.kind, one.remove) for one in found.differences] == [("extra", 1)]


def test_what_the_plan_does_not_hold_is_no_difference_of_the_plan() -> None:
    dump = _dump()
    dump.device("ufm1", "ufm1", "host")
    ends = [*ends_of(dump), (ListedEnd("ufm1", "HCA-1"), ListedEnd("leaf-su0-rail0", "32"))]
    found = compared(plan_of(design(ONE)), rewired(dump, ends))
    assert found.same and found.extra == ["ufm1"]
    assert [(one.kind, one.harmful) for one in found.differences] == [("outside", False)]


@pytest.mark.parametrize("name,sets", [(ONE, 40), pytest.param(FOUR, 25)])
def test_never_more_moves_than_were_made(name: str, sets: int) -> None:
    plan, dump = plan_of(design(name)), _dump(name)
    for seed in range(sets):
        draw = random.Random(seed)
        ends = ends_of(dump)
        swaps, removals = draw.randint(0, 20), draw.randint(0, 5)
        for _ in range(swaps):
            swapped(ends, draw)
        for _ in range(removals):
            ends.pop(draw.randrange(len(ends)))
        draw.shuffle(ends)
        ends = [one if draw.random() < 0.5 else (one[1], one[0]) for one in ends]
        found = compared(plan, rewired(dump, ends))
        assert found.add + found.remove <= removals, seed
        assert found.moves <= 2 * swaps, seed
        # Every planned cable is accounted for: as planned, or one of the differences.
        harmless = sum(not one.harmful for one in found.differences)
        assert found.agree + harmless <= found.planned
        harmful = [one for one in found.differences if one.harmful]
        assert sum(one.moves + one.add + one.remove for one in harmful) <= 2 * swaps + removals


def test_doing_what_is_said_gives_the_planned_fabric() -> None:
    """Each instruction is carried out on the dump; afterwards nothing harmful is left."""
    plan, dump = plan_of(design(ONE)), _dump()
    draw = random.Random(7)
    ends = ends_of(dump)
    for _ in range(12):
        swapped(ends, draw)
    found = compared(plan, rewired(dump, ends))
    named = {end: end for one in ends for end in one}
    after = list(ends)
    for one in found.differences:
        if not one.harmful or one.moves != 1:
            continue
        told = re.match(r"(\S+) (?:port )?(.+): move the cable to (\S+) (?:port )?(.+?) \(from "
                        r"(\S+) (?:port )?(.+?)\)", one.instruction)  # fmt: skip
        assert told, one.instruction
        leaves, goes, stays = (_dumped(plan, *told.group(at, at + 1)) for at in (1, 3, 5))
        at = next(
            at
            for at, (a, z) in enumerate(ends)
            if {a.device, z.device} == {leaves.device, stays.device} and stays in (a, z)
        )
        after[at] = (stays, goes)
        named[goes] = goes
    again = compared(plan, rewired(dump, after))
    left = [one for one in again.differences if one.harmful]
    assert not left, [one.instruction for one in left]


def _dumped(plan: Cabling, device: str, port: str) -> ListedEnd:
    """A planned port as the dump calls it, counted here once more: two ports to a cage."""
    if plan.devices[device].kind == "switch":
        cage, number = port.split("/")
        return ListedEnd(device, str(2 * (int(cage) - 1) + int(number)))
    own = sorted(
        {end.port for one in plan.cables for end in (one.a, one.z) if end.device == device}
    )
    return ListedEnd(device, f"mlx5_{own.index(port)}")


def test_shuffled_lines_and_addresses_give_the_same_answer() -> None:
    text = text_of(design(ONE))
    blocks = text.split("\n\n")
    random.Random(3).shuffle(blocks)
    addresses = sorted(set(re.findall(r"[SH]-([0-9a-f]{16})", text)))
    other = list(addresses)
    random.Random(4).shuffle(other)
    turned = dict(zip(addresses, other, strict=True))
    shuffled = re.sub(
        r"([SH])-([0-9a-f]{16})", lambda m: f"{m[1]}-{turned[m[2]]}", "\n\n".join(blocks)
    )
    assert compared(plan_of(design(ONE)), dump_of(shuffled)).same


@pytest.mark.parametrize("name", [ONE, FOUR])
def test_a_fabric_with_other_names_is_matched_by_its_wiring(name: str) -> None:
    found = compared(plan_of(design(name)), dump_of(renamed(text_of(design(name)))))
    assert found.agree == found.planned
    assert found.match.ambiguous == 0
    assert found.match.ways["wiring"] == len(found.plan.devices)


def test_faults_are_found_under_other_names_too() -> None:
    dump = dump_of(renamed(text_of(design(ONE))))
    for seed in range(6):
        draw = random.Random(seed)
        ends = ends_of(dump)
        for _ in range(5):
            swapped(ends, draw)
        found = compared(plan_of(design(ONE)), rewired(dump, ends))
        assert found.match.ambiguous == 0
        assert found.moves <= 10 and found.add == found.remove == 0, seed


def test_hosts_without_a_name_are_told_by_the_port_that_they_are_on() -> None:
    text = re.sub(
        r'"node-su\d+-\d+ mlx5_\d"',
        '"MT4129 ConnectX7   Mellanox Technologies"',
        text_of(design(ONE)),
    )
    found = compared(plan_of(design(ONE)), dump_of(text))
    assert found.same and found.agree == found.planned
    assert len(found.unnamed) == 248 and not found.missing


def test_names_that_count_alike_are_matched_by_their_numbers() -> None:
    text = re.sub(r"node-su0-(\d+)", lambda m: f"gpu{int(m[1]) + 1:03}", text_of(design(ONE)))
    text = re.sub(r"leaf-su0-rail(\d)", lambda m: f"ib-leaf-{int(m[1]) + 1:02}", text)
    text = re.sub(r"spine-(\d)", lambda m: f"ib-core-{int(m[1]) + 1:02}", text)
    found = compared(plan_of(design(ONE)), dump_of(text))
    assert found.agree == found.planned
    assert any("gpu001 is node-su0-0" in note for note in found.notes)


def test_rails_without_spines_and_names_cannot_be_told_apart_and_that_is_said() -> None:
    rails = SMALL.split("  spine:")[0] + "links:\n  - {between: [node.compute, leaf]}\n"
    text = re.sub(
        r'"node-\d mlx5_\d"',
        '"MT4129 ConnectX7   Mellanox Technologies"',
        text_of(design_of(rails)),
    )
    text = re.sub(r'"leaf-rail(\d)"', '"Quantum Mellanox Technologies"', text)
    with pytest.raises(UnreadableError, match="map") as failed:
        match(plan_of(design_of(rails)), dump_of(text))
    assert "0 of 48 cables explained" in str(failed.value)


def test_what_may_be_another_fabric_is_compared_and_said_first_and_not_accepted() -> None:
    planned, dump = design("dgx-a100-su"), dump_of(renamed(text_of(design(ONE))))
    found = compared(plan_of(planned), dump)
    assert "may be the dump of another fabric" in found.notes[0] and not found.same
    with pytest.raises(UnreadableError, match="may be the dump of another fabric"):
        accept(planned, dump)


def test_links_at_half_speed_are_degraded() -> None:
    text = text_of(design(ONE)).replace('[5]\t"H-0000000000100200"', '[5]\t"H-0000000000100200"')
    lines = text.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith("[40]"))
    lines[at] = lines[at].replace("4xNDR", "2xNDR")
    found = compared(plan_of(design(ONE)), dump_of("".join(lines)))
    assert [one.kind for one in found.differences] == ["degraded"]
    assert "200 of 400 Gb/s" in found.differences[0].instruction


def test_a_fabric_in_which_all_links_are_slow_is_one_note() -> None:
    found = compared(plan_of(design(ONE)), dump_of(text_of(design(ONE)).replace("4xNDR", "4xSDR")))
    assert found.same
    assert any("504 links planned at 400 Gb/s below that speed" in note for note in found.notes)


def test_switches_without_a_name_are_told_by_their_ports() -> None:
    text = re.sub(
        r'"(leaf|spine)-[\w-]+"', '"Quantum-2 Mellanox Technologies"', text_of(design(ONE))
    )
    found = compared(plan_of(design(ONE)), dump_of(text))
    assert found.same and found.agree == found.planned
    assert found.match.ways == {"name": 31, "wiring": 12}


def test_two_fabrics_in_one_dump_are_told_apart_and_said() -> None:
    other = re.sub(r"([SH])-0000", r"\1-00ff", text_of(design("dgx-a100-su")))
    other = re.sub(r"\b(node|leaf|spine)-", r"storage-\1-", other)
    found = compared(plan_of(design(ONE)), dump_of(text_of(design(ONE)) + other))
    assert found.same and found.agree == 504
    assert any("two fabrics in one dump" in note for note in found.notes)
    assert [(one.kind, one.cables) for one in found.differences] == [("outside", 320)]


def test_a_smaller_fabric_of_other_names_is_not_laid_over_a_larger() -> None:
    other = re.sub(r"\b(node|leaf|spine)-", r"storage-\1-", text_of(design("dgx-a100-su")))
    found = compared(plan_of(design(ONE)), dump_of(other))
    assert "320 of 504 cables explained" in found.notes[0] and not found.same


def test_equal_units_without_names_may_be_exchanged_and_that_is_said() -> None:
    """Two pods on no common spine: nothing tells the one from the other."""
    pods = design_of(
        "toposmith: 1\naxes: {pod: 2, rail: 4}\ngroups:\n"
        "  node: {part: dgx-h100, per: [pod], count: 4}\n"
        "  leaf: {part: qm9700, per: [pod, rail]}\n"
        "  spine: {part: qm9700, per: [pod], count: 2}\n"
        "links:\n  - {between: [node.compute, leaf]}\n  - {between: [leaf, spine], cables: 2}\n"
    )
    text = re.sub(r"\b(node|leaf|spine)-(pod\d)", r"x\1\2", text_of(pods))
    named = re.sub(r'"x(leaf|spine|node)[\w-]*', lambda m: f'"{m[0][1:].translate(_OTHER)}', text)
    try:
        found = compared(plan_of(pods), dump_of(named))
    except UnreadableError as failed:
        assert "map" in str(failed)
        return
    assert found.match.ambiguous > 0
    assert any("may be exchanged" in note for note in found.notes)


# Digits to letters, so that no number of a name says where a device stands.
_OTHER = str.maketrans("0123456789", "qwertzuiop")
