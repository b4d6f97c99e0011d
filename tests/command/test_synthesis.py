"""`fix` and the search of `new`, as a script sees them."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tests.command.shell import SOUND, Shell
from tests.command.test_workload import keys_of
from toposmith.cancellation import go_on
from toposmith.command import fix
from toposmith.saved_designs import saved_designs
from toposmith.synthesis import left_out, ranked_fixes
from toposmith.templates import TEMPLATES

PAGE = (Path(__file__).parents[2] / "docs" / "synthesis.md").read_text(encoding="utf-8")
SLOW = "a100-rack-1x100gbe"
THIN = "hgx-a100-64gpu-roce-2to1"
TO_ALL = ("--collective", "all-to-all")
FEW = ("--part", "dgx-h100", "--nodes", "4", "--limit", "switch=qm9700")


_WRITTEN: dict[tuple[str, ...], str] = {}


def data_of(shell: Shell, *args: str) -> Any:
    """What a command over a saved design writes as JSON, run once for all tests that read it."""
    if args not in _WRITTEN:
        _WRITTEN[args] = shell(*args).out
    return json.loads(_WRITTEN[args])


def test_fixes_are_listed_with_what_they_buy(shell: Shell) -> None:
    done = shell("fix", THIN, *TO_ALL)
    assert (done.code, done.err) == (0, "")
    assert "5 cables instead of 4 for each leaf - spine" in done.out
    assert "buy 8 cables" in done.out
    assert "(model" in done.out


def test_a_search_that_runs_out_of_time_says_how_far_it_came(shell: Shell) -> None:
    done = shell("fix", THIN, *TO_ALL, "--seconds", "0.000001")
    assert done.code == 0
    assert "for each leaf - spine" in done.out
    assert "\nstopped after 1 change; there may be others\n" in done.out
    assert done.out.endswith("--seconds gives the search longer\n")
    assert "so that the 1e-06 s of --seconds may be too short for any" in done.err
    for enough in ("0", "600"):
        done = shell("fix", THIN, *TO_ALL, "--seconds", enough)
        assert (done.err, "stopped" in done.out) == ("", False)


def test_a_bill_for_which_there_is_no_time_is_left_out_and_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time ends while bills of both designs are made, connection by connection."""
    whole = data_of(shell, "fix", THIN, *TO_ALL, "--json")
    began = monotonic()

    def without_end(*_: Any) -> None:
        while monotonic() - began < 60:  # an end, also where this fails
            go_on()
            sleep(0.01)

    monkeypatch.setattr(ranked_fixes, "purchase", without_end)
    monkeypatch.setattr(ranked_fixes, "SECONDS_OF_FIRST", 0.1)
    done = shell("fix", THIN, *TO_ALL, "--seconds", "3")
    assert monotonic() - began < 30
    assert done.code == 0
    assert "what it buys was not worked out" in done.out
    assert "nothing to buy" not in done.out
    assert "cheapest" not in done.out
    data = json.loads(shell("fix", THIN, *TO_ALL, "--seconds", "0.5", "--json").out)
    assert not data["complete"]
    assert data["fixes"]
    assert all(fix["buy"] is None and fix["racks_more"] is None for fix in data["fixes"])
    assert data["fixes"][0].keys() == whole["fixes"][0].keys()


def interrupting(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, after: int) -> None:
    """Somebody presses Ctrl+C within the call after so many."""
    done = [0]

    def interrupted(*args: Any, **kinds: Any) -> Any:
        done[0] += 1
        if done[0] == after + 1:
            signal.raise_signal(signal.SIGINT)
            go_on()
        return real(*args, **kinds)

    real = getattr(module, name)
    monkeypatch.setattr(module, name, interrupted)


@pytest.mark.parametrize("tried", [0, 2])
def test_changes_that_were_found_outlive_ctrl_c(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tried: int
) -> None:
    whole = data_of(shell, "fix", THIN, *TO_ALL, "--json")
    interrupting(monkeypatch, ranked_fixes, "is_apart", tried)
    done = shell("fix", THIN, *TO_ALL, "--json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (130, "interrupted: what was found until then\n")
    assert (data["complete"], data["analysed"]) == (False, tried)
    assert whole["complete"]
    assert bool(data["fixes"]) == bool(tried)
    figures = {fix["change"]: fix["busbw_GBps"] for fix in whole["fixes"]}
    assert all(figures.get(fix["change"]) == fix["busbw_GBps"] for fix in data["fixes"])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_changes_whose_costs_are_not_worked_out_at_ctrl_c_say_so(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fix, "SECONDS_AFTER_INTERRUPT", 0.0)
    interrupting(monkeypatch, ranked_fixes, "is_apart", 3)
    done = shell("fix", THIN, *TO_ALL)
    assert done.code == 130
    # it is no more than a second that a change whose cost is asked has after Ctrl+C
    assert "buy 8 cables" in done.out or "what it buys was not worked out" in done.out
    assert "which figures fall was not worked out" in done.out
    assert "stopped after 3 changes; there may be others" in done.out


def test_no_line_of_a_list_that_ctrl_c_cut_is_written(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, ranked_fixes, "is_apart", 2)
    done = shell("fix", THIN, *TO_ALL, "--take", "1", "-o", "fixed.yaml")
    assert (done.code, done.err) == (130, "interrupted: nothing is written\n")
    assert not (shell.folder / "fixed.yaml").exists()


def test_what_could_go_outlives_ctrl_c(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_of(shell, "fix", THIN, "--spare", "--json")
    interrupting(monkeypatch, left_out, "sweep", 0)
    done = shell("fix", THIN, "--spare", "--json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (130, "interrupted: what was found until then\n")
    assert (whole["complete"], data["complete"]) == (True, False)
    assert data["spare"] == [one | {"after_worst_failure": None} for one in whole["spare"]]
    assert data["spare"]


def test_a_line_is_written_as_a_design(shell: Shell) -> None:
    done = shell("fix", THIN, *TO_ALL, "--take", "2", "-o", "fixed.yaml")
    assert done.code == 0
    assert "cables: 6" in (shell.folder / "fixed.yaml").read_text(encoding="utf-8")
    again = shell("fix", THIN, *TO_ALL, "--take", "2", "-o", "fixed.yaml")
    assert (again.code, "--force" in again.err) == (2, True)
    assert shell("fix", THIN, *TO_ALL, "--take", "99").code == 2


def test_where_the_network_does_not_limit_it_says_what_could_go(shell: Shell) -> None:
    done = shell("fix", THIN)
    assert done.code == 0
    assert "It holds with less: 1 spine instead of 2" in done.out


def test_what_a_failure_leaves_is_lifted_and_a_missing_workload_is_said(shell: Shell) -> None:
    done = shell("fix", THIN, "--lift", "failure", *TO_ALL)
    assert "all-to-all after any one failure 7.87 GB/s per GPU" in done.out
    assert "least without one switch of spine" in done.out
    none = shell("fix", THIN, "--lift", "workload")
    assert (none.code, "no workload: block" in none.err) == (2, True)
    assert shell("fix", THIN, "--lift", "failure", "--spare").code == 2


def test_only_fixes_that_reach_a_need_are_listed(shell: Shell) -> None:
    every = json.loads(shell("fix", SLOW, "--json").out)["fixes"]
    enough = [fix["change"] for fix in every if fix["busbw_GBps"] >= 50]
    assert 0 < len(enough) < len(every)
    done = shell("fix", SLOW, "--need", "all-reduce=50", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert [fix["change"] for fix in found["fixes"]] == enough
    assert (found["needs"], found["unmet"]) == ({"all_reduce": 50}, [])
    of_exchange = json.loads(shell("fix", SLOW, "--need", "all_to_all=2", "--json").out)
    assert of_exchange["collective"] == "all_to_all"
    assert all(fix["busbw_GBps"] >= 2 for fix in of_exchange["fixes"])


def test_a_need_that_no_fix_reaches_or_that_is_met_already_is_said_so(shell: Shell) -> None:
    done = shell("fix", SLOW, "--need", "900")
    assert done.code == 1
    assert done.out.endswith("no fix that was found reaches all-reduce 900 GB/s\n")
    taken = shell("fix", SLOW, "--need", "900", "--take", "1")
    assert (taken.code, taken.out) == (2, "")
    assert "no fix that was found reaches all-reduce 900 GB/s" in taken.err
    met = shell("fix", SLOW, "--need", "10")
    assert met.code == 0
    assert met.out.endswith("all-reduce 10.0 GB/s is met without a change\n")


def test_spares_are_listed_for_the_needs(shell: Shell) -> None:
    done = shell("fix", THIN, "--spare", "--need", "all_reduce=100", "--need", "all-to-all=7")
    assert done.code == 0
    assert "give back 1 switch" in done.out
    assert "cuts off 48 of 64 GPUs" in done.out
    unmet = shell("fix", THIN, "--spare", "--need", "all_reduce=900")
    assert (unmet.code, "does not meet" in unmet.out) == (1, True)


def test_fabrics_are_listed_with_why_nothing_is_cheaper(shell: Shell) -> None:
    done = shell("new", *FEW, "--need", "all_to_all=20")
    assert (done.code, done.err) == (0, "")
    assert "one switch" in done.out
    assert "prices unknown" in done.out


def test_a_fabric_is_written_as_a_design_that_can_be_analysed(shell: Shell) -> None:
    assert shell("new", *FEW, "-o", "made.yaml").code == 0
    assert shell("check", "made.yaml").code in (0, 1)
    assert "32 GPUs in 4 nodes" in shell("analyze", "made.yaml").out
    out = shell("new", *FEW, "-o", "-").out
    assert out.startswith("toposmith: 1")


def test_a_fabric_with_rails_apart_is_written_only_where_it_is_asked_for(
    shell: Shell, tmp_path: Path
) -> None:
    wanted = ("new", "--nodes", "16", *FEW[:2], *FEW[4:], "--most", "20", "--json")
    found = json.loads(shell(*wanted).out)["proposals"]
    joined = next(at for at, one in enumerate(found, 1) if one["rails_joined"])
    assert joined > 1, "the cheapest has no path between its rails"
    plain, first, named = (tmp_path / f"{name}.yaml" for name in ("plain", "first", "named"))
    shell(*wanted, "-o", str(plain))
    shell(*wanted, "-o", str(named), "--take", str(joined))
    shell(*wanted, "-o", str(first), "--take", "1")
    assert plain.read_text() == named.read_text()
    assert plain.read_text() != first.read_text()


def test_gpus_fill_whole_nodes(shell: Shell) -> None:
    done = shell("new", "--gpus", "25", *FEW[:2], *FEW[4:], "--json")
    assert json.loads(done.out)["nodes"] == 4


@pytest.mark.parametrize(
    "args",
    [
        ("fix", THIN, *TO_ALL, "--json"),
        ("fix", THIN, "--json"),
        ("fix", THIN, "--spare", "--json"),
        ("fix", THIN, "--lift", "failure", "--json", *TO_ALL),
        ("new", *FEW, "--limit", "later=8", "--json"),
        ("new", *FEW, "--need", "all_to_all=70", "--json"),
    ],
)
def test_every_key_of_the_json_is_documented(shell: Shell, args: tuple[str, ...]) -> None:
    read = data_of(shell, *args)
    collectives = {"all_reduce", "all_to_all"}
    assert not [key for key in keys_of(read) - collectives if f"`{key}`" not in PAGE]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fix", "nowhere.yaml"), "nowhere.yaml"),
        (("fix", THIN, "--need", "3", "--need", "all_to_all=3"), "several go with --spare"),
        (("fix", THIN, "--need", "3", "--lift", "workload"), "GB/s"),
        (("fix", THIN, "--spare", "--need", "fly=3"), "COLLECTIVE=GB/s"),
        (("fix", THIN, "-o", "x.yaml"), "goes with --take"),
        (("new", "--need", "all_reduce=3"), "--nodes N or --gpus N"),
        (("new", "leaf-spine", "--gpus", "8"), "leave one of them out"),
        (("new", "--nodes", "4", "--gpus", "4"), "--nodes N or --gpus N"),
        (("new", "--nodes", "0"), "from 1 to"),
        (("new", "--nodes", "-5"), "from 1 to"),
        (("new", "--nodes", "4", "--part", "dgx-h200x"), "did you mean"),
        (("new", "--nodes", "4", "--limit", "switch=qm97"), "did you mean"),
        (("new", "--nodes", "4", "--limit", "shape=star"), "top-of-rack"),
        (("new", "--nodes", "4", "--limit", "budget=100"), "an amount and its currency"),
        (("new", "--nodes", "4", "--limit", "oversubscription=0"), "above 0"),
        (("new", "--nodes", "4", "--limit", "kw-per-rack=nan"), "above 0"),
        (("new", "--nodes", "4", "--take", "1"), "goes with -o"),
    ],
)
def test_bad_input_is_one_clear_line(shell: Shell, args: tuple[str, ...], words: str) -> None:
    done = shell(*args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_design_without_nodes_says_so(shell: Shell) -> None:
    done = shell("fix", shell.file("empty.yaml", "toposmith: 1\nname: none\n"))
    assert done.code == 0
    assert "no collective can run" in done.out
    assert shell("fix", shell.file("one.yaml", SOUND)).code in (0, 1)


def test_new_lists_templates_and_saved_designs(shell: Shell) -> None:
    listed = json.loads(shell("new", "--json").out)
    assert [each["name"] for each in listed["designs"]] == [one.name for one in saved_designs()]
    assert [each["name"] for each in listed["templates"]] == list(TEMPLATES)
    text = shell("new").out
    for each in (*listed["designs"], *listed["templates"]):
        assert each["name"] in text
