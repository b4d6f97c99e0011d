"""Checks that catch figures of a part which cannot be true together.

A part that passes may still be wrong; one that fails certainly is. pydantic has checked types and
ranges before; these rules need two figures, or a second part. Those of one kind of part are in its
record (:mod:`toposmith.catalog.kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds import kind_of
from toposmith.catalog.part_numbers import is_whole
from toposmith.catalog.parts import Part
from toposmith.plain_text import obeyed_sign, visible


def check_part(part: Part, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a part.

    Parameters
    ----------
    part : Part
        The part to look at.
    catalog : Catalog
        Where the GPUs and NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each fault, beginning with the field; empty when nothing is wrong.
    """
    return [*_citations(part), *_texts(part), *kind_of(part).faults(part, catalog)]


def part_warnings(part: Part, catalog: Catalog) -> list[str]:
    """Find doubtful figures of a part, such as ports faster than their slot.

    Parameters
    ----------
    part : Part
        The part to look at.
    catalog : Catalog
        Where the NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each, beginning with the field.
    """
    warnings = []
    if part.part_number is not None and not is_whole(part.part_number):
        warnings.append(
            "part_number: names a family, and nothing can be ordered by it; give family:"
        )
    return [*warnings, *kind_of(part).warnings(part, catalog)]


def _citations(part: Part) -> list[str]:
    """Sources, doubts and conflicts must be about fields that the part gives."""
    faults = [] if part.source.strip() else ["source: is empty"]
    listed = (
        ("sources", part.sources),
        ("unverified", part.unverified),
        ("conflicts", part.conflicts),
    )
    for where, paths in listed:
        faults += [
            f"{where}: {path!r} is no field that this part gives"
            for path in paths
            if not _is_given(part, path)
        ]
    return faults


def _is_given(part: Part, path: str) -> bool:
    """Tell whether a dotted path such as ``slots.compute.cages`` leads to a value."""
    value: object = part
    for step in path.split("."):
        if isinstance(value, BaseModel):
            value = getattr(value, step, None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return False
    return value is not None


def _texts(part: Part) -> list[str]:
    """No text may hold characters that a terminal would obey instead of showing."""
    return [
        f"{visible(path)}: holds {visible(sign)}, which a terminal would obey; plain text is wanted"
        for path, text in _strings("", part.model_dump(exclude_unset=True))
        if (sign := obeyed_sign(text))
    ]


def _strings(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Every text of a part with its field; names of slot groups and cages too."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, inner in value.items():
                below = f"{path}.{key}" if path else str(key)
                yield (path, key) if isinstance(key, str) else (path, "")
                yield from _strings(below, inner)
        case tuple() | list():
            for inner in value:
                yield from _strings(path, inner)
