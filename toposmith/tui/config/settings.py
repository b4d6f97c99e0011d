"""The user's settings, and the defaults where nothing is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toposmith.user_folders import settings_folder

THEMES = (
    "toposmith", "colour-blind", "ansi-dark", "ansi-light", "textual-dark", "textual-light",
    "nord", "gruvbox",
    "catppuccin-mocha", "catppuccin-latte", "catppuccin-frappe", "catppuccin-macchiato",
    "dracula", "tokyo-night", "monokai", "flexoki", "solarized-light", "solarized-dark",
    "rose-pine", "rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light",
)  # fmt: skip
"""Colours to choose from; the first is taken where none is set."""


@dataclass(frozen=True)
class Config:
    """The app's settings beside the command line's.

    Parameters
    ----------
    keys : mapping
        Keys of actions that do not have their usual ones, by the action's id.
    theme : str
        One of :data:`THEMES`.
    ascii_only : bool or None
        Whether to draw with ASCII only; None lets the terminal decide.
    mouse : bool
        Whether to listen to the mouse.
    """

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    theme: str = THEMES[0]
    ascii_only: bool | None = None
    mouse: bool = True


def config_path() -> Path:
    """The user's configuration file, whether it is there or not."""
    return settings_folder() / "config.yaml"
