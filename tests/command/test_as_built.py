"""``toposmith asbuilt`` as a script sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.as_built.fabrics import TAPERED, tapered_dumps
from tests.command.shell import SOUND, Shell

DATA = Path(__file__).parents[1] / "data" / "as_built"
ONE = "dgx-h100-superpod-1su"
SAME, FAULTS = DATA / "made/su1-ibnetdiscover.out", DATA / "made/su1-faults-ibnetdiscover.out"
KEYS = {
    *("kind", "harmful", "a", "z", "expected", "instruction", "moves", "add", "remove", "cables"),
    *("group", "rack", "place", "cost_GBps", "cost_why", "runs_at", "details", "gates", "state"),
}


def test_the_same_exits_0_another_1_and_what_cannot_be_read_2(shell: Shell) -> None:
    assert shell("asbuilt", ONE, str(SAME)).code == 0
    assert shell("asbuilt", ONE, str(FAULTS)).code == 1
    bad = shell("asbuilt", ONE, shell.file("notes.txt", "hello\n"))
    assert bad.code == 2 and bad.out == "" and "notes.txt:1: found 'hello'" in bad.err
    missing = shell("asbuilt", ONE, "no-such.out")
    assert missing.code == 2 and "no-such.out: cannot be read" in missing.err


def test_a_design_of_another_size_is_refused(shell: Shell) -> None:
    done = shell("asbuilt", "dgx-a100-su", str(DATA / "loginoff/loginoff-fdr-qdr-2014.topo"))
    assert done.code == 2 and "may be the dump of another fabric" in done.err


def test_the_check_list_says_what_to_move_where(shell: Shell) -> None:
    out = shell("asbuilt", ONE, str(FAULTS)).out
    flat = " ".join(out.split())
    assert "498 of 504 planned cables are as planned" in flat
    assert "to do: 4 ends to move, 2 cables to lay" in flat
    assert "leaf-su0-rail5 port 2/2: move the cable to leaf-su0-rail6 port 2/2" in flat
    assert max(map(len, out.splitlines()[:3])) < 200


def test_json_has_stable_keys(shell: Shell) -> None:
    data = json.loads(shell("asbuilt", ONE, str(FAULTS), "--json").out)
    assert data["cables"] == {"planned": 504, "found": 502, "agree": 498}
    assert data["devices"] == {"missing": [], "extra": [], "unnamed": []}
    assert (data["moves"], data["add"], data["remove"]) == (4, 2, 0)
    assert all(set(one) == KEYS for one in data["differences"])
    assert {one["kind"] for one in data["differences"]} == {"swapped", "missing"}
    for figures in data["cost"].values():
        assert 0 < figures["as_built"] <= figures["designed"]
    page = (Path(__file__).parents[2] / "docs" / "as-built.md").read_text(encoding="utf-8")
    for key in (*data, *KEYS):
        assert f"`{key}`" in page, key


def test_a_missing_cable_costs_what_the_design_without_it_loses(shell: Shell) -> None:
    """One of eight alike ports of a node: an all-reduce keeps what `absent:` of it keeps."""
    text = SOUND.replace("links:\n", "absent: ['node[node=2].compute[3]']\nlinks:\n")
    whole, without = shell.file("whole.yaml", SOUND), shell.file("without.yaml", text)
    lines = shell("export", whole, "--to", "ibnetdiscover").out.splitlines(keepends=True)
    head = next(at for at, line in enumerate(lines) if line.endswith('# "node-2 mlx5_3"\n'))
    kept = [
        line
        for at, line in enumerate(lines)
        if at != head + 1 and '"node-2 mlx5_3" lid' not in line
    ]
    assert len(kept) == len(lines) - 2
    data = json.loads(shell("asbuilt", whole, shell.file("dump.topo", "".join(kept)), "--json").out)
    expected = json.loads(shell("analyze", without, "--json").out)
    assert data["cost"]["all_reduce"]["as_built"] == pytest.approx(expected["busbw_GBps"], abs=1e-3)
    one = data["differences"][0]
    assert len(data["differences"]) == 1 and one["kind"] == "missing"
    lost = data["cost"]["all_reduce"]["designed"] - data["cost"]["all_reduce"]["as_built"]
    assert one["cost_GBps"]["all_reduce"] == pytest.approx(lost, abs=2e-3)


def test_a_plan_may_be_a_sheet_and_has_no_cost(shell: Shell) -> None:
    sheet = shell.file("cables.csv", shell("export", ONE, "--to", "cables").out)
    data = json.loads(shell("asbuilt", sheet, str(FAULTS), "--json").out)
    assert (data["moves"], data["add"]) == (4, 2)
    assert data["cost"] is None and "not a design" in data["cost_why"]


def test_a_map_says_which_is_which_and_is_held_to_the_plan(shell: Shell) -> None:
    text = (
        SAME.read_text(encoding="utf-8")
        .replace("node-su0-3 ", "alpha ")
        .replace("node-su0-4 ", "beta ")
    )
    dump = shell.file("dump.topo", text)
    good = shell.file("names.txt", "# two of them\nalpha = node-su0-3\nbeta, node-su0-4\n")
    assert shell("asbuilt", ONE, dump, "--map", good).code == 0
    wrong = shell.file("wrong.txt", "alpha = node-su7-3\n")
    done = shell("asbuilt", ONE, dump, "--map", wrong)
    assert done.code == 2 and "node-su7-3, which the plan lacks" in done.err
    empty = shell("asbuilt", ONE, dump, "--map", shell.file("bad.txt", "alpha\n"))
    assert empty.code == 2 and "bad.txt:1" in empty.err


def test_patterns_of_a_map_shift_numbers(shell: Shell) -> None:
    import re

    text = re.sub(
        r"node-su0-(\d+) ", lambda m: f"dgx{int(m[1]) + 1} ", SAME.read_text(encoding="utf-8")
    )
    dump = shell.file("dump.topo", text)
    names = shell.file("names.txt", "dgx{n} = node-su0-{n-1}\n")
    data = json.loads(shell("asbuilt", ONE, dump, "--map", names, "--json", "--no-cost").out)
    assert data["same"] and data["matching"]["by"] == {"map": 31, "name": 12}


def test_a_dump_alone_says_what_is_irregular(shell: Shell) -> None:
    done = shell("asbuilt", str(DATA / "loginoff/loginoff-fdr-qdr-2014.topo"))
    assert done.code == 1
    assert "ib7: 3 host ports" in done.out and "ib1 - ib8: 3 of 4 cables" in done.out


def test_several_dumps_by_a_pattern(shell: Shell) -> None:
    (shell.folder / "dumps").mkdir()
    for name in ("one", "other"):
        (shell.folder / "dumps" / f"{name}.out").write_bytes(SAME.read_bytes())
    assert shell("asbuilt", ONE, "dumps/*.out", "--no-cost").code == 0
    none = shell("asbuilt", ONE, "dumps/*.topo")
    assert none.code == 2 and "no file is called like that" in none.err


def test_the_fabric_as_built_is_a_design_with_the_figures_that_the_cost_says(shell: Shell) -> None:
    plan = shell.file("pod.yaml", TAPERED)
    dump = shell.file("faults.csv", tapered_dumps()["faults"])
    data = json.loads(shell("asbuilt", plan, dump, "-o", "built.yaml", "--json").out)
    for name, figures in data["cost"].items():
        done = json.loads(shell("analyze", "built.yaml", "--collective", name, "--json").out)
        assert figures["as_built"] == pytest.approx(done["busbw_GBps"], abs=2e-3)
    slow = next(one for one in data["differences"] if one["kind"] == "degraded")
    assert slow["runs_at"] == 100 and slow["gates"] == {"jobs": "with", "nodes": ["node-5"]}
    assert shell("asbuilt", plan, dump, "-o", "built.yaml").code == 2  # it is there already
    sheet = shell.file("cables.csv", shell("export", plan, "--to", "cables").out)
    refused = shell("asbuilt", sheet, dump, "-o", "other.yaml")
    assert refused.code == 2 and "can be a design where PLAN is one" in refused.err


def test_the_jobs_that_a_slow_cable_holds_back_are_named(shell: Shell) -> None:
    """node-5 has the slow cable: it is the second of the three nodes after the first four."""
    plan = shell.file("pod.yaml", TAPERED)
    dump = shell.file("later.csv", tapered_dumps()["later"])
    jobs = ("--job", "train: 4 nodes, all_reduce", "--job", "infer: 3 nodes, all_to_all")
    data = json.loads(shell("asbuilt", plan, dump, "--json", "--no-cost", *jobs).out)
    (slow,) = (one for one in data["differences"] if one["kind"] == "degraded")
    assert slow["gates"] == {"jobs": "with", "nodes": ["node-5"], "named": ["infer"]}
    assert "gates the rings of infer" in shell("asbuilt", plan, dump, *jobs).out
    wrong = shell("asbuilt", plan, dump, "--job", "9 nodes, all_reduce")
    assert wrong.code == 2 and "8 nodes of 8 are free" in wrong.err
    sheet = shell.file("cables.csv", shell("export", plan, "--to", "cables").out)
    refused = shell("asbuilt", sheet, dump, *jobs)
    assert refused.code == 2 and "--job goes with a PLAN that is a design" in refused.err


def test_check_lists_go_to_files_by_their_ending(shell: Shell) -> None:
    plan = shell.file("pod.yaml", TAPERED)
    dump = shell.file("faults.csv", tapered_dumps()["faults"])
    lists = [word for end in ("txt", "csv", "xlsx", "html") for word in ("--list", f"todo.{end}")]
    assert shell("asbuilt", plan, dump, "--no-cost", *lists).code == 1
    assert "C0060" in (shell.folder / "todo.csv").read_text()
    assert (shell.folder / "todo.xlsx").read_bytes()[:2] == b"PK"
    wrong = shell("asbuilt", plan, dump, "--list", "todo.pdf")
    assert wrong.code == 2 and ".txt, .csv, .xlsx, .html" in wrong.err


def test_an_earlier_dump_tells_what_was_done(shell: Shell) -> None:
    plan = shell.file("pod.yaml", TAPERED)
    faults = shell.file("faults.csv", tapered_dumps()["faults"])
    later = shell.file("later.csv", tapered_dumps()["later"])
    done = shell("asbuilt", plan, later, "--since", faults, "--no-cost")
    assert "2 put right, 4 open, 0 new" in done.out and "[x] swapped" in done.out
    data = json.loads(shell("asbuilt", plan, faults, "--since", later, "--no-cost", "--json").out)
    assert [one["state"] for one in data["differences"]].count("new") == 2
    assert data["done"] == []


def test_a_design_is_made_of_a_dump_alone(shell: Shell) -> None:
    asked = shell("asbuilt", "--design-from", str(SAME), "-o", "x.yaml")
    assert asked.code == 2 and "31 hosts of 8 ports; 8 leaves" in asked.err
    parts = [word for group in ("leaf=qm9700", "spine=qm9700", "node=dgx-h100")
             for word in ("--part", group)]  # fmt: skip
    made = shell("asbuilt", "--design-from", str(FAULTS), *parts, "-o", "x.yaml",
                 "--write-map", "names.txt")  # fmt: skip
    assert made.code == 0, made.err
    data = json.loads(
        shell("asbuilt", "x.yaml", str(FAULTS), "--map", "names.txt", "--json", "--no-cost").out
    )
    assert data["moves"] == data["add"] == data["remove"] == 0
    assert not any(one["harmful"] for one in data["differences"])
    twice = shell("asbuilt", "--design-from", str(SAME), "--part", "leaf=a", "--part", "leaf=b")
    assert twice.code == 2 and "write each group once" in twice.err
    mixed = shell("asbuilt", ONE, "--design-from", str(SAME))
    assert mixed.code == 2 and "--design-from goes with" in mixed.err


def test_accepting_a_dump_writes_the_lock_and_says_what_it_could_not_bind(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    dump = shell("export", file, "--to", "ibnetdiscover", "-o", "-").out
    accepted = shell("asbuilt", file, shell.file("monday.out", dump), "--accept")
    # 4 nodes and a leaf; 4 x 8 connections
    assert (accepted.code, accepted.out) == (
        0,
        "pod.lock: 5 devices, 32 connections: 32 where they were\n",
    )
    schedule = shell("export", file, "--to", "cables", "-o", "-").out
    assert "mlx5_7" in schedule
    assert "OSFP" not in schedule
    again = shell("asbuilt", file, "monday.out", "--accept")
    assert again.out == accepted.out
    unknown = dump.replace('"node-3 mlx5_0"', '"stranger mlx5_0"')
    other = shell("asbuilt", file, shell.file("friday.out", unknown), "--accept")
    assert other.code == 1
    assert "31 where they were, 1 not seen and kept" in other.out
    assert "not bound: friday.out:" in other.err
    assert "stranger is no device of the design" in other.err


def test_a_lock_that_cannot_be_used_is_not_accepted_over(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    dump = shell.file("monday.out", shell("export", file, "--to", "ibnetdiscover", "-o", "-").out)
    shell.file("pod.lock", "<<<<<<< ours\n")
    refused = shell("asbuilt", file, dump, "--accept")
    assert refused.code == 2
    assert "pod.lock: line 1" in refused.err
    assert (shell.folder / "pod.lock").read_text("utf-8") == "<<<<<<< ours\n"
    assert shell("asbuilt", file, "--accept").code == 2
