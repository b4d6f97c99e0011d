"""`analyze`: what designs deliver, at one message size or all."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.analysis.prediction.size_curve import curve_as_data
from toposmith.analysis.result import as_json as data_of
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    BAD_INPUT,
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    path_of,
    refuse,
    say,
    write_json,
    write_talk,
    wrong,
)
from toposmith.command.options import Ordered, price_options, request_of, request_options
from toposmith.command.patience import doing
from toposmith.command.reports.analysis import (
    analysis_report,
    asked_line,
    curve_kinds,
    curve_table,
    more_remarks,
    next_lines,
)
from toposmith.design.parser import lines_of_entries
from toposmith.design.stored_files import load_text
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.here import read_policy
from toposmith.exports.text_plot.curves import AXIS_WORDS, curve_rows, why_no_curve
from toposmith.exports.text_plot.plot import as_text, signs
from toposmith.findings.finding import waiver_words
from toposmith.plain_text import visible
from toposmith.review.findings.collecting import finding_json
from toposmith.synthesis.next_change import BESIDE_SECONDS, findings_with_fixes, next_change
from toposmith.terminal import ascii_terminal
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.analysis.prediction.size_curve import Curve
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.policy import Policy


# `check`: the findings of designs, under a policy, with what was waived.


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
        if any(one.counts for one in findings):
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


PLOT_ROWS = 22
MOST_PLOT_COLUMNS = 110
MOST_DRAWN = 2
"""Designs in one plot: more signs would not be distinguishable."""


@click.command(cls=GroupedCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@request_options
@click.option("--why", is_flag=True, help="All figures with what they rest on; cut and tiers.")
@click.option("--curve", is_flag=True, help="Every message size from 8 bytes to 16 GiB.")
@click.option(
    "--plot/--no-plot",
    "plot",
    default=None,
    help="With --curve: draw one or two designs; on a terminal it is the default.",
)
@price_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def analyze(
    files: tuple[str, ...],
    why: bool,
    curve: bool,
    plot: bool | None,
    ordered: Ordered,
    as_json: bool,
    **asked: Any,
) -> int:
    """Say what a design delivers, and what limits it; of several, one after another."""
    text = "a plot is of one design or two, goes with --curve, and not into JSON"
    refuse(
        (plot and (as_json or not curve or len(files) > MOST_DRAWN), wrong("--plot", text)),
        (curve and _given("size"), wrong("--size", "a curve has every size; leave one out")),
        (files.count("-") > 1, Refused("only one design can come from stdin")),
    )
    cases = [_case(each, ordered, asked) for each in files]
    if as_json:
        data = [_as_data(case, curve) for case in cases]
        write_json(data[0] if len(data) == 1 else data)
    elif curve:
        _write_curves(cases, plot=plot)
    else:
        for number, case in enumerate(cases):
            _write_figures(case, "\n" if number else "", why=why)
    broken = any(case.findings_of("error") for case in cases)
    missing = curve and any(case.curve is None for case in cases)
    return FINDINGS if broken or missing else FINE


def _given(option: str) -> bool:
    """Whether an option that has a default was given explicitly."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not click.core.ParameterSource.DEFAULT


def _case(file: str, ordered: Ordered, options: dict[str, Any]) -> EvaluatedDesign:
    """A design with the request of the options and findings as `check` has them."""
    design = read_design(file)
    evaluated = reviewed(design, read_policy(), request_of(file, design, **options))
    terms = ordered.terms_as_read(design, evaluated.catalog)
    return replace(evaluated, source=file, terms=terms)


def _with_findings(case: EvaluatedDesign, *, remarks: bool = False) -> Analysis:
    """The figures with a review's findings; of remarks only those about the figures."""
    own = {one.key for one in case.analysis.findings}
    told = (one for one in case.findings if remarks or one.severity != "info" or one.key in own)
    return replace(case.analysis, findings=tuple(told))


def _curve(case: EvaluatedDesign) -> Curve | None:
    """The curve of a design; where there is none, stderr says why."""
    if case.curve is None:
        say(f"{case.source}: no curve: {why_no_curve(case.analysis)}")
    return case.curve


def _as_data(case: EvaluatedDesign, curve: bool) -> dict[str, Any] | None:
    if curve:
        found = _curve(case)
        return None if found is None else curve_as_data(found)
    costs = case.costs_as_data if case.terms.prices else {}
    return data_of(_with_findings(case, remarks=True)) | costs


def _write_figures(case: EvaluatedDesign, before: str, *, why: bool) -> None:
    analysis = _with_findings(case)
    listed = analysis.findings if why else [one for one in analysis.findings if not _remark(one)]
    more = more_remarks(len(case.findings) - len(listed), case.source)
    other = None if why else case.planned.questions.prediction(case.asked.of_other_links)
    write_talk(before + analysis_report(analysis, case.asked, more, why=why, other=other))
    if case.terms.prices:
        write_talk("".join(f"\n{words}\n" for words in case.cost_shares))
    if analysis.busbw_GBps is not None:
        _write_next(case, why=why)


def _remark(finding: Finding) -> bool:
    return finding.severity == "info" and finding.waived is None


def _write_next(case: EvaluatedDesign, *, why: bool) -> None:
    """What to do next; the search starts after the figures are printed."""
    with doing("searching changes that lift it"):
        found = next_change(replace(case, shared=case.planned), seconds=BESIDE_SECONDS)
    more = [] if why else ["", "More: --why"]
    write_talk("".join(f"{line}\n" for line in ("", *next_lines(found), *more)))


def _write_curves(cases: list[EvaluatedDesign], *, plot: bool | None) -> None:
    lines: list[str] = []
    curves: list[Curve] = []
    for case in cases:
        if (curve := _curve(case)) is not None:
            asked = asked_line(curve, case.asked, case.analysis.communicator)
            lines += [*([""] if lines else []), asked, "", *curve_table(curve)]
            curves.append(curve)
    drawn = sys.stdout.isatty() and len(curves) <= MOST_DRAWN if plot is None else plot
    if curves and drawn:
        lines += ["", *_plot_lines(curves)]
    write_talk("".join(f"{line}\n" for line in lines))


def _plot_lines(curves: list[Curve]) -> list[str]:
    """The curves as text; in ASCII where stdout can show nothing else."""
    plain = ascii_terminal() or not _can_show(signs(False).series[0])
    columns = min(shutil.get_terminal_size().columns, MOST_PLOT_COLUMNS)
    legend = [
        f"  {sign:3}  {visible(curve.design) or 'unnamed design'}"
        for sign, curve in zip(signs(plain).series, curves, strict=False)
    ]
    rows = curve_rows(curves, "busbw", columns, PLOT_ROWS, ascii_only=plain)
    kinds = "; ".join(dict.fromkeys(curve_kinds(curve) for curve in curves))
    title = f"{AXIS_WORDS['busbw']} against message size ({kinds})"
    return [title, *(legend if len(curves) > 1 else ()), "", as_text(rows)]


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
