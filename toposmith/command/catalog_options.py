"""Where a command looks for parts, and the option that adds folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.edge import say
from toposmith.parts_at_hand import PartsAtHand

if TYPE_CHECKING:
    from toposmith.catalog import Catalog


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_PLACES, _LOADED = "toposmith.places", "toposmith.parts"


def _remember(ctx: click.Context, _option: click.Parameter, places: tuple[Path, ...]) -> None:
    """Remember the folders for later reads; commands and their groups share them."""
    ctx.meta[_PLACES] = (*ctx.meta.get(_PLACES, ()), *places)


def catalog_option(command: Decorated) -> Decorated:
    """Give a command ``--catalog``, for folders with further parts."""
    option = click.option(
        "--catalog",
        metavar="DIR",
        type=click.Path(path_type=Path),
        multiple=True,
        expose_value=False,
        callback=_remember,
        help="Further parts: a folder, or a file; may be repeated.",
    )
    return option(command)


def parts_at_hand() -> PartsAtHand:
    """The places where this run looks for parts."""
    ctx = click.get_current_context(silent=True)
    return PartsAtHand(() if ctx is None else ctx.meta.get(_PLACES, ()))


def load_parts() -> Catalog:
    """The catalog, read once in a run; faults of part files go to stderr."""
    ctx = click.get_current_context(silent=True)
    held: dict[str, Any] = {} if ctx is None else ctx.meta
    if _LOADED not in held:
        held[_LOADED] = _load()
    known: Catalog = held[_LOADED]
    return known


def _load() -> Catalog:
    known = parts_at_hand().load()
    for line in (*known.faults, *known.notes):
        say(line)
    return known


def app_options(command: Decorated) -> Decorated:
    """Give a command ``--ascii``, ``--no-mouse`` and ``--catalog``."""
    ascii_only = click.option("--ascii", "ascii_only", is_flag=True, help="Draw in ASCII only.")
    no_mouse = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
    return ascii_only(no_mouse(catalog_option(command)))
