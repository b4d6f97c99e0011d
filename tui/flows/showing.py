"""Looking at the design: collective, message size, findings, and the way out."""

from __future__ import annotations

import re

from topology.analysis.result import COLLECTIVES
from topology.fabric.plan import Finding
from tui.desk import Desk
from tui.live_figures import sorted_findings
from tui.widgets.question_panel import Choice, Question
from tui.wording import COLLECTIVE_NAMES, counted, message_size, read_message_size

_LINK = re.compile(r"^links\[(\d+)\]")
_STYLES = {"error": "$text-error", "warning": "$text-warning", "info": ""}


def next_collective(desk: Desk) -> None:
    """Measure the next collective."""
    bench = desk.workbench
    at = COLLECTIVES.index(bench.collective)
    bench.collective = COLLECTIVES[(at + 1) % len(COLLECTIVES)]
    desk.measure_again()
    desk.say(f"now {COLLECTIVE_NAMES[bench.collective]}", "hint")


async def ask_size(desk: Desk) -> None:
    """Measure another message size."""
    bench = desk.workbench

    def check(text: str) -> str:
        return "" if read_message_size(text) else "a size such as 64MiB, 8GiB or 1e9 is needed"

    text = await desk.ask(Question("message size", message_size(bench.message_bytes), check=check))
    size = read_message_size(text) if text else None
    if size is not None:
        bench.message_bytes = size
        desk.measure_again()
        desk.say(f"now messages of {message_size(size)}", "hint")


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
