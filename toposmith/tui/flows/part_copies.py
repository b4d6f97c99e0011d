"""Making a part of one's own: the nearest one copied, its figures changed, their source said."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from toposmith.catalog import Catalog, CatalogError, Part
from toposmith.catalog.own_part import Figure, copy_of, figures_of, with_own, write_own
from toposmith.findings.codes.parts import fact_words
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice, Question

DONE = ""


async def make_own_part(designer: Designer) -> None:
    """Copy the part under the cursor, ask what differs and from where, write it to a file."""
    part = designer.parts.looked_at()
    if part is None:
        return
    catalog = designer.editing.workbench.catalog
    part_id = await designer.questions.ask(
        Question(
            f"id of your own part, copied from {part.name}",
            f"own-{part.id}",
            "small letters, digits, - and .",
            check=partial(_id_fault, part, catalog),
        )
    )
    figures = None if part_id is None else await _figures(designer, part, catalog)
    if part_id is None or figures is None:
        return
    source = "" if not figures else await _source(designer)
    if source is None:
        return
    try:
        entry = copy_of(part, part_id, figures, source, catalog)
        file = write_own(entry)
    except (CatalogError, OSError) as failed:
        designer.messages.say(f"nothing written: {failed}", "refused")
        return
    designer.parts.take_catalog(with_own(catalog, entry))
    designer.messages.say(f"wrote {part_id} to {file}: a adds it, e gives it to a group")


async def _figures(designer: Designer, part: Part, catalog: Catalog) -> dict[str, str] | None:
    """What differs, by field as typed; None where the question was cancelled."""
    given: dict[str, str] = {}
    while True:
        choices = [Choice(DONE, f"done: {len(given)} changed")]
        for figure in figures_of(part):
            value = given.get(figure.field, figure.text) or "unknown"
            mark = " *" if figure.field in given else ""
            choices.append(Choice(figure.field, f"{_words(figure)}: {value}{mark}"))
        title = f"what differs from {part.name}"
        field = await designer.questions.find(title, choices, at=DONE)
        if field is None:
            return None
        if field == DONE:
            return given
        figure = next(one for one in figures_of(part) if one.field == field)
        text = await designer.questions.ask(
            Question(
                _words(figure),
                given.get(field, figure.text),
                "nothing typed: unknown",
                check=partial(_figure_fault, part, catalog, given, field),
            )
        )
        if text is not None:
            given[field] = text


async def _source(designer: Designer) -> str | None:
    return await designer.questions.ask(
        Question(
            "where these figures are from",
            "",
            "a page, a quote with its day, a measurement; bills and cards show it",
            check=lambda text: "" if text.strip() else "say where they are from",
        )
    )


def _id_fault(part: Part, catalog: Catalog, text: str) -> str:
    if catalog.get(text) is not None:
        return f"the catalog has a part {text} already"
    return _fault(part, catalog, text, {})


def _figure_fault(
    part: Part, catalog: Catalog, given: Mapping[str, str], field: str, text: str
) -> str:
    return _fault(part, catalog, "own", {**given, field: text})


def _fault(part: Part, catalog: Catalog, part_id: str, figures: Mapping[str, str]) -> str:
    try:
        copy_of(part, part_id, figures, "", catalog)
    except CatalogError as wrong:
        return wrong.problems[0]
    return ""


def _words(figure: Figure) -> str:
    """The field in words, and as part files call it."""
    words = fact_words(figure.field)
    return words if words == figure.field else f"{words} ({figure.field})"
