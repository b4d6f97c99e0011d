"""Modules that are imported when first used, so that the screen comes up at once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer, Flow


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
        The module in ``toposmith.tui.flows`` or ``toposmith.tui.views``, such as
        ``flows.changing``, and the function in it, which takes the designer first.
    *given
        What it takes behind the designer.
    """

    def __init__(self, module: str, name: str, *given: object) -> None:
        self.function = LazyImport(module, name)
        self.given = given

    def __call__(self, designer: Designer) -> Flow | None:
        """Begin the flow; returns it where it may ask questions on its way."""
        flow: Flow | None = self.function.load()(designer, *self.given)
        return flow
