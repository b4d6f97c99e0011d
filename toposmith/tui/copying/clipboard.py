"""Groups that were copied, kept while the app runs, so that they go from one design to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from toposmith.design.document import Design


@dataclass
class Clipboard:
    """What was copied last: a design of the copied groups alone; None while nothing was."""

    copied: Design | None = None


_OF_APP: WeakKeyDictionary[object, Clipboard] = WeakKeyDictionary()


def clipboard_of(app: object) -> Clipboard:
    """The clipboard of an app."""
    return _OF_APP.setdefault(app, Clipboard())
