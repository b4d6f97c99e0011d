"""Modules that are imported when first used, so that the screen comes up at once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from toposmith.tui.asking import Asking, FlowOutcome, Here


@dataclass(frozen=True)
class LazyImport:
    """A function or class of a module of the app.

    Parameters
    ----------
    module : str
        The module below ``toposmith.tui``: ``views.bill_view``.
    name : str
        What it is called there.
    """

    module: str
    name: str

    def load(self) -> Any:
        """The function or class; its module is read the first time."""
        return getattr(import_module(f"toposmith.tui.{self.module}"), self.name)


class LazyFlow:
    """A flow as what an action does.

    Parameters
    ----------
    module, name : str
        The module in ``toposmith.tui``, such as ``flows.changing``, and the function in it,
        which takes what is here first.
    *given
        What it takes behind that.
    """

    def __init__(self, module: str, name: str, *given: object) -> None:
        self.function = LazyImport(module, name)
        self.given = given

    def __call__(self, here: Here) -> Asking | FlowOutcome:
        """Begin the flow; what it comes to, where it asks nothing."""
        flow: Asking | FlowOutcome = self.function.load()(here, *self.given)
        return flow
