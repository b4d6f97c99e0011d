"""Writing a design for others: choose the form, then the file; it is written beside the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposmith.bill.sheet_form import (
    BILL_ENDINGS,
    REQUEST_FORMS,
    bill_bytes,
    form_of,
    requests,
    why_requests_kept,
)
from toposmith.bill.terms import KEYS as SIGNING_KEYS
from toposmith.bill.terms import read_signed_text, signed_text, signed_words
from toposmith.design.loader import shown, suggestion
from toposmith.errors import ToposmithError
from toposmith.exports.forms import FORMS, Made, hand_over, why_kept
from toposmith.exports.names_file import named_by_file, read_names
from toposmith.tui.asking import Act, Asking, Asks, Here, TextQuestion, ask, pick
from toposmith.tui.flows.path_questions import files_of, path_to, short_path
from toposmith.tui.keeping.author_name import remembered_author
from toposmith.tui.questions import Choice

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


def export(here: Here) -> Asking:
    """Ask for the form and the file, and write it."""
    hint = "a few letters find it, as in: cable schedule"
    wanted = yield from pick("export", _choices(), hint=hint, typed=True)
    if wanted.startswith(_REQUESTS):
        return (yield from _requests_to(here, wanted.removeprefix(_REQUESTS)))
    if wanted == _HANDOVER or (wanted in FORMS and FORMS[wanted].is_folder):
        return (yield from _handed_over(here, wanted))
    path = yield from _file(here, _noun(wanted), wanted)
    if wanted == _SCREEN:
        return Act(partial(_write_screen, path))
    if wanted.startswith(_BILL):
        return _bill_to(here, path, wanted.removeprefix(_BILL))
    names_file = ""
    if FORMS[wanted].names_devices:
        names_file = yield from _names_file()
    return _form_to(here, path, wanted, names_file)


def export_bill_or_requests(here: Here) -> Asking:
    """Ask what is written of the bill: itself, or requests for quotation."""
    bill = Choice(_BILL, "the bill, in the form that its name ends in", "b")
    wanted = yield from pick("write", [bill, *_requests_choices()])
    if wanted.startswith(_REQUESTS):
        return (yield from _requests_to(here, wanted.removeprefix(_REQUESTS)))
    return (yield from export_bill(here))


def export_bill(here: Here) -> Asking:
    """Ask where the bill is written; the ending of the name says in which form."""
    path = yield from _file(here, "bill of materials", f"{_BILL}yaml")
    return _bill_to(here, path, form_of(path.name) or "yaml")


def sign_bill(here: Here) -> Asking:
    """Ask who made the bill; bills and exports have it from then on."""
    session = here.session
    hint = f"may be empty; of {', '.join(SIGNING_KEYS)}, such as date=2026-03-31; author=Ann"
    made_by = signed_text(session.signed) or _author()
    signed = yield from ask(TextQuestion("sign with", made_by, read_signed_text, hint))

    def sign(designer: Any) -> None:
        session.signed = signed
        designer.messages.say(signed_words(signed))
        designer.measurement.let_view_follow()

    return Act(sign)


def _author() -> str:
    """The name that was given for comments, to be signed with."""
    name = remembered_author().replace(";", ",")
    return f"author={name}" if name else ""


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


def _file(here: Here, noun: str, wanted: str) -> Asks[Path]:
    """Ask for the file of a form, beside the design's own."""
    return (
        yield from path_to(
            here, f"{noun} to", _proposed(here, wanted), spared=files_of(here.session)
        )
    )


def _folder(here: Here, label: str, ending: str, kept: Callable[[Path], str]) -> Asks[Path]:
    """Ask for a folder beside the design's file."""
    file = here.session.save_path
    return (yield from path_to(here, label, file.with_name(f"{file.stem}.{ending}"), kept=kept))


def _requests_to(here: Here, form: str) -> Asking:
    """Ask for the folder, and write a request for each vendor into it."""
    path = yield from _folder(here, "folder of the requests", "requests", why_requests_kept)

    def make(_: Progress) -> Made:
        bill = _evaluated(here).bill
        return Made((), bill.findings, files=requests(bill, form))

    return started(path, make)


def _handed_over(here: Here, wanted: str) -> Asking:
    """Ask for the forms, if there is a choice, and for the folder; write all of it or nothing."""
    names = _form_names(wanted)
    if wanted == _HANDOVER:
        names = yield from ask(
            TextQuestion("forms", _ALL, _read_forms, f"all, or: {', '.join(FORMS)}")
        )
    path = yield from _folder(here, "folder", wanted, why_kept)
    names_file = yield from _names_file()

    def make(progress: Progress) -> Made:
        design, notes = _named(_evaluated(here), names_file)
        return hand_over(
            design,
            names or tuple(FORMS),
            stem=here.session.save_path.stem,
            all_or_none=bool(names),
            group=_node_group(here),
            progress=progress,
            notes=notes,
        )

    return started(path, make)


def _names_file() -> Asks[str]:
    """The file of a map of names; empty for the design's own names."""
    hint = "a file, as with --names; Enter for the design's own names"
    return (yield from ask(TextQuestion("map of names", "", _read_names_file, hint, file=True)))


def _read_names_file(text: str) -> str:
    """A map that can be read; its names are compared with the design when it is written."""
    if text.strip():
        try:
            read_names(Path(text.strip()).expanduser())
        except (ToposmithError, OSError, ValueError, RuntimeError) as error:
            raise ToposmithError(str(error).replace("\n", " ")) from error
    return text.strip()


def _form_names(text: str) -> tuple[str, ...]:
    """The forms of an answer; none where all are meant."""
    words = text.replace(",", " ").lower().split()
    return () if _ALL in words else tuple(dict.fromkeys(words))


def _read_forms(text: str) -> tuple[str, ...]:
    if not text.split():
        raise ToposmithError("at least one form is needed, or all")
    unknown = next((word for word in _form_names(text) if word not in FORMS), None)
    if unknown is not None:
        words = f"no form is called {shown(unknown)}; {suggestion(unknown, FORMS)}"
        raise ToposmithError(words)
    return _form_names(text)


def _noun(wanted: str) -> str:
    if wanted == _SCREEN:
        return "picture of the screen"
    if wanted.startswith(_BILL):
        return "bill of materials"
    return FORMS[wanted].title.partition(",")[0]


def _proposed(here: Here, wanted: str) -> Path:
    """The design's file with the ending of the form."""
    file = here.session.save_path
    if wanted == _SCREEN:
        ending = ".screen.svg"
    elif wanted.startswith(_BILL):
        ending = f".bom{BILL_ENDINGS[wanted.removeprefix(_BILL)]}"
    else:
        ending = FORMS[wanted].ending
    return file.with_name(f"{file.stem}{ending}")


def _write_screen(path: Path, designer: Any) -> None:
    picture = designer.workspace.picture(designer.editing.session.title)
    started(path, lambda _: Made([picture.encode()])).do(designer)


def _bill_to(here: Here, path: Path, form: str) -> Act:
    def make(_: Progress) -> Made:
        design = _evaluated(here)
        bought = design.bought if form == "md" else ()
        return Made([bill_bytes(design.bill, form, bought)], design.bill.findings)

    return started(path, make)


def _form_to(here: Here, path: Path, name: str, names_file: str) -> Act:
    def make(progress: Progress) -> Made:
        design, notes = _named(_evaluated(here), names_file)
        made = FORMS[name].make(design, progress, _node_group(here))
        return replace(made, lost=chain(made.lost, notes)) if notes else made

    return started(path, make)


def _named(design: EvaluatedDesign, names_file: str) -> tuple[EvaluatedDesign, list[str]]:
    """The design by the names of a map, and what the map does not do for it; as it is without."""
    if not names_file:
        return design, []
    return named_by_file(design, Path(names_file).expanduser())


def _evaluated(here: Here) -> EvaluatedDesign:
    """The design as it was, with the user's own prices; what follows is made in the thread."""
    return replace(here.wanted, failing=()).evaluated(here.catalog, priced=True)


def _node_group(here: Here) -> str | None:
    """The selected group where it is one of nodes."""
    group = here.plan.groups.get(here.group) if here.group is not None else None
    return here.group if group is not None and group.node is not None else None


def started(path: Path, make: Callable[[Progress], Made]) -> Act:
    """Write a file beside the screen."""
    return Act(lambda designer: designer.exports.start(path, short_path(path), make))
