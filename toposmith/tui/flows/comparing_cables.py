"""A dump of what is cabled: which one, what is accepted of it, and the check list written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.job_list import read_jobs
from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.check_list import FORMS, written
from toposmith.as_built.corrections import Correction, corrected
from toposmith.as_built.delayed_jobs import names_of
from toposmith.as_built.name_maps import NameMap, read_map
from toposmith.as_built.reading.file_formats import decoded, read_files, read_path
from toposmith.as_built.survey import Survey, Surveyed
from toposmith.documents.table import Table
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.evaluated import COLLECTIVES
from toposmith.exports.forms import Made
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.adding_jobs import add_job
from toposmith.tui.flows.exports import start_export
from toposmith.tui.flows.files import ask_path, files_of
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.questions import Question
from toposmith.tui.tables.cable_differences import NO_DUMP, differences_table, ends_of

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.exports.forms import Progress
    from toposmith.fabric.plan import PlannedEnd
    from toposmith.tui.figures.shared_figures import Wanted


class CableComparison:
    """The dump that a design is compared with, and what the user decides about it."""

    def __init__(self) -> None:
        self.surveyed: Surveyed | None = None
        self._survey = Survey()
        self._files = ""

    @property
    def table(self) -> Table:
        """Every difference, or what to do to see any."""
        return Table(empty=NO_DUMP) if self.surveyed is None else differences_table(self.surveyed)

    async def open(self, designer: Designer) -> bool:
        """Ask for a dump to compare with from now on; whether there is one."""
        asked = await _ask_dump(designer, self._files)
        if asked is not None:
            self._files, dump = asked
            self._survey.open(dump)
        return asked is not None

    async def take_names(self, designer: Designer) -> bool:
        """Ask for a map of names; whether there is one."""
        names = await _ask_names(designer)
        if names is not None:
            self._survey.names = names
        return names is not None

    async def add_job(self, designer: Designer) -> None:
        """Ask for a job, and add it to the design."""
        await add_job(designer)

    def survey_of(self, wanted: Wanted, catalog: Catalog) -> Surveyed | str:
        """The dump compared with the current design; in words, that there is none."""
        if self._survey.dump is None:
            return NO_DUMP

        def evaluated(design: Design) -> EvaluatedDesign:
            return replace(wanted, design=design).evaluated(catalog)

        jobs = None
        if wanted.design.jobs:
            whole = evaluated(wanted.design)
            read = read_jobs(wanted.design.jobs, wanted.design, whole.network.world)
            jobs = {one.name: names_of(whole.plan, one.nodes) for one in read}
        first = wanted.request.collective
        asked = (first, *(one for one in COLLECTIVES if one != first))
        return self._survey.survey(wanted.design, evaluated, asked, jobs=jobs)

    def take(self, found: object) -> None:
        """Continue with what was found."""
        self.surveyed = found if isinstance(found, Surveyed) else None

    def mark_ports(self, designer: Designer) -> None:
        """Mark the ports at which something differs inside the fabric."""
        designer.panels.depths.mark({} if self.surveyed is None else ends_of(self.surveyed))

    def first_end(self, place: int) -> PlannedEnd | None:
        """The first port at which a difference is seen."""
        if self.surveyed is None:
            return None
        difference = self.surveyed.compared.differences[place]
        return next(iter(self.surveyed.corrections.ports(difference)), None)

    def toggle(self, place: int) -> bool:
        """Mark a difference to be moved, or take the mark away; whether it can be."""
        surveyed = self.surveyed
        if surveyed is None or not surveyed.compared.differences[place].harmful:
            return False
        self._survey.toggle(surveyed, place)
        return True

    def accept(self, designer: Designer, places: Sequence[int]) -> None:
        """Make differences part of the design, as one step that can be undone."""
        if self.surveyed is None or not places:
            return
        correction, left_out = self._survey.accept(self.surveyed, places)
        if correction.empty:
            why = left_out[0] if left_out else "it is there already"
            designer.messages.say(f"not accepted: {why}", "refused")
            return
        _make(designer, correction, len(places), left_out)

    def accept_all(self, designer: Designer) -> None:
        """Make all differences part of the design."""
        if self.surveyed is not None:
            self.accept(designer, [item.place for item in self.surveyed.items])

    async def write_list(self, designer: Designer) -> None:
        """Ask where the check list goes, and write it."""
        if self.surveyed is not None:
            await _write_check_list(designer, self.surveyed)


async def _ask_dump(designer: Designer, before: str) -> tuple[str, Cabling] | None:
    """Which dump to compare with: files, or a pattern; None where the question was cancelled."""
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
            file=True,
        )
    )
    return None if text is None else (text, known.get(text) or read(text))


async def _ask_names(designer: Designer) -> NameMap | None:
    """What the dump calls each device; None where the question was cancelled."""

    def read(text: str) -> NameMap:
        source, raw = read_path(Path(text.strip()).expanduser())
        return read_map(source, decoded(source, raw))

    text = await designer.questions.ask(
        Question(
            "map of names, a file",
            "",
            "lines like dgx{n} = node-su0-{n-1}; right arrow completes a name",
            check=lambda text: problem_of(lambda: read(text)),
            file=True,
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


async def _write_check_list(designer: Designer, surveyed: Surveyed) -> None:
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
