"""Options of every command that opens the app: its look, and where its parts are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from toposmith.command.catalog_options import catalog_option

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def app_options(command: Decorated) -> Decorated:
    """Give a command ``--ascii``, ``--no-mouse`` and ``--catalog``."""
    ascii_only = click.option("--ascii", "ascii_only", is_flag=True, help="Draw in ASCII only.")
    no_mouse = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
    return ascii_only(no_mouse(catalog_option(command)))
