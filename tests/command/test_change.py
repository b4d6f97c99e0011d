"""`change`, as a script sees it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.command.shell import OVERFULL, SOUND, Shell
from tests.command.test_synthesis import interrupting
from tests.command.test_workload import keys_of
from toposmith.lock import change_plan

PAGE = (Path(__file__).parents[2] / "docs" / "lock.md").read_text(encoding="utf-8")


@pytest.fixture
def racks(shell: Shell) -> tuple[str, str]:
    for many in (2, 4):
        assert shell("new", "top-of-rack", "--set", f"racks={many}", "-o", f"{many}.yaml").code == 0
    return "2.yaml", "4.yaml"


def test_a_lock_and_the_edited_file_give_the_order(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    none = shell("change", file)
    assert none.code == 2
    assert "has no lock" in none.err
    shell("lock", file)
    same = shell("change", file)
    assert (same.code, "nothing to do" in same.out) == (0, True)
    shell.file("pod.yaml", SOUND.replace("count: 4", "count: 5"))
    done = shell("change", file)
    assert (done.code, done.err) == (0, "")
    assert "1 device to add, 8 connections to lay" in done.out
    assert " 2  8 connections to lay: 40 GPUs" in done.out
    lines = list(csv.DictReader(io.StringIO(shell("change", file, "--csv").out)))
    assert [line["Act"] for line in lines] == ["add"] + ["lay"] * 8
    before = Path("pod.lock").read_text("utf-8")
    assert shell("lock", file).code == 0
    laid = {line["Label"] for line in lines[1:]}
    new = set(Path("pod.lock").read_text("utf-8").splitlines()) - set(before.splitlines())
    assert {line.split("\t")[5] for line in new if line.startswith("c\t")} == laid
    assert "nothing to do" in shell("change", file).out


def test_two_designs_need_no_lock(shell: Shell, racks: tuple[str, str]) -> None:
    done = shell("change", *racks)
    assert (done.code, done.err) == (0, "")
    assert "devices to add" in done.out
    assert not list(Path().glob("*.lock"))


def test_a_file_with_more_cables_than_ports_is_named_with_its_fault(shell: Shell) -> None:
    sound, over = shell.file("pod.yaml", SOUND), shell.file("over.yaml", OVERFULL)
    for files in ((sound, over), (over, sound)):
        refused = shell("change", *files)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("over.yaml: leaf: ")
        assert "mend this first" in refused.err


def test_a_floor_that_does_not_hold_is_exit_1_and_says_where(
    shell: Shell, racks: tuple[str, str]
) -> None:
    now = json.loads(shell("change", *racks, "--json").out)["now"]["all_to_all"]["busbw_GBps"]
    done = shell("change", *racks, "--floor", f"all-to-all={now * 1.5}")
    assert done.code == 1
    assert "below the floor of" in done.out
    assert "today)" in done.out
    assert shell("change", *racks, "--floor", "all_to_all=1").code == 0


def test_switches_are_exchanged_while_the_other_racks_run(
    shell: Shell, racks: tuple[str, str]
) -> None:
    text = Path(racks[1]).read_text(encoding="utf-8")
    other = shell.file("other.yaml", text.replace("leaf: {part: qm9700", "leaf: {part: qm9790"))
    done = shell("change", racks[1], other, "--floor", "gpus=96")
    assert done.code == 0, done.out
    assert "the floor holds throughout: 96 GPUs running" in done.out
    assert shell("change", racks[1], other, "--floor", "gpus=128").code == 1


def test_acts_outlive_ctrl_c_and_no_floor_is_said_to_hold(
    shell: Shell, racks: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.loads(shell("change", *racks, "--json").out)
    assert whole["complete"]
    with monkeypatch.context() as patch:
        interrupting(patch, change_plan, "figure_at_hand", 4)
        done = shell("change", *racks, "--json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (130, "interrupted: the figures worked out until then\n")
    assert (data["complete"], data["floor_holds"]) == (False, None)
    assert [step["acts"] for step in data["steps"]] == [step["acts"] for step in whole["steps"]]
    assert data["now"] == whole["now"]
    interrupting(monkeypatch, change_plan, "figure_at_hand", 4)
    out = shell("change", *racks, "--floor", "all_to_all=1").out
    assert "whether the floor holds throughout was not worked out" in out


def test_a_page_to_print_has_a_box_for_every_act(shell: Shell, racks: tuple[str, str]) -> None:
    floor = ("--floor", "all_to_all=1")
    page = shell("change", *racks, *floor, "--html").out
    acts = list(csv.DictReader(io.StringIO(shell("change", *racks, *floor, "--csv").out)))
    rows = [row for row in page.split("<tr>") if "☐" in row]
    assert len(rows) == len(acts) > 0
    for row, act in zip(rows, acts, strict=True):
        assert all(f">{act[key]}<" in row for key in ("Act", "Label", "From", "To", "Part"))
    steps = json.loads(shell("change", *racks, *floor, "--json").out)["steps"]
    assert page.count("<h2>") == len(steps)
    assert "the floor holds throughout" in page
    assert "to buy" in page


def test_every_json_key_is_documented(shell: Shell, racks: tuple[str, str]) -> None:
    data = json.loads(shell("change", *racks, "--floor", "all_reduce=1", "--json").out)
    for key in keys_of(data) - {"all_reduce", "all_to_all"}:
        assert f"`{key}`" in PAGE, key


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--floor", "all_reduce"), "--floor"),
        (("--floor", "warp=3"), "no need"),
        (("--floor", "gpus=half"), "whole number above 0"),
        (("--csv", "--json"), "choose one of --csv, --html and --json"),
        (("2.yaml",), "give FILE, or OLD and FILE"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(
    shell: Shell, racks: tuple[str, str], args: tuple[str, ...], words: str
) -> None:
    done = shell("change", *racks, *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_design_with_errors_is_refused_by_name(shell: Shell, racks: tuple[str, str]) -> None:
    shell.file("full.yaml", SOUND.replace("count: 4", "count: 9"))
    done = shell("change", racks[0], "full.yaml")
    assert done.code == 2
    assert "full.yaml" in done.err
    assert shell("change", "-", "-").code == 2


def test_what_is_to_buy_has_prices_where_a_list_has_them(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    shell.file("pod.yaml", SOUND.replace("count: 4", "count: 5"))
    prices = shell.file(
        "prices.csv",
        "part,price,currency,date,source\ndgx-h100,250000,USD,2026-01-01,an offer\n",
    )
    data = json.loads(shell("change", file, "--prices", prices, "--json").out)
    (node,) = (one for one in data["buy"] if one["part"] == "dgx-h100")
    assert (node["quantity"], node["unit_price"], node["currency"]) == (1, 250000.0, "USD")
    (kept,) = (one for one in data["keep"] if one["part"] == "dgx-h100")
    assert kept["quantity"] == 4
    told = shell("change", file, "--prices", prices).out
    # a node, its cables, and transceivers at both ends
    assert f"250,000.00 USD for 1 of {len(data['buy'])} parts to buy" in told
    assert f"{sum(one['quantity'] for one in data['keep']):,} pieces stay" in told


def test_a_bill_follows_the_lock_and_says_what_a_fresh_plan_would_need(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    assert "fresh plan" not in shell("bom", file).err
    lock = Path("pod.lock").read_text("utf-8")
    length = lock.split("\nc\t")[1].split("\t")[5]
    Path("pod.lock").write_text(lock.replace(f"C0001\t{length}\t", "C0001\t30\t"), "utf-8")
    done = shell("bom", file)
    assert "length_m: 30" in done.out
    assert "a fresh plan would need fewer: 1 x " in done.err
    assert " 30 m; more: 1 x " in done.err
    assert f" {length} m" in done.err
