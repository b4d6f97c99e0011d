"""`check`: the findings of designs, under a policy, with what was waived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    BAD_INPUT,
    FINDINGS,
    FINE,
    Refused,
    load_parts,
    path_of,
    say,
    write_json,
    write_talk,
)
from toposmith.design.parser import lines_of_entries
from toposmith.design.stored_files import load_text
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.here import read_policy
from toposmith.findings.finding import waiver_words
from toposmith.plain_text import visible
from toposmith.review.findings.collecting import finding_json
from toposmith.synthesis.next_change import findings_with_fixes
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.policy import Policy


def checked_lines(
    file: str,
    findings: Iterable[Finding],
    *,
    remarks: bool = True,
    in_full: bool = False,
    at: Mapping[str, int] | None = None,
) -> list[str]:
    """The lines of one design; waived findings in short, or ``in_full``.

    Remarks are listed where ``remarks`` asks for them, and counted else.

    ``at`` maps the place of a finding to the line of its entry in the file.
    """
    lines: list[str] = []
    counted_only = 0
    for one in findings:
        if one.severity == "info" and not remarks and not (in_full and one.waived):
            counted_only += 1
            continue
        line = (at or {}).get(one.where.partition("]")[0] + "]")
        start = f"{visible(file)}:{line}: " if line else f"{visible(file)}: "
        said = f"{visible(one.where)}: {visible(one.text)} [{one.code}]"
        word = one.severity if one.waived is None else f"waived {one.severity}"
        lines.append(f"{start}{word}: {said}")
        if one.waived is not None:
            lines.append(f"    waived: {visible(one.waived.reason)} ({waiver_words(one)})")
        if one.waived is not None and not in_full:
            continue
        if one.figure:
            lines.append(f"    figure: {visible(one.figure)}")
        lines.append(f"    fix: {visible(one.fix)}")
    if not counted_only:
        return lines or [f"{visible(file)}: no findings"]
    rest = f"{counted(counted_only, 'remark')} (--remarks)"
    return [*lines, f"{visible(file)}: {rest if lines else f'no warnings, {rest}'}"]


def checked_json(file: str, design: str, findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings of one design as data."""
    return {"file": file, "design": design, "findings": [finding_json(one) for one in findings]}


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--policy",
    "policy_file",
    metavar="POLICY",
    type=click.Path(path_type=Path),
    help="Severities and limits; without it policy.yaml of your configuration, if there is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON under stable keys.")
@click.option("--remarks", is_flag=True, help="List remarks, too.")
@click.option("--waived", is_flag=True, help="Show waived findings in full.")
def check(
    files: tuple[str, ...], policy_file: Path | None, as_json: bool, remarks: bool, waived: bool
) -> int:
    """List what is wrong with designs; exit 1 where there are errors or warnings."""
    policy = read_policy(policy_file)
    code = FINE
    rows: list[dict[str, Any]] = []
    for file in files:
        try:
            design = read_design(file)
            findings = findings_with_fixes(reviewed(design, policy))
        except (ToposmithError, Refused) as error:
            for line in str(error).splitlines():
                say(line)
            rows.append({"file": file, "error": str(error)})
            code = BAD_INPUT
            continue
        if as_json:
            rows.append(checked_json(file, design.name, findings))
        else:
            at = _lines_of(file, findings)
            lines = checked_lines(file, findings, remarks=remarks, in_full=waived, at=at)
            write_talk("".join(f"{line}\n" for line in lines))
        if any(one.severity != "info" and one.waived is None for one in findings):
            code = max(code, FINDINGS)
    if as_json:
        data = {"toposmith": 1, "policy": policy.name, "designs": rows}
        write_json(data)
    return code


def _lines_of(file: str, findings: Iterable[Finding]) -> dict[str, int]:
    """The line of the entry that each finding is about; empty for standard input."""
    entries = ("absent[", "down[", "slow[", "sets.", "cables[")
    if file == "-" or not any(one.where.startswith(entries) for one in findings):
        return {}
    return lines_of_entries(load_text(path_of(file))[0])


def reviewed(design: Design, policy: Policy, request: Request | None = None) -> EvaluatedDesign:
    """A design evaluated for a review of today, with this run's parts and the policy's request."""
    return EvaluatedDesign(design, load_parts(), request, policy=policy, today=date.today())
