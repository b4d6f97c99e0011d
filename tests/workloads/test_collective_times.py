"""What workloads are timed by is what the analysis says."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, parts, saved
from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Collective, Request
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import on_first_nodes


@pytest.mark.parametrize(
    ("collective", "layout", "kind"),
    [
        ("reduce_scatter", "tp=8,dp=15,pp=8", "dp"),
        ("all_reduce", "tp=8,dp=15,pp=8", "tp"),
        ("send_recv", "tp=8,dp=15,pp=8", "pp"),
        ("send_recv", "tp=8,cp=4,dp=30", "cp"),
        ("all_to_all", "ep=64,dp=15", "ep"),
        ("all_gather", "tp=2,dp=480", "dp"),
    ],
)
@pytest.mark.parametrize("placement", ["packed", "striped"])
def test_times_are_those_of_the_analysis(
    collective: Collective, layout: str, kind: str, placement: str
) -> None:
    plan = on_first_nodes(saved(POD), 120)
    times = CollectiveTimes(plan, parts(), placement=placement)  # type: ignore[arg-type]
    times.outcome("all_reduce", parse_layout("tp=4,dp=240"), "dp", 2**20)  # shares its network
    for size in (2**14, 2**24, 2**30):
        job = Job(parse_layout(layout), kind, placement)  # type: ignore[arg-type]
        said = analyse(plan, parts(), Request(collective, size, job))
        outcome = times.outcome(collective, parse_layout(layout), kind, size)
        assert outcome.time_us == pytest.approx(said.time_us)
        assert outcome.busbw_GBps == pytest.approx(said.busbw_GBps)


def test_a_job_on_the_first_nodes_leaves_the_last_ones_out() -> None:
    plan = saved(POD)
    for nodes in (1, 32, 33, 64, 120, 127):
        said = analyse(on_first_nodes(plan, nodes), parts())
        assert (said.nodes, said.gpus) == (nodes, 8 * nodes)
    assert on_first_nodes(plan, 127) is plan


def test_groups_that_straddle_nodes_are_refused() -> None:
    times = CollectiveTimes(on_first_nodes(saved(POD), 3), parts())
    with pytest.raises(WorkloadError, match="straddle nodes of 8 GPUs"):
        times.outcome("all_reduce", parse_layout("tp=3,dp=8"), "tp", 2**20)
