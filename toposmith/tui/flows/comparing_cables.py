"""A dump of what is cabled: which one, what is accepted of it, and the check list written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.check_list import FORMS, written
from toposmith.as_built.corrections import corrected
from toposmith.as_built.name_maps import NameMap, read_map
from toposmith.as_built.reading.file_formats import decoded, read_files, read_path
from toposmith.as_built.survey import Survey, Surveyed
from toposmith.design.edits.edit import Edit
from toposmith.exports.forms import Made
from toposmith.tui.asking import (
    Act,
    Asking,
    FlowOutcome,
    Go,
    Here,
    MadeEdit,
    Say,
    TextQuestion,
    Wait,
    ask,
    pick,
)
from toposmith.tui.flows.exports import started
from toposmith.tui.flows.path_questions import files_of, path_to
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.as_built.acceptance import Acceptance
    from toposmith.documents.table import Row
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.exports.forms import Progress


@dataclass(frozen=True)
class Comparing:
    """The dump that a design is compared with, and what the user decides about it.

    Parameters
    ----------
    survey : Survey
        The dump, its map of names, what is accepted and marked.
    files : str
        Where the dump is from, as it was typed.
    turn : int
        How often something else was decided: then it is compared anew.
    """

    survey: Survey = field(default_factory=Survey)
    files: str = ""
    turn: int = 0


def _again(asked: Comparing, decide: Callable[[], object], files: str | None = None) -> Act:
    """Compare anew after something was decided."""
    anew = replace(asked, files=asked.files if files is None else files, turn=asked.turn + 1)

    def do(designer: Any) -> None:
        decide()
        designer.panels.ask_view("as_built", anew)

    return Act(do)


def open_dump(asked: Comparing) -> Asking:
    """Ask for a dump to compare with from now on: files, or a pattern."""

    def read(text: str) -> tuple[str, Cabling]:
        return text, read_files([read_path(path) for path in _files(text)])

    files, dump = yield from ask(
        TextQuestion(
            "what is cabled: files, blanks between them, or a pattern",
            asked.files,
            read,
            "ibnetdiscover, iblinkinfo, UFM, LLDP, NetBox, sheets; right arrow completes a name",
            file=True,
        )
    )
    return _again(asked, partial(asked.survey.open, dump), files)


def take_names(asked: Comparing) -> Asking:
    """Ask for a map of names: what the dump calls each device."""

    def read(text: str) -> NameMap:
        source, raw = read_path(Path(text.strip()).expanduser())
        return read_map(source, decoded(source, raw))

    hint = "lines like dgx{n} = node-su0-{n-1}; right arrow completes a name"
    names = yield from ask(TextQuestion("map of names, a file", "", read, hint, file=True))
    return _again(asked, partial(setattr, asked.survey, "names", names))


def _place(found: object, row: Row | None) -> int | None:
    """The place in the differences of a line; None where it is of an earlier dump."""
    there = isinstance(found, Surveyed) and row is not None and row.key.isdigit()
    return int(row.key) if there and row is not None else None


def mark(asked: Comparing, found: Any, row: Row | None) -> FlowOutcome:
    """Mark a difference to be moved, or take the mark away."""
    place = _place(found, row)
    if place is None or not found.compared.differences[place].harmful:
        return None
    return _again(asked, partial(asked.survey.toggle, found, place))


def go_to_port(found: Any, row: Row | None) -> FlowOutcome:
    """Go to the first port at which a difference is seen, inside the fabric."""
    place = _place(found, row)
    if place is None or row is None:
        return None
    difference = found.compared.differences[place]
    end = next(iter(found.corrections.ports(difference)), None)
    if end is None:
        return Go(row.groups, row.links)
    return Act(lambda designer: designer.panels.show_port(end))


def accept(here: Here, asked: Comparing, found: Any, row: Row | None) -> FlowOutcome:
    """Make a difference part of the design, with its group; without a row all of them."""
    place = _place(found, row)
    if not isinstance(found, Surveyed) or (row is not None and place is None):
        return None
    chosen = [item.place for item in found.items] if place is None else [place]
    if not chosen:
        return None
    correction, left_out = asked.survey.accept(found, chosen)
    if correction.empty:
        return Say(f"not accepted: {left_out[0] if left_out else 'it is there already'}")
    many = len(chosen)
    words = "as built: 1 difference accepted" if many == 1 else f"as built: {many} accepted"
    edit = corrected(here.design, correction, words)

    def take(designer: Any) -> None:
        if designer.editing.make(edit) and left_out:
            designer.messages.say(f"{words}; left out: {left_out[0]}", "minded")

    return Act(take)


def bind(here: Here, asked: Comparing) -> Asking:
    """Make what was read the lock of the design, after a look at what becomes of its lines."""
    from toposmith.lock.binding import Binding, lock_path
    from toposmith.review.findings.locks import why_left_alone

    survey = asked.survey
    if survey.dump is None:
        return Say("nothing was read yet: o asks for it")
    if why := why_left_alone(here.bench.plan, here.catalog, odd_ports=True):
        return Say(f"not bound: {why}")
    evaluated, answer = here.bench.evaluated, ""
    while answer != "bind":
        shows_all = answer == "all"
        found = yield Wait(partial(_bound, evaluated, survey, shows_all), once=True)
        left_out = f"; not bound: {len(found.left_out):,}" if found.left_out else ""
        ways = [Choice("bind", f"yes: {found.words}{left_out}", "y"), Choice("back", "no", "n")]
        if not shows_all:
            ways.insert(1, Choice("all", "what was read is all there is: the rest is gone", "g"))
        answer = yield from pick("is what was read to be the lock?", ways)
        if answer == "back":
            return Say("not bound", "hint")
    lock = Binding(str(lock_path(here.session.save_path)), held=found.lock)
    edit = Edit(here.design.bound_to(lock), "as built: what lies there is the lock")
    said = "; ".join([*found.left_out[:1], *found.notes[-1:], "s saves it, u takes it back"])
    return MadeEdit(edit, say=lambda _: f"bound: {found.words}; {said}")


async def _bound(
    evaluated: EvaluatedDesign, survey: Survey, shows_all: bool, designer: Any
) -> Acceptance:
    """What a dump makes of the lock, worked out while the screen says so."""
    from toposmith.as_built.acceptance import accept as accepted

    designer.messages.say("looking for each cable in the lock", "hint")
    dump = survey.dump
    assert dump is not None
    return await asyncio.to_thread(accepted, evaluated, dump, survey.names, shows_all=shows_all)


def write_list(here: Here, found: object) -> Asking:
    """Ask where the check list goes, and write it in the form that the file's name ends in."""
    if not isinstance(found, Surveyed):
        return None
    file = here.session.save_path
    proposed = file.with_name(f"{file.stem}.check-list.html")
    label, spared = "check list (txt, csv, xlsx, html) to", files_of(here.session)
    path = yield from path_to(here, label, proposed, spared=spared)
    form = path.suffix.lower().lstrip(".")
    if form not in FORMS:
        endings = ", ".join(f".{one}" for one in FORMS)
        return Say(f"a check list is a file that ends in {endings}")

    def make(_: Progress) -> Made:
        title = f"{file.stem}: check list, {found.compared.dump.source}"
        return Made([written(form, found.items, found.costs, title)])

    return started(path, make)


def _files(text: str) -> list[Path]:
    """The files of an answer: one whose name may have blanks, else several, patterns opened."""
    whole = Path(text.strip()).expanduser()
    if whole.exists():
        return [whole]
    files: list[Path] = []
    for word in text.split():
        path = str(Path(word).expanduser())
        found = sorted(glob(path, recursive=True)) or [path]  # noqa: PTH207 (may be absolute)
        files += map(Path, found)
    return files or [whole]
