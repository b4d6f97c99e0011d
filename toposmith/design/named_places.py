"""The groups and links that a name of a place means, as comments and changes carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toposmith.design.document import Design
from toposmith.findings.finding import Place


def named_places(name: str, design: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links of a design that it means: ``leaf``, ``leaf - spine``."""
    links = {i for i, link in enumerate(design.links) if name == " - ".join(link.between)}
    if links:
        return frozenset(), frozenset(links)
    group = re.split(r"[.\[ ]", name, maxsplit=1)[0]
    return frozenset({group} & set(design.groups)), frozenset()


def places(names_used: Iterable[str], design: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links of a design that ends and labels of links name."""
    names = set(names_used)
    links = {index for index, link in enumerate(design.links) if " - ".join(link.between) in names}
    groups = {name.partition(".")[0] for name in names if " - " not in name}
    return frozenset(groups & set(design.groups)), frozenset(links)


def places_of(place: Place, design: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links of a design that a finding's place names."""
    if place.kind == "link" and place.index is not None:
        return frozenset(), frozenset({place.index} if place.index < len(design.links) else ())
    groups = set(place.names) if place.kind == "group" else set()
    return frozenset(groups & set(design.groups)), frozenset()
