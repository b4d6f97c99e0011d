"""`check` as people and programs see it: policy, waivers, JSON, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command.shell import SIGNED, SOUND, Shell
from toposmith.catalog import Catalog, load_catalog
from toposmith.evaluation import here
from toposmith.findings.part_files import catalog_findings
from toposmith.saved_designs import saved_designs

HALF = SIGNED.replace("cables: 2", "cables: 1")
WAIVED = HALF + (
    'waivers: [{code: oversubscribed, where: leaf, reason: "meant\\u202e", date: "2026-01-31"}]\n'
)


@pytest.mark.parametrize("saved", saved_designs(), ids=lambda saved: saved.name)
def test_every_saved_design_is_clean_or_waived_with_reasons(shell: Shell, saved: object) -> None:
    done = shell("check", saved.name)  # type: ignore[attr-defined]
    assert done.code == 0


def test_place_reason_figure_and_fix_are_said(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", HALF))
    assert done.code == 1
    assert done.out.startswith("a.yaml: warning: leaf: leaf tier oversubscribed 2:1 ")
    assert "    figure: 2:1 at the leaf tier, policy 1:1\n" in done.out
    assert "    fix: 16 uplinks more; leaf - spine with cables: 2 instead of 1\n" in done.out


def test_a_waived_finding_is_shown_with_reason_and_date_and_exits_0(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", WAIVED))
    assert done.code == 0
    assert "a.yaml: waived warning: leaf: " in done.out
    assert "    waived: meant\\u202e (2026-01-31 at any value)\n" in done.out
    assert "16 uplinks more" not in done.out
    assert "16 uplinks more" in shell("check", "a.yaml", "--waived").out


def test_a_policy_decides_what_counts(shell: Shell) -> None:
    design = shell.file("a.yaml", HALF)
    mild = shell.file("mild.yaml", "toposmith-policy: 1\nlimits: {oversubscription: {leaf: 2}}\n")
    assert shell("check", design, "--policy", mild).code == 0
    hard = shell.file("hard.yaml", "toposmith-policy: 1\nseverities: {oversubscribed: error}\n")
    done = shell("check", design, "--policy", hard)
    assert done.code == 1
    assert done.out.startswith("a.yaml: error: leaf: ")


def test_the_user_s_own_policy_holds_without_the_option(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("toposmith-policy: 1\nseverities: {single-leaf: off}\n", encoding="utf-8")
    design = shell.file("a.yaml", SOUND)
    assert shell("check", design).code == 1
    monkeypatch.setattr(here, "user_policy", lambda: own)
    assert shell("check", design).code == 0


def test_a_bad_policy_exits_2_with_line_and_nearest_key(shell: Shell) -> None:
    bad = shell.file("p.yaml", "toposmith-policy: 1\nlimitz: {}\n")
    done = shell("check", shell.file("a.yaml", SIGNED), "--policy", bad)
    assert (done.code, done.out) == (2, "")
    assert "p.yaml:2:1: limitz: unknown key 'limitz'; did you mean 'limits'?" in done.err
    missing = shell("check", "a.yaml", "--policy", "none.yaml")
    assert (missing.code, missing.err) == (2, "none.yaml: there is no such file\n")


def test_json_has_every_file_with_its_findings_or_its_error(shell: Shell) -> None:
    design = shell.file("a.yaml", WAIVED)
    done = shell("check", design, "missing.yaml", "--json")
    assert done.code == 2
    data = json.loads(done.out)
    first, second = data["designs"]
    assert first["design"] == "eight rails, two spines"
    (waived,) = [one for one in first["findings"] if "waived" in one]
    assert waived["code"] == "oversubscribed"
    assert waived["waived"]["date"] == "2026-01-31"
    assert "there is no such file" in second["error"]


def test_a_newer_file_and_an_unknown_part_are_told_apart(shell: Shell) -> None:
    newer = shell("check", shell.file("n.yaml", SIGNED.replace("toposmith: 1", "toposmith: 99")))
    assert newer.code == 2
    assert "needs a newer Toposmith" in newer.err
    gone = shell("check", shell.file("g.yaml", SIGNED.replace("dgx-h100", "dgx-h900")))
    assert gone.code == 1
    assert "[unknown-part]" in gone.out
    assert "4 devices and 1 link depend on it" in gone.out


def test_a_communicator_that_cannot_be_read_is_a_finding(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", SIGNED + "communicator: {layout: 7}\n"), "--json")
    codes = [one["code"] for one in json.loads(done.out)["designs"][0]["findings"]]
    assert done.code == 1
    assert codes[0] == "bad-communicator"


def test_a_workload_that_cannot_run_is_a_finding(shell: Shell) -> None:
    block = "workload: {model: llama3-70b, layout: {tp: 7}, serving: {}}\n"
    done = shell("check", shell.file("a.yaml", SIGNED + block))
    assert done.code == 1
    assert "error: workload: layout.tp: 7 does not split 64 heads" in done.out
    assert "[bad-workload]" in done.out
    page = shell("review", "a.yaml", "--report", "md")
    assert "7 does not split 64 heads" in page.out


def test_faults_and_notes_of_part_files_are_findings() -> None:
    known = load_catalog(user=False)
    parts = Catalog(known, faults=["a.yaml:3: no id"], notes=["b.yaml:1: replaces qm9700"])
    found = [(one.code, one.severity, one.where) for one in catalog_findings(parts)]
    assert found == [("part-file", "warning", "a.yaml:3"), ("part-note", "info", "b.yaml:1")]


def test_an_entry_of_slow_that_cannot_be_is_named_with_its_line(shell: Shell) -> None:
    text = SOUND.replace("toposmith: 1", "toposmith: 2")
    text += 'slow:\n  "leaf": 50 %\n  "leaf[leaf=99]": 100\n'
    done = shell("check", shell.file("a.yaml", text))
    line = len(text.splitlines())
    assert done.code == 1
    assert f"a.yaml:{line}: error: slow[1]: 'leaf[leaf=99]': " in done.out


def test_a_selector_that_names_nothing_is_told_with_its_line(shell: Shell) -> None:
    text = (
        "toposmith: 2\n"
        "groups: {node: {part: dgx-h100, count: 2}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
        "down:\n"
        '  - "node[node=1]"\n'
        '  - "node[node=2]"\n'
        "sets:\n"
        '  row: ["node[node=0]",\n'
        '        "leaf[leaf=7]"]\n'
    )
    done = shell("check", shell.file("a.yaml", text))
    assert "a.yaml:6: error: down[1]: " in done.out
    assert "a.yaml:9: error: sets.row[1]: " in done.out


def test_more_selectors_than_a_file_takes_are_refused_in_one_line(shell: Shell) -> None:
    marks = "".join(f'  - "node[node={number}]"\n' for number in range(20_001))
    text = "toposmith: 1\ngroups: {node: {part: dgx-h100}}\ndown:\n" + marks
    done = shell("check", shell.file("a.yaml", text))
    assert done.code == 2
    assert "a.yaml:4:3: down: found a list of 20001, expected a list of at most 20,000" in done.err


def test_remarks_are_counted_and_listed_where_they_are_asked_for(shell: Shell) -> None:
    (checked,) = json.loads(shell("check", "dgx-h100-superpod-1su", "--json").out)["designs"]
    remarks = [one for one in checked["findings"] if one["severity"] == "info"]
    assert remarks
    short = shell("check", "dgx-h100-superpod-1su")
    assert short.code == 0
    assert short.out.splitlines()[-1].endswith(f", {len(remarks)} remarks (--remarks)")
    assert "info" not in short.out
    assert shell("check", "dgx-h100-superpod-1su", "--remarks").out.count(" info: ") == len(remarks)
