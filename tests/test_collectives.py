"""A collective is one record: figures, choices, names and docs read from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from tests.command.shell import Shell
from tests.measured.logs import log
from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.collectives import (
    COLLECTIVES,
    CollectiveRecord,
    busbw_factor,
    collective_name,
)
from toposmith.command.options import Listed
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.measured.nccl_tests import read_log
from toposmith.saved_designs import find_saved
from toposmith.tui.figures.measure_fields import FIELDS

POD = "dgx-h100-superpod-1su"
DOCS = Path(__file__).parents[1] / "docs" / "extending.md"

SHIFT = CollectiveRecord(
    id="halo_shift",
    name="halo shift",
    busbw_factor=lambda _ranks: 1.0,
    size_is="what one rank sends to the next",
    runs="neighbours",
    bound="cuts",
    entering=lambda _ranks, _members: 1.0,
    group="pp",
)
GRADIENTS = replace(COLLECTIVES["all_reduce"], id="gradient_sum", name="gradient sum")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    for record in (SHIFT, GRADIENTS):
        monkeypatch.setitem(COLLECTIVES, record.id, record)


def figures(collective: str) -> Analysis:
    saved, catalog = find_saved(POD), load_catalog()
    assert saved is not None
    return analyse(
        plan_design(load_file(saved.path).design, catalog), catalog, Request(collective=collective)
    )


# by hand from nccl-tests' PERFORMANCE.md, for 8 ranks of which 2 sit in a node
@pytest.mark.parametrize(
    ("collective", "factor", "entering"),
    [
        ("all_reduce", 1.75, 6 / 7),
        ("all_gather", 0.875, 6 / 7),
        ("reduce_scatter", 0.875, 6 / 7),
        ("broadcast", 1.0, 1.0),
        ("reduce", 1.0, 1.0),
        ("all_to_all", 0.875, 12 / 7),
        ("send_recv", 1.0, 1.0),
    ],
)
def test_a_record_has_the_factors_of_nccl_tests(
    collective: str, factor: float, entering: float
) -> None:
    assert busbw_factor(collective, 8) == factor
    assert busbw_factor(collective, 1) == 0
    assert COLLECTIVES[collective].entering(8, 2) == pytest.approx(entering)


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize(("new", "like"), [(SHIFT, "send_recv"), (GRADIENTS, "all_reduce")])
def test_a_collective_from_outside_has_figures(new: CollectiveRecord, like: str) -> None:
    found, known = figures(new.id), figures(like)
    assert found.busbw_GBps is not None
    assert found.busbw_GBps == known.busbw_GBps
    assert found.bound_busbw_GBps == known.bound_busbw_GBps
    assert found.algorithm == known.algorithm


@pytest.mark.usefixtures("added")
def test_a_collective_from_outside_is_offered_everywhere(shell: Shell) -> None:
    words = Listed(COLLECTIVES)
    assert words.convert("Halo-Shift", None, None) == "halo_shift"
    assert "halo_shift" in words.get_metavar(
        click.Option(["--collective"]), click.Context(click.Command("x"))
    )
    data = json.loads(shell("analyze", POD, "--collective", "halo_shift", "--json").out)
    assert data["collective"] == "halo_shift"
    assert "halo shift, 8 GiB" in shell("analyze", POD, "--collective", "halo-shift").out
    field = next(field for field in FIELDS if field.id == "collective")
    assert field.choices is not None
    assert field.choices(Request())["halo_shift"] == "halo shift"
    assert parse_layout("tp=8,pp=4").usual_kind("halo_shift") == "pp"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"runs": "gather"}, "halo_shift: runs is 'gather', not one of all_reduce, .*neighbours"),
        ({"bound": "none"}, "halo_shift: bound is 'none', not one of .*cuts"),
    ],
)
def test_a_record_names_only_traffic_and_bounds_that_there_are(
    wrong: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(SHIFT, **wrong)


@pytest.mark.usefixtures("added")
def test_a_log_is_of_the_first_collective_that_its_program_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(COLLECTIVES, "halo_shift", replace(SHIFT, program="halo"))
    # neither a reduction nor a root, as sendrecv.cu prints its table
    shift, named = {"redop": "none", "factor": 1.0, "wrong": ("0", "N/A")}, "my-halo.log"
    for text, source, collective in (
        (log([(2**23, 80.0)], program="halo_perf", **shift), "run.log", "halo_shift"),
        (log([(2**23, 80.0)], program="all_reduce_perf"), "run.log", "all_reduce"),
        (log([(2**23, 80.0)], program="", **shift), named, "send_recv"),
        (log([(2**23, 80.0)], program="", **{**shift, "wrong": ("0", "0")}), named, "halo_shift"),
    ):
        (run,) = read_log(text.encode(), source).runs
        assert run.collective == collective, source


def test_what_is_not_there_keeps_its_id_as_its_name() -> None:
    assert collective_name("halo_shift") == "halo_shift"


def test_the_docs_list_the_records() -> None:
    rows = [
        f"| `{each.id}` | {each.name} | {each.size_is} | {each.group} |"
        for each in COLLECTIVES.values()
    ]
    assert "\n".join(rows) in DOCS.read_text(encoding="utf-8")


def test_two_ranks_have_the_factors_of_two_and_one_rank_has_none() -> None:
    # nccl-tests, PERFORMANCE.md: 2 (n - 1) / n, (n - 1) / n
    for collective, factor in (("all_reduce", 1.0), ("all_gather", 0.5), ("all_to_all", 0.5)):
        assert (busbw_factor(collective, 2), busbw_factor(collective, 1)) == (factor, 0.0)
