"""`change`: what to do from what lies there to what is drawn."""

from __future__ import annotations

from typing import Any

import click

from toposmith.cancellation import Stopped
from toposmith.command.design_input import read_design, read_design_or_revision
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    INTERRUPTED,
    GroupedCommand,
    Refused,
    load_parts,
    say,
    write_data,
    write_json,
    write_talk,
)
from toposmith.command.lock import renamed_option, require_names, told_names
from toposmith.command.options import Floor, floor_option, measuring_options, request_of
from toposmith.command.order_options import Ordered, price_options
from toposmith.command.patience import KeepsWhatIsDone
from toposmith.design.document import Design
from toposmith.documents.aligned_text import listed
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.acts_in_words import change_as_data, change_csv, change_page, change_table
from toposmith.lock.binding import Binding
from toposmith.lock.change_plan import begun_at, change_to, require_cabled
from toposmith.review.report.pages import page_html


@click.command(cls=GroupedCommand)
@click.argument("files", metavar="[OLD] FILE", nargs=-1, required=True)
@floor_option
@renamed_option
@measuring_options
@price_options
@click.option("--csv", "as_csv", is_flag=True, help="Write every act as a line of CSV.")
@click.option("--html", "as_html", is_flag=True, help="Write a page to print, a box at each act.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def change(
    files: tuple[str, ...],
    floor: Floor,
    renamed: tuple[str, ...],
    ordered: Ordered,
    as_csv: bool,
    as_html: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Write the change order from the lock of FILE, or from OLD, to FILE as it is now.

    Cables to pull, connect and move by one end, devices to add, replace and take out, in steps
    that keep the cluster running, with the figures after each and meanwhile, and what to buy.
    Exit code 1 where a --floor does not hold, or a cable finds no port.
    """
    if len(files) > 2 or files == ("-", "-"):
        raise click.BadParameter("give FILE, or OLD and FILE", param_hint="FILE")
    if as_csv + as_html + as_json > 1:
        raise click.BadParameter("choose one of --csv, --html and --json", param_hint="--csv")
    design, parts = read_design(files[-1]), load_parts()

    def evaluated(name: str, drawn: Design) -> EvaluatedDesign:
        request = request_of(name, drawn, **asked)
        found = EvaluatedDesign(drawn, parts, request, terms=ordered.terms_as_read(drawn, parts))
        try:
            require_cabled(found)
        except EditError as fault:
            raise Refused(f"{name}: {fault}") from None
        return found

    new = evaluated(files[-1], design)
    if len(files) > 1:
        old = evaluated(files[0], read_design_or_revision(files[0]))
        new = begun_at(new, files[0], old)
    else:
        _require_lock(files[0], design.binding)
        new = evaluated(files[0], told_names(design, renamed))
        require_names(files[0], new.plan, parts, renamed)
    with KeepsWhatIsDone() as limit:
        try:
            plan = change_to(new, floor[0], least_gpus=floor[1], limit=limit)
        except Stopped:
            raise KeyboardInterrupt from None  # there is no result to keep yet
    if not plan.complete:
        say("interrupted: the figures worked out until then")
    if as_csv or as_html or as_json:
        for fault in plan.faults:
            say(fault)
    if as_csv:
        write_data(change_csv(plan))
    elif as_html:
        write_data(page_html(change_page(plan)))
    elif as_json:
        write_json(change_as_data(plan))
    else:
        write_talk(listed(design.name or files[-1], change_table(plan)))
    if not plan.complete:
        return INTERRUPTED
    return FINE if plan.holds and not plan.faults else FINDINGS


def _require_lock(file: str, binding: Binding | None) -> None:
    """Refuse where nothing says what lies there."""
    if binding is None:
        raise Refused(
            f"{file}: has no lock that says what lies there; `toposmith lock {file}` writes one, "
            f"or give the design of before: toposmith change OLD {file}"
        )
    if binding.lock is None:
        raise Refused("\n".join(f"{binding.source}: {fault}" for fault in binding.faults))
