"""`toposmith lock` as a script sees it, and that every form reads what it binds."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import toposmith
from tests.command.shell import SIGNED, SOUND, Shell

FORMS_WITH_NAMES = (
    *("cables", "labels", "elevations", "slurm-tree", "topo", "ibnetdiscover", "json", "dot"),
    *("netbox-cables", "k8s-labels", "html"),
)


def schedule(shell: Shell, file: str) -> list[dict[str, str]]:
    found = shell("export", file, "--to", "cables", "-o", "-")
    return list(csv.DictReader(io.StringIO(found.out.removeprefix("\ufeff"))))


def test_a_lock_is_written_beside_the_design_and_keeps_its_schedule(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    before = schedule(shell, file)
    made = shell("lock", file)
    # 4 nodes and a leaf; 4 x 8 connections
    assert (made.code, made.out) == (0, "pod.lock: 5 devices, 32 connections\n")
    assert schedule(shell, file) == before
    shell.file("pod.yaml", SOUND.replace("count: 4", "count: 5"))
    after = schedule(shell, file)
    assert [row for row in after if row in before] == before
    assert len(after) == 40
    again = shell("lock", file)
    assert again.out == ("pod.lock: 6 devices, 40 connections: 32 kept, 0 moved, 8 new, 0 gone\n")


def test_a_name_of_the_lock_is_in_every_form(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    lock.write_text(lock.read_text("utf-8").replace("node-3\t", "dgx017\t"), "utf-8")
    for form in FORMS_WITH_NAMES:
        found = shell("export", file, "--to", form, "-o", "-")
        assert "dgx017" in found.out, form
        assert "node-3" not in found.out, form


def test_a_lock_that_says_something_twice_is_left_alone(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    twice = lock.read_text("utf-8").replace("\tC0009\t", "\tC0001\t")
    lock.write_text(twice, "utf-8")
    refused = shell("lock", file)
    assert refused.code == 2
    assert "label C0001 twice: line" in refused.err
    assert lock.read_text("utf-8") == twice
    found = json.loads(shell("check", file, "--json").out)
    assert "lock-unusable" in str(found)
    assert len(schedule(shell, file)) == 32  # the design opens all the same
    assert shell("lock", file, "--force").code == 0
    assert lock.read_text("utf-8") != twice


def test_the_lock_of_another_design_is_left_alone(shell: Shell) -> None:
    shell("lock", shell.file("pod.yaml", SOUND))
    others = SOUND.replace("node", "host").replace("leaf", "tor")
    Path("other.lock").write_bytes(Path("pod.lock").read_bytes())
    file = shell.file("other.yaml", others)
    for asked in ("lock", "change"):
        refused = shell(asked, file)
        assert refused.code == 2
        assert "the lock of another design" in refused.err
    assert Path("other.lock").read_bytes() == Path("pod.lock").read_bytes()
    assert "lock-of-another" in shell("check", file, "--json").out


def test_devices_that_the_design_lost_are_named(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    shell.file("pod.yaml", SOUND.replace("count: 4", "count: 3"))
    # a head of two lines, the leaf, and the fourth node
    assert "node-3 (line 7)" in shell("check", file, "--json").out


def test_whether_a_group_was_renamed_by_hand_is_asked_and_never_guessed(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    bound = Path("pod.lock").read_bytes()
    shell.file("pod.yaml", SOUND.replace("node", "dgx"))
    found = shell("check", file, "--json")
    assert "line 4: group node is not in this design" in found.out
    for asked in ("lock", "change"):
        refused = shell(asked, file)
        assert refused.code == 2
        assert "--renamed node=dgx where that is the same" in refused.err
    assert Path("pod.lock").read_bytes() == bound
    order = shell("change", file, "--renamed", "node=dgx")
    assert "nothing to do" in order.out
    gone = shell("change", file, "--renamed", "node=", "--json")
    acts = [act["act"] for step in json.loads(gone.out)["steps"] for act in step["acts"]]
    assert (acts.count("take out"), acts.count("add")) == (4, 4)
    done = shell("lock", file, "--renamed", "node=dgx")
    assert "32 kept, 0 moved, 0 new, 0 gone" in done.out
    assert Path("pod.lock").read_text("utf-8").count("node-3\tdgx\tdgx=3\t") == 1
    assert shell("lock", file, "--renamed", "node").code == 2


def test_whether_an_axis_was_renamed_by_hand_is_asked_too(shell: Shell) -> None:
    file = shell.file("pod.yaml", SIGNED)
    shell("lock", file)
    shell.file("pod.yaml", SIGNED.replace("rail:", "plane:").replace("[rail]", "[plane]"))
    refused = shell("lock", file)
    assert refused.code == 2
    assert "axis rail is not in pod.yaml, and the lock says nothing of plane" in refused.err
    done = shell("lock", file, "--renamed", "rail=plane")
    assert "64 kept, 0 moved, 0 new, 0 gone" in done.out


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("rail:", "plane:", "lock-renamed"), ("count: 4", "count: 3", "lock-larger")],
)
def test_a_lock_beside_a_design_that_went_on_without_it_is_a_finding(
    shell: Shell, old: str, new: str, code: str
) -> None:
    file = shell.file("pod.yaml", SIGNED)
    shell("lock", file)
    edited = SIGNED.replace(old, new).replace(
        "[rail]", f"[{new[:-1]}]" if "plane" in new else "[rail]"
    )
    assert edited != SIGNED
    shell.file("pod.yaml", edited)
    (design,) = json.loads(shell("check", file, "--json").out)["designs"]
    (found,) = [one for one in design["findings"] if one["code"] == code]
    assert "line " in found["text"]


def test_no_port_left_is_said_and_no_line_is_written(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    kept: list[str] = []
    for line in lock.read_text("utf-8").splitlines():
        fields = line.split("\t")
        if fields[0] == "c":
            # a module that no new cable has, in every one of the 32 cages of the leaf
            fields[4] = f"{1 + sum(one.startswith('c') for one in kept)}/1"
        elif fields[0] == "k":
            fields[5] = "module-of-before"
        kept.append("\t".join(fields))
    lock.write_text("\n".join([*kept, ""]), "utf-8")
    assert shell("lock", file).code == 0
    grown = shell("lock", shell.file("pod.yaml", SOUND.replace("count: 4", "count: 5")))
    assert grown.code == 1
    assert "8 connections find no port that is free" in grown.err
    assert "6 devices, 32 connections: 32 kept, 0 moved, 0 new, 0 gone" in grown.out
    order = shell("change", file)
    assert (order.code, order.err) == (1, "")
    assert "8 connections find no port that is free" in order.out
    assert "8 connections find no port that is free" in shell("change", file, "--csv").err
    noted = toposmith.evaluate("pod.yaml").schedule.findings
    assert [one.code for one in noted] == ["lock-no-port"]
    assert Path("pod.lock").read_text("utf-8").count("\nc\t") == 32
    assert sum(row["Label"] == "unbound" for row in schedule(shell, file)) == 8


def test_only_a_file_of_ones_own_gets_a_lock(shell: Shell) -> None:
    assert shell("lock", "dgx-h100-superpod-1su").code == 2
    assert shell("lock", "-").code == 2


def test_both_sides_of_a_merge_are_united(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    shell.file("base.lock", lock.read_text("utf-8"))
    base = lock.read_text("utf-8").splitlines()
    sides = []
    for count in (5, 6):
        lock.write_text("\n".join([*base, ""]), "utf-8")
        shell("lock", shell.file("pod.yaml", SOUND.replace("count: 4", f"count: {count}")))
        sides.append([line for line in lock.read_text("utf-8").splitlines() if line not in base])
    marked = ["<<<<<<< ours", *sides[0], "=======", *sides[1], ">>>>>>> theirs", ""]
    lock.write_text("\n".join([*base, *marked]), "utf-8")
    half = shell("lock", file)
    assert half.code == 2
    assert "half merged" in half.err
    done = shell("lock", file, "--settle", "base.lock")
    assert done.code == 0, done.err
    assert set(base) <= set(lock.read_text("utf-8").splitlines())
    after = shell("lock", file)
    assert "48 connections" in after.out
    assert shell("lock", file, "--settle", "nowhere.lock").code == 2


def test_an_approval_binds_what_is_new_and_is_stale_once_the_lock_is_another(shell: Shell) -> None:
    file = shell.file("pod.yaml", SIGNED)
    assert shell("review", file, "--approve", "--author", "Ann").code == 0
    assert not Path("pod.lock").exists()  # without a lock nothing is bound
    shell("lock", file)
    shell.file("pod.yaml", SIGNED.replace("count: 4", "count: 5"))
    assert shell("review", file, "--approve", "--author", "Ann").code == 0
    bound = Path("pod.lock").read_text("utf-8")
    assert "\nd\tnode-4\t" in bound
    assert shell("review", file, "--status").code == 0
    said = shell("lock", file).out
    assert "0 moved, 0 new, 0 gone" in said
    Path("pod.lock").write_text(bound.replace("spine-0\t", "core-a\t"), "utf-8")
    stale = shell("review", file, "--status")
    assert stale.code == 1
    assert "stale, changed since: the lock" in stale.out
    Path("pod.lock").write_text(bound, "utf-8")
    assert shell("review", file, "--status").code == 0
    Path("pod.lock").unlink()
    assert "changed since: the lock" in shell("review", file, "--status").out


def test_an_approval_leaves_a_lock_alone_that_cannot_be_used(shell: Shell) -> None:
    file = shell.file("pod.yaml", SIGNED)
    shell.file("pod.lock", "toposmith-lock\t7\n")
    refused = shell("review", file, "--approve", "--author", "Ann")
    assert refused.code == 1
    assert "1 error found" in refused.err
    again = shell("review", file, "--approve", "--author", "Ann", "--despite-open")
    assert again.code == 0
    assert Path("pod.lock").read_text("utf-8") == "toposmith-lock\t7\n"


def test_a_port_that_the_part_lacks_is_named_and_the_lock_left_alone(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    lines = lock.read_text("utf-8").splitlines()
    # the leaf, a QM9700, has cages 1 to 32 of two ports each
    number = next(n for n, line in enumerate(lines, 1) if line.split("\t")[4:5] == ["5/1"])
    odd = lock.read_text("utf-8").replace("\t5/1\t", "\t40/1\t", 1)
    lock.write_text(odd, "utf-8")
    (design,) = json.loads(shell("check", file, "--json").out)["designs"]
    (found,) = [one for one in design["findings"] if one["code"] == "lock-odd-port"]
    assert found["severity"] == "error"
    assert f"line {number}: leaf-0 40/1 is no port of qm9700" in found["text"]
    assert len(schedule(shell, file)) == 32  # the design opens all the same
    for refuses in ("lock", "change"):
        refused = shell(refuses, file)
        assert refused.code == 2
        assert "leaf-0 40/1" in refused.err
    approved = shell("review", file, "--approve", "--author", "Ann", "--despite-open")
    assert approved.code == 2
    assert "leaf-0 40/1" in approved.err
    assert lock.read_text("utf-8") == odd


def test_ports_of_a_nic_that_each_node_loses_are_no_fault_of_the_lock(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    other = lock.read_text("utf-8").replace("OSFP1 P1", "OSFP9 P1")  # as if the part had lost it
    lock.write_text(other, "utf-8")
    assert "lock-odd-port" not in shell("check", file, "--json").out
    assert "32 kept" not in shell("lock", file).out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # a module of two ports of 400 Gb/s runs neither at another rate nor as a node
        ("\t400\t", "\t200\t", "no cable of 200 Gb/s is made of mma4z00-ns-flt"),
        ("mfp7e10\t400", "dgx-h100\t400", "no cable of 400 Gb/s is made of dgx-h100"),
        ("mma4z00-ns\n", "qm9700\n", "no cable of 400 Gb/s is made of qm9700"),
        # two fibres could be a port of 800 Gb/s, but a QM9700 has none
        ("\t400\t", "\t800\t", "is no port of qm9700 at 800 Gb/s"),
    ],
)
def test_a_rate_or_part_that_no_cable_has_is_named_and_the_lock_left_alone(
    shell: Shell, old: str, new: str, said: str
) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    odd = lock.read_text("utf-8").replace(old, new)
    lock.write_text(odd, "utf-8")
    number = next(n for n, line in enumerate(odd.splitlines(), 1) if line.startswith("k\t"))
    if "no port" in said:
        number += 2  # the first cable, below the head of cables
    (design,) = json.loads(shell("check", file, "--json").out)["designs"]
    faults = [one for one in design["findings"] if one["code"].startswith("lock-odd-")]
    assert [one["severity"] for one in faults] == ["error"] * len(faults)
    code = "lock-odd-port" if "no port" in said else "lock-odd-kit"
    texts = [one["text"] for one in faults if one["code"] == code]
    assert any(one.startswith(f"pod.lock: line {number}: ") and said in one for one in texts)
    assert len(schedule(shell, file)) == 32  # the design opens all the same
    for refuses in ("lock", "change"):
        refused = shell(refuses, file)
        assert refused.code == 2
        assert said in refused.err
    approved = shell("review", file, "--approve", "--author", "Ann", "--despite-open")
    assert approved.code == 2
    assert lock.read_text("utf-8") == odd


def test_what_is_of_an_unknown_rate_stays_where_it_is(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    unknown = lock.read_text("utf-8").replace("\t400\t", "\t\t")
    lock.write_text(unknown, "utf-8")
    assert "nothing to do" in shell("change", file).out
    assert "32 kept, 0 moved, 0 new, 0 gone" in shell("lock", file).out
    assert lock.read_text("utf-8") == unknown


def test_a_lock_of_devices_alone_binds_names_and_places(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    devices = lock.read_text("utf-8").partition("#k\t")[0].replace("node-3\t", "dgx017\t")
    lock.write_text(devices, "utf-8")
    assert "dgx017" in str(schedule(shell, file))
    found = shell("check", file, "--json").out
    assert "lock-odd" not in found
    # a head of two lines, the leaf, then the nodes
    assert "5 of its devices have no cable there, such as node-0 (line 4)" in found
    assert "0 kept, 0 moved, 32 new, 0 gone" in shell("lock", file).out
    assert "lock-uncabled" not in shell("check", file, "--json").out


def test_a_lock_of_which_the_end_is_lost_is_named(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    lock = Path("pod.lock")
    lines = lock.read_text("utf-8").splitlines(keepends=True)
    lock.write_text("".join(lines[:-8]), "utf-8")  # the cables of the last node stand last
    (design,) = json.loads(shell("check", file, "--json").out)["designs"]
    (found,) = [one for one in design["findings"] if one["code"] == "lock-uncabled"]
    assert found["severity"] == "warning"
    assert "such as node-3 (line 7)" in found["text"]
    # a node that is absent, or whose leaf is, has none by the design
    for where in ("node[node=3]", "leaf"):
        shell.file("pod.yaml", SOUND + f'absent: ["{where}"]\n')
        assert "lock-uncabled" not in shell("check", file, "--json").out
