"""`grow`, as a script sees it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell
from tests.command.test_synthesis import interrupting
from tests.command.test_workload import keys_of
from toposmith.synthesis import growth_step

PAGE = (Path(__file__).parents[2] / "docs" / "synthesis.md").read_text(encoding="utf-8")


SPINE = "  spine: {part: qm9700, count: 2}\n"
RAILS = f"""\
toposmith: 1
axes: {{rail: 8}}
groups:
  node: {{part: dgx-h100, count: 16}}
  leaf: {{part: qm9700, per: [rail]}}
{SPINE}links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: %d}}
"""


@pytest.fixture
def racks(shell: Shell) -> tuple[str, str]:
    for many in (2, 4):
        assert shell("new", "top-of-rack", "--set", f"racks={many}", "-o", f"{many}.yaml").code == 0
    return "2.yaml", "4.yaml"


@pytest.fixture
def other_leaves(shell: Shell, racks: tuple[str, str]) -> tuple[str, str]:
    text = Path(racks[1]).read_text(encoding="utf-8")
    shell.file("other.yaml", text.replace("leaf: {part: qm9700", "leaf: {part: qm9790"))
    return racks[1], "other.yaml"


def test_steps_are_listed_with_figures_and_what_is_bought(
    shell: Shell, racks: tuple[str, str]
) -> None:
    done = shell("grow", *racks)
    assert (done.code, done.err) == (0, "")
    assert " 1  place and power 8 nodes, 2 leaves and 1 spine, without any cable" in done.out
    assert "32 GPUs join" in done.out
    assert "buy 8 nodes, 3 switches" in done.out
    assert "meanwhile" in done.out


@pytest.mark.parametrize(("spines", "cables"), [(2, 8), (4, 4)])
def test_what_is_moved_is_counted_port_to_port_and_what_is_bought_in_cables(
    shell: Shell, spines: int, cables: int
) -> None:
    """8 leaves with 16 uplinks: 128 connections, in 64 cables of two where both ends are twins."""
    rails = shell.file("rails.yaml", RAILS.replace("count: 2}", f"count: {spines}}}") % cables)
    flat = shell.file("flat.yaml", "\n".join(RAILS.splitlines()[:-1]).replace(SPINE, ""))
    out = shell("grow", flat, rails).out
    assert "0 connections moved, 128 made, 0 taken out" in out
    assert f"buy {spines} switches and 64 cables" in out
    analysed = shell("analyze", rails, "--why").out
    heads = [line.split() for line in analysed.splitlines() if line.startswith("  link ")]
    assert [head[:3] for head in heads[:1]] == [["link", "tier", "connections"]]
    assert all("connections" in head for head in heads)
    assert "(128 connections" not in analysed  # 1:1, nothing to say
    failed = shell("failures", rails).out
    assert "cable: one connection, port to port; shared cable: all that a cable of" in failed
    data = json.loads(shell("grow", flat, rails, "--json").out)
    assert sum(step["cables_connected"] for step in data["steps"]) == 128


def test_a_floor_that_does_not_hold_is_exit_1_and_says_where(
    shell: Shell, racks: tuple[str, str]
) -> None:
    done = shell("grow", *racks, "--floor", "all-to-all=50.0")
    assert done.code == 1
    assert "below the floor of 50.0 GB/s" in done.out
    assert shell("grow", *racks, "--floor", "all_to_all=10").code == 0


def test_the_cluster_after_a_step_is_written_and_has_its_figure(
    shell: Shell, racks: tuple[str, str]
) -> None:
    data = json.loads(shell("grow", *racks, "--json").out)
    for step in (1, len(data["steps"])):
        name = f"after-{step}.yaml"
        assert shell("grow", *racks, "--take", str(step), "-o", name).code == 0
        found = json.loads(shell("analyze", name, "--json").out)
        said = data["steps"][step - 1]["after"]["all_reduce"]["busbw_GBps"]
        assert found["busbw_GBps"] == pytest.approx(said, rel=1e-6)


def test_switches_are_exchanged_while_the_other_racks_run(
    shell: Shell, other_leaves: tuple[str, str]
) -> None:
    done = shell("grow", *other_leaves, "--floor", "gpus=96")
    assert done.code == 0
    assert " 1  rack 0: exchange 1 leaf (qm9700 for qm9790); 32 GPUs stand still" in done.out
    assert "the floor holds throughout: 96 GPUs running" in done.out
    assert shell("grow", *other_leaves, "--floor", "gpus=128").code == 1


def test_steps_that_were_found_outlive_ctrl_c(
    shell: Shell, racks: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two figures for each design on the way; the third such design is being analysed."""
    whole = json.loads(shell("grow", *racks, "--json").out)
    assert whole["complete"]
    with monkeypatch.context() as patch:
        interrupting(patch, growth_step, "figure_at_hand", 6)
        done = shell("grow", *racks, "--json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (130, "interrupted: the steps found until then\n")
    assert (data["complete"], data["floor_holds"]) == (False, None)
    assert 0 < len(data["steps"]) < len(whole["steps"])
    assert data["steps"] == whole["steps"][: len(data["steps"])]
    assert data["now"] == whole["now"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    interrupting(monkeypatch, growth_step, "figure_at_hand", 6)
    out = shell("grow", *racks).out
    assert "taken out until then" in out
    assert "the further ones were not worked out, and another order may be better" in out


def test_ctrl_c_before_the_first_step_says_what_was_interrupted(
    shell: Shell, racks: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, growth_step, "figure_at_hand", 0)
    done = shell("grow", *racks)
    assert (done.code, done.out) == (130, "")
    assert done.err.startswith("interrupted while planning steps, after ")


def test_the_best_exchange_until_ctrl_c_is_kept(
    shell: Shell, other_leaves: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All leaves at once are analysed first, then rack after rack, of which one is not done."""
    interrupting(monkeypatch, growth_step, "figure_at_hand", 8)
    done = shell("grow", *other_leaves)
    assert done.code == 130
    assert " 1  exchange 4 leaves (qm9700 for qm9790); nothing runs meanwhile" in done.out
    assert "stopped after 1 step" in done.out


@pytest.mark.parametrize("floor", ["all_to_all=50.0", "all_to_all=10"])
def test_a_floor_of_a_plan_that_ctrl_c_cut_holds_for_no_step_that_is_not_known(
    shell: Shell, racks: tuple[str, str], monkeypatch: pytest.MonkeyPatch, floor: str
) -> None:
    interrupting(monkeypatch, growth_step, "figure_at_hand", 6)
    done = shell("grow", *racks, "--floor", floor)
    assert done.code == 130
    assert "the floor holds" not in done.out.replace("whether the floor holds", "")
    assert "the later design itself" not in done.out


def test_no_step_of_a_plan_that_ctrl_c_cut_is_written(
    shell: Shell, racks: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, growth_step, "figure_at_hand", 6)
    done = shell("grow", *racks, "--take", "1", "-o", "grown.yaml")
    assert (done.code, done.err) == (130, "interrupted: nothing is written\n")
    assert not (shell.folder / "grown.yaml").exists()


def test_every_json_key_is_documented(shell: Shell, racks: tuple[str, str]) -> None:
    data = json.loads(shell("grow", *racks, "--floor", "all_reduce=1", "--json").out)
    for key in keys_of(data) - {"all_reduce", "all_to_all"}:
        assert f"`{key}`" in PAGE, key


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--floor", "all_reduce"), "--floor"),
        (("--floor", "warp=3"), "no need"),
        (("--floor", "gpus=0"), "whole number above 0"),
        (("--floor", "gpus=half"), "whole number above 0"),
        (("--floor", "gpus=8", "--floor", "GPUs=9"), "asked for twice"),
        (("-o", "x.yaml"), "goes with --take N"),
        (("--take", "1", "--json"), "choose --take or --json"),
        (("--take", "99"), "there is no such step"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(
    shell: Shell, racks: tuple[str, str], args: tuple[str, ...], words: str
) -> None:
    done = shell("grow", *racks, *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_design_with_errors_is_refused_by_name(shell: Shell, racks: tuple[str, str]) -> None:
    shell.file("full.yaml", SOUND.replace("count: 4", "count: 9"))
    done = shell("grow", racks[0], "full.yaml")
    assert done.code == 2
    assert "full.yaml" in done.err
    assert shell("grow", "-", "-").code == 2
