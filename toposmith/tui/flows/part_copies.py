"""Making a part of one's own: the nearest one copied, its figures changed, their source said."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from toposmith.catalog import Catalog, CatalogError, Part
from toposmith.catalog.own_part import Figure, copy_of, figures_of, with_own, write_own
from toposmith.errors import ToposmithError
from toposmith.findings.codes.parts import fact_words
from toposmith.tui.asking import Act, Asking, Asks, Here, TextQuestion, Wait, ask, needed, pick
from toposmith.tui.questions import Choice

DONE = ""


def make_own_part(here: Here) -> Asking:
    """Copy the part under the cursor, ask what differs and from where, write it to a file."""
    part = yield Wait(lambda designer: designer.parts.looked_at(), once=True)
    catalog = here.catalog

    def free(text: str) -> str:
        if catalog.get(text) is not None:
            raise ToposmithError(f"the catalog has a part {text} already")
        return _checked(part, catalog, text, {})

    label = f"id of your own part, copied from {part.name}"
    part_id = yield from ask(
        TextQuestion(label, f"own-{part.id}", free, "small letters, digits, - and .")
    )
    figures = yield from _figures(part, catalog)
    source = ""
    if figures:
        hint = "a page, a quote with its day, a measurement; bills and cards show it"
        label = "where these figures are from"
        source = yield from ask(TextQuestion(label, "", needed("say where they are from"), hint))
    return Act(partial(_write, part, part_id, figures, source))


def _write(
    part: Part, part_id: str, figures: Mapping[str, str], source: str, designer: Any
) -> bool:
    catalog = designer.editing.workbench.catalog
    try:
        entry = copy_of(part, part_id, figures, source, catalog)
        file = write_own(entry)
    except (CatalogError, OSError) as failed:
        designer.messages.say(f"nothing written: {failed}", "refused")
        return False
    designer.parts.take_catalog(with_own(catalog, entry))
    designer.messages.say(f"wrote {part_id} to {file}: a adds it, e gives it to a group")
    return True


def _figures(part: Part, catalog: Catalog) -> Asks[dict[str, str]]:
    """What differs, by field as typed."""
    given: dict[str, str] = {}
    known = {figure.field: figure for figure in figures_of(part)}
    while True:
        choices = [Choice(DONE, f"done: {len(given)} changed")]
        for field, figure in known.items():
            value = given.get(field, figure.text) or "unknown"
            mark = " *" if field in given else ""
            choices.append(Choice(field, f"{_words(figure)}: {value}{mark}"))
        field = yield from pick(f"what differs from {part.name}", choices, DONE, typed=True)
        if field == DONE:
            return given
        given[field] = yield from _figure(part, catalog, given, known[field])


def _figure(part: Part, catalog: Catalog, given: Mapping[str, str], figure: Figure) -> Asks[str]:
    def read(text: str) -> str:
        _checked(part, catalog, "own", {**given, figure.field: text})
        return text

    now = given.get(figure.field, figure.text)
    return (yield from ask(TextQuestion(_words(figure), now, read, "nothing typed: unknown")))


def _checked(part: Part, catalog: Catalog, part_id: str, figures: Mapping[str, str]) -> str:
    """The id, where a part of it with these figures can be."""
    try:
        copy_of(part, part_id, figures, "", catalog)
    except CatalogError as wrong:
        raise ToposmithError(wrong.problems[0]) from wrong
    return part_id


def _words(figure: Figure) -> str:
    """The field in words, and as part files call it."""
    words = fact_words(figure.field)
    return words if words == figure.field else f"{words} ({figure.field})"
