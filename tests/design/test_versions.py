"""A file says the lowest version that holds what it uses, and what is newer is refused plainly."""

from __future__ import annotations

import pytest

from toposmith.design.document import FILE_VERSION, Design, SingleCable
from toposmith.design.edits.edit import changed
from toposmith.design.job_block import JobBlock
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import DesignFileError

TWO_LEAVES = """\
toposmith: 1 # the first line
name: two leaves
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
"""


def lines_of(text: str) -> list[str]:
    with pytest.raises(DesignFileError) as caught:
        parse_design(text, "f.yaml")
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    "newer",
    [
        {"slow": {"leaf[leaf=0]": "50 %", "node[node=1].compute[2]": 200}},
        {"sets": {"row-b": ("leaf[leaf=1]", "node[node=2..3]")}},
        {"jobs": (JobBlock(nodes=2, runs="all_reduce", size="1GiB"),)},
        {"cables": (SingleCable(a="node[node=0].compute[0]", z="leaf[leaf=1]", length=3),)},
    ],
)
def test_a_key_of_version_2_makes_the_file_one_of_version_2_and_back(newer: dict) -> None:
    before = parse_design(TWO_LEAVES, "f.yaml")
    after = changed(before, **newer)
    text = design_text(after, TWO_LEAVES)
    assert text.startswith("toposmith: 2 # the first line\n")
    assert parse_design(text, "f.yaml") == after
    assert design_text(after, text) == text
    (key,) = newer
    again = changed(after, **{key: type(newer[key])()})
    assert again == before
    assert design_text(again, text) == TWO_LEAVES


def test_a_design_made_by_hand_with_a_newer_key_is_written_as_version_2() -> None:
    design = Design(slow={"leaf": 100})
    assert design_text(design).startswith("toposmith: 2\n")


def test_version_2_without_anything_new_stays_what_a_person_wrote() -> None:
    text = TWO_LEAVES.replace("toposmith: 1", "toposmith: 2")
    assert design_text(parse_design(text, "f.yaml"), text) == text


def test_a_version_beyond_this_program_is_refused_in_one_sentence() -> None:
    (line,) = lines_of(f"toposmith: {FILE_VERSION + 1}\nqueues: []\n")
    assert "needs a newer Toposmith; this one reads versions up to 2" in line


def test_a_key_of_version_2_in_a_file_of_version_1_is_told_the_number() -> None:
    (line,) = lines_of(TWO_LEAVES + 'slow: {"leaf": 100}\n')
    assert line == "f.yaml:8:1: slow: came with version 2; write `toposmith: 2` on top"


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("slow: {leaf: 0}", "slow.leaf: found 0, expected Gb/s such as 200 or a share such as 50"),
        ("slow: {leaf: half}", "found 'half', expected Gb/s such as 200 or a share such as 50 %"),
        ("slow: {leaf: true}", "found true, expected Gb/s such as 200 or a share such as 50 %"),
        ("slow: {leaf: 0 %}", "found '0 %', expected Gb/s such as 200 or a share such as 50 %"),
        ("slow: [leaf]", "slow: found a list of 1, expected keys with values"),
        ("sets: {4: [leaf]}", "sets.4: found '4', expected a name"),
        ("sets: {row: leaf}", "sets.row: found 'leaf', expected a list"),
        ("cables: [{a: leaf}]", "cables[0]: the key 'z' is missing"),
        ("cables: [{a: x, z: y, port: 3}]", "unknown key 'port'"),
        ("cables: [{a: x, z: y, speed: 1.5}]", "found 1.5, expected a whole number above 0"),
        ("queues: []", "unknown key 'queues'"),
        ("jobs: {a: 8}", "jobs: found keys"),
        ("jobs: [{nodes: 8}]", "jobs[0]: the key 'runs' is missing"),
        ("jobs: [{nodes: 0, runs: read}]", "found 0, expected how many nodes, all, or selectors"),
        ("jobs: [{nodes: [], runs: read}]", "expected how many nodes, all, or selectors of nodes"),
        ("jobs: [{nodes: 8, runs: alltoall}]", "found 'alltoall', expected all_reduce, all_gather"),
        ("jobs: [{nodes: 8, runs: read, size: big}]", "found 'big', expected a size such as 1GiB"),
        ("jobs: [{nodes: 8, runs: read, seed: -1}]", "found -1, expected a whole number from 0"),
        ("jobs: [{nodes: 8, runs: read, placement: x}]", "expected packed, striped or scattered"),
        ("jobs: [{nodes: 8, runs: read, name: 'a b'}]", "found 'a b', expected a name"),
        ("jobs: [{nodes: 8, runs: read, ranks: 4}]", "unknown key 'ranks'"),
    ],
)  # fmt: skip
def test_a_wrong_value_of_a_newer_key_is_placed(block: str, expected: str) -> None:
    (line,) = lines_of(TWO_LEAVES.replace("toposmith: 1", "toposmith: 2") + block + "\n")
    assert line.startswith("f.yaml:8:")
    assert expected in line


def test_more_single_cables_than_are_read_are_refused_at_their_place() -> None:
    one = '  - {a: "node[node=0].compute[0]", z: leaf}\n'
    text = TWO_LEAVES.replace("toposmith: 1", "toposmith: 2") + "cables:\n" + one * 10_001
    (line,) = lines_of(text)
    assert line.startswith("f.yaml:9:")
    assert "cables: found a list of 10001, expected a list of at most 10,000" in line


def test_a_million_single_cables_are_refused_by_their_size() -> None:
    one = '  - {a: "node[node=0].compute[0]", z: leaf}\n'
    (line,) = lines_of("toposmith: 2\ncables:\n" + one * 1_000_000)
    assert "bytes, expected at most 10,000,000" in line
