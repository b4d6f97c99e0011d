"""Finding parts by a few letters of their name, vendor, speed or kind."""

from __future__ import annotations

from collections.abc import Iterable

from catalog import AnyPart, Cable, Nic, Switch, Transceiver
from catalog.card import one_line

KIND_TITLES = {
    "node": "Nodes",
    "nic": "NICs",
    "switch": "Switches",
    "gpu": "GPUs",
    "cable": "Cables",
    "transceiver": "Transceivers",
    "fibre": "Fibres",
    "storage": "Storage",
    "rack": "Racks",
    "pdu": "PDUs",
}
"""Kinds in the order in which they are listed, with their headings."""

_INFINIBAND = {100: "edr hdr100", 200: "hdr ndr200", 400: "ndr", 800: "xdr"}


def find_parts(parts: Iterable[AnyPart], query: str) -> list[AnyPart]:
    """Find the parts that match every word of a query.

    A word matches where it occurs in the part's words; where no part has all of them, letters in
    order within the name are enough. Parts come grouped by kind in the order of
    :data:`KIND_TITLES`.
    """
    words = query.lower().split()
    kinds = list(KIND_TITLES)
    every = list(parts)
    found = [part for part in every if all(word in _words(part) for word in words)]
    if not found:
        found = [part for part in every if all(_loosely(part, word) for word in words)]
    return sorted(found, key=lambda part: kinds.index(part.kind))


def _loosely(part: AnyPart, word: str) -> bool:
    return word in _words(part) or _in_order(word, f"{part.name} {part.id}".lower())


def _in_order(letters: str, text: str) -> bool:
    """Whether the letters occur in the text in this order; two letters would match everything."""
    if len(letters) < 3:
        return False
    remaining = iter(text)
    return all(letter in remaining for letter in letters)


def _words(part: AnyPart) -> str:
    words = [part.id, part.name, part.vendor, part.part_number or "", part.kind, one_line(part)]
    words.append(KIND_TITLES[part.kind])
    for protocol, speed in _speeds(part):
        words.append(f"{speed}g {speed}gb {speed}")
        words.append(_INFINIBAND.get(speed, "") if protocol == "infiniband" else f"{speed}gbe")
        words.append(protocol)
    return " ".join(words).lower()


def _speeds(part: AnyPart) -> list[tuple[str, int]]:
    if isinstance(part, Nic):
        return [(protocol, part.speed_gbit) for protocol in part.protocols]
    if isinstance(part, Switch):
        return [(part.protocol, mode.speed_gbit) for mode in part.cages.modes]
    if isinstance(part, Cable):
        return [(protocol, part.a.speed_gbit) for protocol in part.protocols]
    if isinstance(part, Transceiver):
        return [(protocol, part.speed_gbit) for protocol in part.protocols]
    return []
