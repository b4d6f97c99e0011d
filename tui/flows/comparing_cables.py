"""A dump of what is cabled: which one, what is accepted of it, and the check list written."""

from __future__ import annotations

from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.topology.as_built.cable_list import Cabling
from toposmith.topology.as_built.check_list import FORMS, written
from toposmith.topology.as_built.corrections import Correction, corrected
from toposmith.topology.as_built.name_maps import NameMap, read_map
from toposmith.topology.as_built.reading.recognising import decoded, read_files, read_path
from toposmith.topology.as_built.survey import Survey, Surveyed
from toposmith.topology.errors import EditError
from toposmith.topology.exports.forms import Made
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.asking import problem_of
from toposmith.tui.flows.exporting import start_export
from toposmith.tui.flows.filing import ask_path, files_of
from toposmith.tui.questions import Question
from toposmith.tui.widgets.path_suggester import PathSuggester

if TYPE_CHECKING:
    from toposmith.topology.exports.forms import Progress


async def ask_dump(designer: Designer, before: str) -> tuple[str, Cabling] | None:
    """Which dump to compare with: files, or a pattern; None where the person went back."""
    known: dict[str, Cabling] = {}

    def read(text: str) -> Cabling:
        known.clear()
        known[text] = read_files([read_path(path) for path in _files(text)])
        return known[text]

    text = await designer.questions.ask(
        Question(
            "what is cabled: files, blanks between them, or a pattern",
            before,
            "ibnetdiscover, iblinkinfo, UFM, LLDP, NetBox, sheets; right arrow completes a name",
            check=lambda text: problem_of(lambda: read(text)),
            suggester=PathSuggester(),
        )
    )
    return None if text is None else (text, known.get(text) or read(text))


async def ask_names(designer: Designer) -> NameMap | None:
    """What the dump calls each device; None where the person went back."""

    def read(text: str) -> NameMap:
        source, raw = read_path(Path(text.strip()).expanduser())
        return read_map(source, decoded(source, raw))

    text = await designer.questions.ask(
        Question(
            "map of names, a file",
            "",
            "lines like dgx{n} = node-su0-{n-1}; right arrow completes a name",
            check=lambda text: problem_of(lambda: read(text)),
            suggester=PathSuggester(),
        )
    )
    return None if text is None else read(text)


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


def accept(designer: Designer, survey: Survey, surveyed: Surveyed, places: list[int]) -> bool:
    """Make differences part of the design, as one step that can be undone."""
    correction, left_out = survey.accept(surveyed, places)
    if correction.empty:
        why = left_out[0] if left_out else "it is there already"
        designer.messages.say(f"not accepted: {why}", "refused")
        return False
    return _make(designer, correction, len(places), left_out)


def _make(designer: Designer, correction: Correction, many: int, left_out: list[str]) -> bool:
    words = "as built: 1 difference accepted" if many == 1 else f"as built: {many} accepted"
    try:
        edit = corrected(designer.editing.design, correction, words)
    except EditError as refused:
        designer.messages.say(str(refused), "refused")
        return False
    if not designer.editing.make(edit):
        return False
    if left_out:
        designer.messages.say(f"{words}; left out: {left_out[0]}", "minded")
    return True


async def write_check_list(designer: Designer, surveyed: Surveyed) -> None:
    """Ask where the check list goes, and write it in the form that the file's name ends in."""
    file = designer.editing.session.save_path
    proposed = file.with_name(f"{file.stem}.check-list.html")
    spared = files_of(designer.editing.session)
    path = await ask_path(designer, "check list (txt, csv, xlsx, html) to", proposed, spared=spared)
    if path is None:
        return
    form = path.suffix.lower().lstrip(".")
    if form not in FORMS:
        endings = ", ".join(f".{one}" for one in FORMS)
        designer.messages.say(f"a check list is a file that ends in {endings}", "refused")
        return

    def make(_: Progress) -> Made:
        title = f"{file.stem}: check list, {surveyed.compared.dump.source}"
        return Made([written(form, surveyed.items, surveyed.costs, title)])

    start_export(designer, path, make)
