"""Writing a design for others: choose the form, then the file; it is written beside the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.bill.bill_forms import BILL_ENDINGS, bill_bytes, form_of
from toposmith.bill.quotation import REQUEST_FORMS, requests, why_requests_kept
from toposmith.bill.signature import KEYS as SIGNING_KEYS
from toposmith.bill.signature import read_signed_text, signed_text, signed_words
from toposmith.design.safe_text import shown, suggestion
from toposmith.errors import ToposmithError
from toposmith.exports.forms import FORMS, Made
from toposmith.exports.handover import hand_over, why_kept
from toposmith.exports.names_file import named_by_file, read_names
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.files import ask_path, files_of, short_path
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.keeping.author_name import remembered_author
from toposmith.tui.questions import Choice, Question
from toposmith.tui.widgets.export_jobs import ExportJob

if TYPE_CHECKING:
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.exports.forms import Progress

_BILL = "bill-"
_REQUESTS = "requests-"
_SCREEN = "screen"
_HANDOVER = "hand-over"
_ALL = "all"
_BILL_TITLES = {
    "yaml": "YAML, with a schema; it can be verified later",
    "csv": "CSV, for a spreadsheet",
    "md": "Markdown, for a page",
    "json": "JSON, for programs",
    "xlsx": "Excel workbook",
    "cyclonedx": "CycloneDX 1.6",
}


async def export(designer: Designer) -> None:
    """Ask for the form and the file, and write it."""
    wanted = await designer.questions.find(
        "export", _choices(), hint="a few letters find it, as in: cable schedule"
    )
    if wanted is None:
        return
    if wanted.startswith(_REQUESTS):
        await _write_requests(designer, wanted.removeprefix(_REQUESTS))
        return
    if wanted == _HANDOVER or (wanted in FORMS and FORMS[wanted].is_folder):
        await _hand_over(designer, wanted)
        return
    proposed, spared = _proposed(designer, wanted), files_of(designer.editing.session)
    path = await ask_path(designer, f"{_noun(wanted)} to", proposed, spared=spared)
    if path is None:
        return
    names_file: str | None = ""
    if wanted in FORMS and FORMS[wanted].names_devices:
        names_file = await _ask_names_file(designer)
    if names_file is None:
        return
    if wanted == _SCREEN:
        picture = designer.workspace.picture(designer.editing.session.title)
        start_export(designer, path, lambda _: Made([picture.encode()]))
    elif wanted.startswith(_BILL):
        _write_bill(designer, path, wanted.removeprefix(_BILL))
    else:
        _write_form(designer, path, wanted, names_file)


async def export_bill_or_requests(designer: Designer) -> None:
    """Ask what is written of the bill: itself, or requests for quotation."""
    wanted = await designer.questions.choose(
        "write",
        [Choice(_BILL, "the bill, in the form that its name ends in", "b"), *_requests_choices()],
    )
    if wanted is None:
        return
    if wanted.startswith(_REQUESTS):
        await _write_requests(designer, wanted.removeprefix(_REQUESTS))
        return
    await export_bill(designer)


async def sign_bill(designer: Designer) -> None:
    """Ask who made the bill; bills and exports have it from then on."""
    session = designer.editing.session
    signed = await designer.questions.ask(
        Question(
            "sign with",
            signed_text(session.signed) or _author(),
            f"may be empty; of {', '.join(SIGNING_KEYS)}, such as date=2026-03-31; author=Ann",
            check=lambda text: problem_of(lambda: read_signed_text(text)),
        )
    )
    if signed is None:
        return
    session.signed = read_signed_text(signed)
    designer.messages.say(signed_words(session.signed))
    designer.measurement.let_view_follow()


def _author() -> str:
    """The name that was given for comments, to be signed with."""
    name = remembered_author().replace(";", ",")
    return f"author={name}" if name else ""


async def export_bill(designer: Designer) -> None:
    """Ask where the bill is written; the ending of the name says in which form."""
    proposed, spared = _proposed(designer, f"{_BILL}yaml"), files_of(designer.editing.session)
    path = await ask_path(designer, "bill of materials to", proposed, spared=spared)
    if path is not None:
        _write_bill(designer, path, form_of(path.name) or "yaml")


def _choices() -> list[Choice]:
    bills = [
        Choice(f"{_BILL}{form}", f"bill of materials, {_BILL_TITLES[form]}")
        for form in BILL_ENDINGS
    ]
    drawn = [Choice(form.name, form.title) for form in FORMS.values() if form.name != "bom"]
    report, *others = drawn
    several = Choice(_HANDOVER, "hand-over: several forms in a folder, with checksums")
    requested = _requests_choices()
    return [
        report,
        several,
        *bills,
        *requested,
        *others,
        Choice(_SCREEN, "this screen as a picture, SVG"),
    ]


def _requests_choices() -> list[Choice]:
    return [
        Choice(
            f"{_REQUESTS}{form}", f"requests for quotation, one for each vendor, {title}", form[0]
        )
        for form, title in zip(REQUEST_FORMS, ("CSV", "workbooks"), strict=True)
    ]


async def _write_requests(designer: Designer, form: str) -> None:
    """Ask for the folder, and write a request for each vendor into it."""
    file = designer.editing.session.save_path
    proposed = file.with_name(f"{file.stem}.requests")
    path = await ask_path(designer, "folder of the requests", proposed, kept=why_requests_kept)
    if path is None:
        return
    evaluated = _evaluated(designer)

    def make(_: Progress) -> Made:
        bill = evaluated().bill
        return Made((), bill.findings, files=requests(bill, form))

    start_export(designer, path, make)


async def _hand_over(designer: Designer, wanted: str) -> None:
    """Ask for the forms, if there is a choice, and for the folder; write all of it or nothing."""
    forms: str | None = wanted
    if wanted == _HANDOVER:
        forms = await designer.questions.ask(
            Question("forms", _ALL, f"all, or: {', '.join(FORMS)}", check=_unknown_form)
        )
    if forms is None:
        return
    file = designer.editing.session.save_path
    proposed = file.with_name(f"{file.stem}.{wanted}")
    path = await ask_path(designer, "folder", proposed, kept=why_kept)
    if path is None:
        return
    names_file = await _ask_names_file(designer)
    if names_file is None:
        return
    names = _form_names(forms)
    evaluated, group = _evaluated(designer), _node_group(designer)

    def make(progress: Progress) -> Made:
        design, notes = _named(evaluated(), names_file)
        return hand_over(
            design,
            names or tuple(FORMS),
            stem=file.stem,
            all_or_none=bool(names),
            group=group,
            progress=progress,
            notes=notes,
        )

    start_export(designer, path, make)


async def _ask_names_file(designer: Designer) -> str | None:
    """The file of a map of names; empty for the design's own names, None to go back."""
    answer = await designer.questions.ask(
        Question(
            "map of names",
            "",
            "a file, as with --names; Enter for the design's own names",
            check=_names_fault,
            file=True,
        )
    )
    return None if answer is None else answer.strip()


def _names_fault(text: str) -> str:
    """Why a map cannot be read; its names are compared with the design when it is written."""
    if not text.strip():
        return ""
    try:
        read_names(Path(text.strip()).expanduser())
    except (ToposmithError, OSError, ValueError, RuntimeError) as error:
        return str(error).replace("\n", " ")
    return ""


def _form_names(text: str) -> tuple[str, ...]:
    """The forms of an answer; none where all are meant."""
    words = text.replace(",", " ").lower().split()
    return () if _ALL in words else tuple(dict.fromkeys(words))


def _unknown_form(text: str) -> str:
    if not text.split():
        return "at least one form is needed, or all"
    unknown = next((word for word in _form_names(text) if word not in FORMS), None)
    return (
        ""
        if unknown is None
        else f"no form is called {shown(unknown)}; {suggestion(unknown, FORMS)}"
    )


def _noun(wanted: str) -> str:
    if wanted == _SCREEN:
        return "picture of the screen"
    if wanted.startswith(_BILL):
        return "bill of materials"
    return FORMS[wanted].title.partition(",")[0]


def _proposed(designer: Designer, wanted: str) -> Path:
    """The design's file with the ending of the form."""
    file = designer.editing.session.save_path
    if wanted == _SCREEN:
        ending = ".screen.svg"
    elif wanted.startswith(_BILL):
        ending = f".bom{BILL_ENDINGS[wanted.removeprefix(_BILL)]}"
    else:
        ending = FORMS[wanted].ending
    return file.with_name(f"{file.stem}{ending}")


def _write_bill(designer: Designer, path: Path, form: str) -> None:
    evaluated = _evaluated(designer)

    def make(_: Progress) -> Made:
        design = evaluated()
        delivered = design.delivered if form == "md" else None
        return Made([bill_bytes(design.bill, form, delivered)], design.bill.findings)

    start_export(designer, path, make)


def _write_form(designer: Designer, path: Path, name: str, names_file: str) -> None:
    evaluated, group = _evaluated(designer), _node_group(designer)

    def make(progress: Progress) -> Made:
        design, notes = _named(evaluated(), names_file)
        made = FORMS[name].make(design, progress, group)
        return replace(made, lost=chain(made.lost, notes)) if notes else made

    start_export(designer, path, make)


def _named(design: EvaluatedDesign, names_file: str) -> tuple[EvaluatedDesign, list[str]]:
    """The design by the names of a map, and what the map does not do for it; as it is without."""
    if not names_file:
        return design, []
    return named_by_file(design, Path(names_file).expanduser())


def _evaluated(designer: Designer) -> Callable[[], EvaluatedDesign]:
    """The design as it is now, with the user's own prices; what follows is made in the thread."""
    catalog = designer.editing.workbench.catalog
    wanted = replace(designer.measurement.wanted, failing=())
    return lambda: wanted.evaluated(catalog, priced=True)


def _node_group(designer: Designer) -> str | None:
    """The selected group where it is one of nodes."""
    name = designer.selection.group
    group = designer.editing.workbench.plan.groups.get(name) if name is not None else None
    return name if group is not None and group.node is not None else None


def start_export(designer: Designer, path: Path, make: Callable[[Progress], Made]) -> None:
    """Write a file beside the screen."""
    shown = short_path(path)
    designer.messages.say(f"writing {shown} ...; Esc stops it", "hint")
    designer.exports.start(ExportJob(path, shown, make))
