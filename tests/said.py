"""What notes say, without what that is to the reader."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.documents.table import Note


def texts(notes: Iterable[Note]) -> list[str]:
    """The sentences of notes."""
    return [note.text for note in notes]
