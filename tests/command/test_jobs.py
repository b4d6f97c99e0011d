"""``toposmith jobs`` as a script sees it."""

from __future__ import annotations

import json

from tests.command.shell import Shell

DESIGN = "hgx-a100-64gpu-roce-2to1"


def test_jobs_are_told_alone_and_together(shell: Shell) -> None:
    done = shell("jobs", DESIGN, "4, all_to_all, striped", "four: 4, all_to_all")
    assert done.code == 0 and "held back at leaf - spine" in done.out and "four" in done.out
    data = json.loads(
        shell("jobs", DESIGN, "4, all_to_all, striped", "4, all_to_all", "--json").out
    )
    assert data["toposmith_jobs"] == 1
    assert all(one["together_GBps"] <= one["alone_GBps"] for one in data["jobs"])


def test_a_job_that_cannot_run_exits_2_in_one_line(shell: Shell) -> None:
    refused = shell("jobs", DESIGN, "99, all_reduce")
    assert refused.code == 2
    assert refused.err == "'99, all_reduce': 99 nodes wanted, 8 nodes of 8 are free\n"
    assert shell("jobs", DESIGN).code == 2
    assert shell("jobs", "no-such-design", "all, all_reduce").code == 2
