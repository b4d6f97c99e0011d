"""`fix`: the smallest changes that raise a figure, and what could be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.design_input import design_name, read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    INTERRUPTED,
    GroupedCommand,
    Refused,
    load_parts,
    refuse,
    require_free,
    say,
    write_either,
    write_out,
    wrong,
)
from toposmith.command.options import (
    NEED,
    Ordered,
    giving,
    needs_asked,
    price_options,
    request_of,
    request_options,
)
from toposmith.command.patience import KeepsWhatIsDone, doing
from toposmith.design.writer import design_text
from toposmith.documents.aligned_text import listed
from toposmith.evaluation import EvaluatedDesign
from toposmith.synthesis.fixes_table import fixes_table, spares_table
from toposmith.synthesis.left_out import what_can_be_left_out
from toposmith.synthesis.needs import AIMS, FIGURE, WORKLOAD, Aim, needs_words
from toposmith.synthesis.next_change import fixes_as_data, next_change, spare_words, spares_as_data
from toposmith.synthesis.ranked_fixes import CHANGES_UNTIL, MOST_FIXES, RankedFixes

if TYPE_CHECKING:
    from toposmith.design.document import Design


Item = TypeVar("Item")


@dataclass(frozen=True)
class TakenLine:
    """The number of the line to write, from 1, and its file; nothing where ``number`` is None."""

    number: int | None
    out: str
    force: bool

    def check(self, as_json: bool, *inputs: str) -> None:
        """Raise click.BadParameter or Refused for options that conflict or overwrite an input."""
        taken = self.number is not None
        refuse(
            (
                not taken and (self.out != "-" or self.force),
                wrong("-o or --force", "goes with --take N"),
            ),
            (taken and as_json, wrong("--json", "choose --take or --json")),
        )
        if taken:
            require_free(self.out, self.force, *inputs)

    def of(self, found: Sequence[Item], noun: str) -> Item:
        """The chosen item; Refused where there are fewer."""
        number = self.number or 1
        if number > len(found):
            there = f"there are {len(found)}" if len(found) > 1 else "there is one"
            many = there if found else "there is none"
            raise Refused(f"--take {number}: there is no such {noun} ({many})")
        return found[number - 1]

    def write(self, design: Design) -> None:
        """Write the design of that line."""
        write_out(design_text(design), self.out)
        if self.out != "-" and design.note:
            say("its name and note are as before, whatever figures they say")


_TAKING = (
    click.option(
        "--take",
        "number",
        type=click.IntRange(1),
        metavar="N",
        help="Write the design with line N.",
    ),
    click.option(
        "-o",
        "--output",
        "out",
        metavar="OUT",
        default="-",
        callback=design_name,
        help="With --take: write it here.",
    ),
    click.option("--force", is_flag=True, help="Replace OUT if it is there."),
)

SECONDS = 10.0
"""Default time limit, s; most designs need less than one for all changes."""

SECONDS_OF_DEAR = 60.0
"""The same where each change takes many analyses: failures, workloads, spares."""

SECONDS_AFTER_INTERRUPT = 0.4
"""Time in s after Ctrl+C in which bills and costs of the changes found are computed."""

ONE_NEED = (
    "fixes are listed for one figure in GB/s at a time; several go with --spare, which lists what "
    "could be left out while they hold"
)

LONGER = "--seconds gives the search longer"


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@click.option("--spare", is_flag=True, help="List what could be left out instead.")
@click.option(
    "--lift",
    type=click.Choice(list(AIMS)),
    metavar="WHAT",
    help="figure; failure: what one leaves of it; workload: its margin.",
)
@NEED
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    metavar="S",
    help="How long it may take: half of it changes are tried, then what they buy and take "
    f"elsewhere is worked out; {SECONDS:.0f} if not given, with --lift or --spare "
    f"{SECONDS_OF_DEAR:.0f}, and 0 is no end.",
)
@giving(_TAKING, "taken", TakenLine)
@request_options
@price_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def fix(
    file: str,
    spare: bool,
    lift: str | None,
    needs: tuple[str, ...],
    seconds: float | None,
    taken: TakenLine,
    ordered: Ordered,
    as_json: bool,
    **asked: Any,
) -> int:
    """List the smallest changes that lift a figure, each analysed, the smallest first.

    With --need only those that reach it. With --spare: what could be left out while the figure
    holds, or while every --need does.
    """
    refuse(
        (
            not spare and (len(needs) > 1 or (needs and lift == WORKLOAD.name)),
            wrong("--need", ONE_NEED),
        ),
        (lift is not None and spare, wrong("--lift", "does not go with --spare")),
    )
    taken.check(as_json, file, *ordered.lists)
    wanted = needs_asked(needs)
    design, parts = read_design(file), load_parts()
    if wanted and not spare:
        asked["collective"] = next(iter(wanted))
    request = request_of(file, design, **asked)
    evaluated = EvaluatedDesign(
        design, parts, request, terms=ordered.terms_as_read(design, parts), source=file
    )
    if spare:
        given = SECONDS_OF_DEAR if seconds is None else seconds
        return _spare(evaluated, wanted, given or None, taken, as_json)
    if seconds is None:
        seconds = SECONDS if lift in (None, FIGURE.name) else SECONDS_OF_DEAR
    return _fix(evaluated, AIMS[lift or FIGURE.name], wanted, seconds or None, taken, as_json)


def _fix(
    evaluated: EvaluatedDesign,
    aim: Aim,
    needs: dict[str, float],
    seconds: float | None,
    taken: TakenLine,
    as_json: bool,
) -> int:
    if aim is WORKLOAD and not evaluated.design.workload:
        raise Refused("--lift workload: the design has no workload: block")
    if aim is FIGURE and seconds is not None:
        _say_if_a_change_takes_longer(evaluated, seconds)
    with KeepsWhatIsDone(seconds, SECONDS_AFTER_INTERRUPT) as limit:
        searched = next_change(evaluated, aim, limit=limit, reviewed=MOST_FIXES)
    found, unmet, told = _reaching(searched.fixes, needs)
    spares = searched.spares
    if limit.ended and _interrupted(taken):
        return INTERRUPTED
    if taken.number is not None:
        refuse((unmet, Refused(f"--take {taken.number}: {'; '.join(told)}")))
        taken.write(taken.of(found.fixes, "line").design)
        return FINE
    more = "--spare lists what could be left out, with what each keeps"
    told += [] if found.fixes or not spares or not spare_words(spares) else [more]
    told += [] if found.complete else [LONGER]
    write_either(
        as_json,
        lambda: fixes_as_data(found, spares) | {"needs": needs, "unmet": list(unmet)},
        lambda: listed(_name(evaluated), fixes_table(found, spares), *told),
    )
    if limit.ended:
        return INTERRUPTED
    return FINDINGS if unmet else FINE


def _reaching(
    found: RankedFixes, needs: dict[str, float]
) -> tuple[RankedFixes, dict[str, float], list[str]]:
    """The fixes that reach a need; where none does, all of them, the need, and that said."""
    if not needs:
        return found, {}, []
    ((_, needed),) = needs.items()
    words, now = needs_words(needs), found.now.amount
    if now.value is not None and now.value >= needed and not now.label.sign:
        return found, {}, [f"{words} is met without a change"]
    reach = tuple(fix for fix in found.fixes if (fix.after.value or 0.0) >= needed)
    if reach:
        return replace(found, fixes=reach), {}, []
    return found, needs, [f"no fix that was found reaches {words}"]


def _say_if_a_change_takes_longer(evaluated: EvaluatedDesign, seconds: float) -> None:
    """Warn beforehand when one analysis takes longer than the limit, so that none may fit."""
    began = monotonic()
    of = evaluated.asking(evaluated.asked.as_modelled)
    FIGURE.figure(of.planned, of.asked)  # kept for the search
    took = monotonic() - began
    if took > CHANGES_UNTIL * seconds:
        say(
            f"the figure took {took:.1f} s, and a change takes about as long, so that the "
            f"{seconds:g} s of --seconds may be too short for any"
        )


def _spare(
    evaluated: EvaluatedDesign,
    needs: dict[str, float],
    seconds: float | None,
    taken: TakenLine,
    as_json: bool,
) -> int:
    with doing("searching what could go"), KeepsWhatIsDone(seconds) as limit:
        found = what_can_be_left_out(
            evaluated, needs or None, failures=taken.number is None, limit=limit
        )
    if limit.ended and _interrupted(taken):
        return INTERRUPTED
    if taken.number is not None:
        taken.write(taken.of(found.left_out, "line").design)
        return FINE
    told = () if found.complete else (LONGER,)
    write_either(
        as_json,
        lambda: spares_as_data(found),
        lambda: listed(_name(evaluated), spares_table(found), *told),
    )
    if limit.ended:
        return INTERRUPTED
    return FINDINGS if found.unmet or not found.needs else FINE


def _name(evaluated: EvaluatedDesign) -> str:
    return evaluated.design.name or evaluated.source


def _interrupted(taken: TakenLine) -> bool:
    """Report what an interrupted search keeps; True where ``--take`` must not write a line.

    Lines found later could have come first.
    """
    nothing = taken.number is not None
    say("interrupted: nothing is written" if nothing else "interrupted: what was found until then")
    return nothing
