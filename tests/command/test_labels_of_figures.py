"""What kind of figure each is, as every command says it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command.shell import Shell
from toposmith.analysis.prediction.demands import _Inside

RACK = """\
toposmith: 1
name: a rack of trays
axes: {rail: 4}
groups:
  node: {part: gb200-nvl72-tray, count: 19}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 9}
workload:
  model: llama2-7b
  layout: {tp: 4, dp: 18}
  training: {batch: 72, sequence: 4096}
"""
ISLANDS = """\
toposmith: 1
name: PCIe only, rails without a spine
axes: {rail: 4}
groups:
  node: {part: rtx-pro-6000-8, count: 4, nics: {compute: {part: connectx-7-ndr, count: 4}}}
  leaf: {part: qm9700, per: [rail]}
links: [{between: [node.compute, leaf]}]
"""
PRICES = "part,price,currency,date\ngb200-nvl72-tray,1,USD,2026-01-01\n"


@pytest.fixture
def rack(tmp_path: Path) -> str:
    path = tmp_path / "rack.yaml"
    path.write_text(RACK, encoding="utf-8")
    return str(path)


@pytest.fixture
def islands(tmp_path: Path) -> str:
    path = tmp_path / "islands.yaml"
    path.write_text(ISLANDS, encoding="utf-8")
    return str(path)


SAID = (
    ("analyze",),
    ("analyze", "--collective", "all_to_all"),
    ("analyze", "--curve"),
    ("diff", "--table"),
    ("failures",),
    ("workload",),
    ("workload", "--search"),
    ("bom", "--format", "md"),
    ("export", "--to", "html"),
    ("export", "--to", "svg"),
    ("review", "--report", "md"),
    ("review", "--report", "html"),
)


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_trays_side_by_side_read_at_least_in_every_command(
    shell: Shell, rack: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    command, *options = words
    target = tmp_path / ("written.md" if "md" in words else "written")
    written = command in ("bom", "export") or "--report" in options
    done = shell(command, rack, *options, *(("-o", str(target)) if written else ()))
    text = target.read_text(encoding="utf-8") if written else done.out
    assert "≥" in text or "≤" in text, done.err
    mine = "\n".join(line for line in text.splitlines() if "Tiers (exact)" not in line)
    assert not re.search(r"8 of 10 (?!lines)|\(exact\)|exact optimum", mine)
    # no figure of all-reduce, and none of all-to-all, stands without its sign
    for figure in ("188", "50.1"):
        assert not re.search(rf"(?<![≥\d.] )(?<![\d.]){figure} GB/s", text), text


def test_a_script_reads_what_kind_of_figure_it_has(shell: Shell, rack: str) -> None:
    data = json.loads(shell("analyze", rack, "--json").out)
    assert data["busbw_GBps"] == pytest.approx(189, abs=1)
    assert data["labels"]["busbw_GBps"]["is"] == "at least"
    for key in ("band", "bound_busbw_GBps", "share_of_bound", "next_step", "bisection_GBps"):
        assert data[key] is None
    points = json.loads(shell("analyze", rack, "--curve", "--json").out)["points"]
    assert {point["busbw_is"] for point in points} == {"at least"}
    (row,) = json.loads(shell("diff", "--table", rack, "--json").out)["designs"]
    assert {each["busbw_is"] for each in row["figures"]} == {"at least"}
    swept = json.loads(shell("failures", rack, "--json").out)
    assert {each["busbw_is"] for each in swept["before"]} == {"at least"}
    assert {each["share"] for each in swept["survival"]} == {None}
    served = json.loads(shell("workload", rack, "--json").out)
    assert served["labels"]["times"]["is"] == "at most"
    kinds = {each["nodes"] > 1: each["busbw_is"] for each in served["training"]["communication"]}
    assert kinds == {True: "at least", False: "model"}


def test_no_difference_is_told_of_what_is_at_least_so_much(shell: Shell, rack: str) -> None:
    done = shell("diff", rack, "dgx-h100-superpod-1su")
    assert re.search(r"all-reduce busbw +≥ 189 GB/s +361 GB/s +at least -> model", done.out)
    assert re.search(r"all-reduce bound +unknown +412 GB/s +changed", done.out)


@pytest.fixture
def sockets_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that leaves out what crosses the sockets of a node on its way to another rail."""
    monkeypatch.setattr(_Inside, "_missed_by_a_socket", lambda _: 0.0)


@pytest.mark.parametrize(
    "words",
    [("analyze", "--collective", "all_to_all"), ("diff", "--table"), ("failures",), ("check",)],
)
def test_a_prediction_above_its_bound_is_found_in_every_command(
    shell: Shell, islands: str, words: tuple[str, ...], sockets_left_out: None
) -> None:
    command, *options = words
    done = shell(command, islands, *options)
    assert "[above-bound]" in done.out
    # 42 GB/s between the sockets, as two thirds of a slot, x 31 / 64
    assert "above the bound of 20.3" in done.out
    if command != "check":
        assert "≤ 28.4" in done.out


def test_a_page_to_sign_names_what_is_above_its_bound(
    shell: Shell, islands: str, sockets_left_out: None
) -> None:
    page = shell("review", islands, "--report", "md").out
    assert "≤ 28.4 GB/s" in page
    assert "above-bound" in page


def test_faults_leave_a_bound_and_not_an_exact_one(shell: Shell, tmp_path: Path) -> None:
    from toposmith.saved_designs import find_saved

    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    broken = tmp_path / "broken.yaml"
    text = saved.path.read_text(encoding="utf-8")
    broken.write_text(text + 'down: ["leaf[su=0,rail=0]"]\n', encoding="utf-8")
    whole = json.loads(shell("analyze", saved.path.stem, "--json").out)
    data = json.loads(shell("analyze", str(broken), "--json").out)
    assert data["bound_is"] == "bound"
    assert data["bound_cut"]
    assert data["bound_busbw_GBps"] <= whole["bound_busbw_GBps"]
    assert "500 GB/s" not in shell("analyze", str(broken)).out
    told = shell("diff", saved.path.stem, str(broken)).out
    assert not re.search(r"bound .*\+\d", told)


@pytest.mark.parametrize("size", ["8", "1K", "64K", "1M"])
def test_small_messages_never_read_0_in_any_command(
    shell: Shell, rack: str, size: str, tmp_path: Path
) -> None:
    target = tmp_path / "report.html"
    texts = [
        shell("analyze", rack, "--size", size).out,
        shell("analyze", rack, "--size", size, "--collective", "all_to_all").out,
    ]
    shell("export", rack, "--to", "html", "--size", size, "-o", str(target))
    if target.exists():
        texts.append(target.read_text(encoding="utf-8"))
    idle = re.compile(r" 0 GB/s +0 %$|<td class=\"r\">0 GB/s</td><td class=\"r\">0 %</td>", re.M)
    for text in texts:
        loaded = idle.sub("", text)
        assert not re.search(r"(^|[^\d.,])0(\.0+)? [GMk]?B/s", loaded), text
