"""Looking at the design: the next collective, and the findings."""

from __future__ import annotations

import re
from dataclasses import replace

from topology.analysis.request import COLLECTIVES
from topology.fabric.plan import Finding
from tui.desk import Desk
from tui.live_figures import sorted_findings
from tui.questions import Choice
from tui.wording import COLLECTIVE_NAMES, counted

_LINK = re.compile(r"^links\[(\d+)\]")
_STYLES = {"error": "$text-error", "warning": "$text-warning", "info": ""}


def next_collective(desk: Desk) -> None:
    """Measure the next collective."""
    bench = desk.workbench
    at = COLLECTIVES.index(bench.request.collective)
    following = COLLECTIVES[(at + 1) % len(COLLECTIVES)]
    bench.request = replace(bench.request, collective=following)
    desk.measure_again()
    desk.say(f"now {COLLECTIVE_NAMES[following]}; M chooses among all", "hint")


async def list_findings(desk: Desk) -> None:
    """List the findings; the chosen one's place is selected."""
    findings = sorted_findings(desk.findings)
    if not findings:
        desk.say("no findings: nothing is wrong that the program knows of")
        return
    choices = [
        Choice(
            str(number),
            f"{desk.glyphs.mark(one.severity)} {one.severity}  {one.where}: {one.text}",
            style=_STYLES[one.severity],
        )
        for number, one in enumerate(findings)
    ]
    chosen = await desk.choose(counted(len(findings), "finding"), choices, look=True)
    if chosen is not None:
        _go_to(desk, findings[int(chosen)])


def _go_to(desk: Desk, finding: Finding) -> None:
    design = desk.workbench.design
    if (link := _LINK.match(finding.where)) is not None:
        desk.select_link(int(link[1]))
        return
    group = finding.where.partition(".")[0].partition("[")[0]
    if group in design.groups:
        desk.select_group(group)
        return
    for index, wired in enumerate(design.links):
        if finding.where == " - ".join(wired.between):
            desk.select_link(index)
            return
