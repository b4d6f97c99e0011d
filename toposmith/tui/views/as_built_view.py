"""What is really cabled, compared with the design: differences, what they cost, what was done.

Ports at which something differs are marked inside units, nodes and switches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.job_list import read_jobs
from toposmith.as_built.check_list import CheckItem, loss_words
from toposmith.as_built.costs import names_of
from toposmith.as_built.survey import Surveyed
from toposmith.collectives import COLLECTIVES
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.evaluation.evaluated import COLLECTIVES as ANALYSED
from toposmith.fabric.plan import PlannedEnd
from toposmith.text import bandwidth, counted
from toposmith.tui.asking import Act
from toposmith.tui.flows.adding_jobs import add_job
from toposmith.tui.flows.comparing_cables import (
    Comparing,
    accept,
    bind,
    go_to_port,
    mark,
    open_dump,
    take_names,
    write_list,
)
from toposmith.tui.views.listing import Key, Listing, ViewJob

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.evaluation import EvaluatedDesign


NO_DUMP = (
    "Nothing is compared yet: o asks for what the fabric manager or the switches say "
    "(ibnetdiscover, iblinkinfo, UFM, LLDP, NetBox, sheets of cables)."
)
_BEFORE = (
    Column("kind"),
    Column("state", rank=3),
    Column("rack", rank=6),
    Column("what to do", wide=90, fill=24, wraps=True),
    Column("steps", rank=7, right=True),
)
_AFTER = (Column("per step", rank=8, right=True), Column("together with", rank=9))
_TONES = {"to move": Tone.ACCENT, "accepted": Tone.GOOD, "done": Tone.GOOD}


def differences_table(surveyed: Surveyed) -> Table:
    """What is to be done, then what was done since an earlier dump, then what does no harm."""
    costs = surveyed.costs.designed
    # rails that are crossed cost an all-reduce nothing, so every collective is seen
    figures = (Column(COLLECTIVES[name].name, rank=2, right=True) for name in costs)
    columns = (*_BEFORE, *figures, *_AFTER)
    blank = [Cell("")] * (len(columns) - 4)
    rows = [_row(surveyed, item) for item in surveyed.items]
    for at, one in enumerate(surveyed.since.done if surveyed.since is not None else ()):
        cells = (Cell(one.kind), Cell("done", "done", _TONES["done"]), Cell(one.spot),
                 Cell(one.instruction), *blank)  # fmt: skip
        rows.append(Row(f"done {at}", cells, (one.instruction,)))
    for place, one in enumerate(surveyed.compared.differences):
        if not one.harmful:
            cells = (Cell(one.kind, one.kind, Tone.QUIET), Cell("no harm", "no harm"),
                     Cell(one.spot, one.spot), Cell(one.instruction), *blank)  # fmt: skip
            groups = surveyed.corrections.groups(one)
            rows.append(
                Row(f"{place}", cells, (one.instruction,), groups, _links(surveyed, groups))
            )
    empty = "nothing differs: every cable is where the design has it"
    return Table(columns, tuple(rows), tuple(_head(surveyed)), empty)


def ends_of(surveyed: Surveyed) -> dict[PlannedEnd, str]:
    """Where differences are seen, with what is said there."""
    corrections = surveyed.corrections
    seen: dict[PlannedEnd, str] = {}
    for item in surveyed.items:
        if surveyed.states.get(item.place) != "accepted":
            for end in corrections.ports(item.difference):
                if end.port is None:
                    continue  # of a switch whose port no link deals
                seen.setdefault(end, f"as built: {item.difference.instruction}")
    return seen


def _row(surveyed: Surveyed, item: CheckItem) -> Row:
    one = item.difference
    state = surveyed.states.get(item.place) or item.state
    lost = [item.lost_GBps.get(name) for name in surveyed.costs.designed]
    per_step = item.per_step_GBps
    group = one.group if item.shared else ""
    cells = (
        Cell(one.kind, one.kind),
        Cell(state, state, _TONES.get(state, Tone.PLAIN)),
        Cell(item.rack, item.rack),
        Cell(one.instruction, one.instruction),
        Cell(f"{one.steps}", one.steps),
        *(Cell("unknown", None) if less is None else Cell(_loss(less), less) for less in lost),
        Cell("unknown", None) if per_step is None else Cell(_loss(per_step), per_step),
        Cell(group, group),
    )
    said = [one.instruction]
    words = loss_words(item, surveyed.costs)
    if words:
        said.append(words)
    if item.gates:
        said.append(item.gates)
    if item.label:
        said.append(f"cable {item.label}")
    left_out = surveyed.costs.left_out.get(item.place)
    if left_out:
        said.append(f"in the figures it is lacking where it belongs; {left_out}")
    groups = surveyed.corrections.groups(one)
    return Row(f"{item.place}", cells, tuple(said), groups, _links(surveyed, groups))


def _loss(GBps: float) -> str:
    return f"-{bandwidth(GBps)}" if GBps > 1e-3 else "no loss"


def _links(surveyed: Surveyed, groups: frozenset[str]) -> frozenset[int]:
    """The links between the groups that a difference is about."""
    links = surveyed.design.plan.links
    return frozenset(one.index for one in links if {one.a.group, one.b.group} <= groups)


def _head(surveyed: Surveyed) -> Iterator[Note]:
    compared, costs, left = surveyed.compared, surveyed.costs, surveyed.open_differences
    steps = [
        f"{counted(many, noun)} {words}" for many, noun, words in (
            (sum(one.moves for one in left), "end", "to move"),
            (sum(one.add for one in left), "cable", "to lay"),
            (sum(one.remove for one in left), "cable", "to take out"),
        ) if many
    ]  # fmt: skip
    accepted = len(compared.differences) - len(left)
    if accepted:
        steps.append(f"{counted(accepted, 'difference')} accepted into the design")
    found = (
        f"{compared.agree:,} of {compared.planned:,} cables as designed ({compared.dump.source})"
    )
    yield Note("; ".join((found, *steps)), Tone.PLAIN if compared.same else Tone.WARNING)
    for name, designed in costs.designed.items():
        words = f"{COLLECTIVES[name].name}: {designed.words} as designed, "
        words += f"{costs.as_built[name].words} as built"
        if surveyed.once_moved:
            words += f", {surveyed.once_moved[name].words} once what is marked is put right"
        yield Note(f"{words} ({designed.label.words})")
    if surveyed.since is not None:
        since = surveyed.since
        words = f"since {surveyed.earlier}: {len(since.done)} put right, {len(since.still)} open, "
        yield Note(words + f"{len(since.new)} new", Tone.GOOD if since.done else Tone.PLAIN)
    for note in (*compared.notes, *compared.dump.ignored_lines(), *compared.dump.notes):
        yield Note(note, Tone.QUIET)


def _mark_ports(found: object) -> Act:
    """Mark the ports at which something differs inside the fabric."""
    ends = ends_of(found) if isinstance(found, Surveyed) else {}
    return Act(lambda designer: designer.panels.depths.mark(ends))


def _found(job: ViewJob) -> Surveyed | str:
    """The dump compared with the current design; in words, that there is none."""
    wanted, catalog, survey = job.wanted, job.catalog, job.asked.survey
    if survey.dump is None:
        return NO_DUMP

    def evaluated(design: Design) -> EvaluatedDesign:
        return replace(wanted, design=design).evaluated(catalog)

    jobs = None
    if wanted.design.jobs:
        whole = evaluated(wanted.design)
        read = read_jobs(wanted.design.jobs, wanted.design, whole.network.world)
        jobs = {one.name: names_of(whole.plan, one.nodes) for one in read}
    first = wanted.request.collective
    asked = (first, *(one for one in ANALYSED if one != first))
    found: Surveyed = survey.survey(wanted.design, evaluated, asked, jobs=jobs)
    return found


AS_BUILT = Listing(
    "as_built",
    "As built",
    about="what is cabled otherwise",
    compute=_found,
    table=lambda found, asked, glyphs: (
        differences_table(found) if isinstance(found, Surveyed) else Table(empty=NO_DUMP)
    ),
    begin=Comparing,
    shown=_mark_ports,
    keys=(
        Key(
            "o", "open",
            "Open what the fabric manager or the switches say; again, a later dump",
            lambda on: open_dump(on.asked),
        ),
        Key(
            "a", "accept",
            "Accept the difference into the design, with its group: one step, u undoes it",
            lambda on: accept(on.here, on.asked, on.found, on.row) if on.row else None,
            changes=True,
        ),
        Key(
            "m", "mark",
            "Mark it to be moved: the figure without it is said; again takes the mark away",
            lambda on: mark(on.asked, on.found, on.row),
        ),
        Key(
            "l", "check list", "Write the check list: txt, csv, xlsx or html",
            lambda on: write_list(on.here, on.found),
        ),
        Key(
            "enter", "go there", "Go to the port inside the fabric; @ comes back",
            lambda on: go_to_port(on.found, on.row),
        ),
        Key(
            "A", "accept all", "Accept all differences into the design, as one step",
            lambda on: accept(on.here, on.asked, on.found, None),
            changes=True,
        ),
        Key(
            "L", "lock it",
            "Make what was read the lock, after a look at what becomes of it: s saves, u undoes",
            lambda on: bind(on.here, on.asked),
            changes=True,
        ),
        Key(
            "n", "names",
            "Give a map of names: what the dump calls each device, and the design",
            lambda on: take_names(on.asked),
        ),
        Key(
            "j", "a job",
            "Add a job to the design: slow cables say whether they hold it back",
            lambda on: add_job(on.here),
            changes=True,
        ),
    ),
)  # fmt: skip
