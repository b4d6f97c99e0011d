"""Colours that stay distinct in 256 and in 16 colours; they never carry meaning alone."""

from __future__ import annotations

from dataclasses import replace

from textual.theme import BUILTIN_THEMES, Theme

# All values are exact in the 256-colour cube or its grey ramp, and fall on different colours of 16.
TOPOSMITH = Theme(
    name="toposmith",
    dark=True,
    primary="#5f87d7",
    secondary="#87afd7",
    accent="#5fd7ff",
    foreground="#dadada",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    success="#5fd75f",
    warning="#ffaf00",
    error="#ff5f5f",
    variables={
        "border": "#5f87d7",
        "border-blurred": "#585858",
        "block-cursor-background": "#005f87",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#303030",
        "block-cursor-blurred-foreground": "#dadada",
        "input-cursor-background": "#dadada",
        "input-cursor-foreground": "#000000",
        "input-selection-background": "#005f87",
        "scrollbar": "#585858",
        "scrollbar-hover": "#8a8a8a",
        "scrollbar-active": "#8a8a8a",
        "scrollbar-background": "#121212",
        "scrollbar-background-hover": "#121212",
        "scrollbar-background-active": "#121212",
        "scrollbar-corner-color": "#121212",
        "text-muted": "#9e9e9e",
        "text-disabled": "#767676",
        "text-accent": "#5fd7ff",
        "text-success": "#5fd75f",
        "text-warning": "#ffaf00",
        "text-error": "#ff5f5f",
        "text-primary": "#87afd7",
    },
)

COLOUR_BLIND = replace(
    TOPOSMITH,
    name="colour-blind",
    accent="#d787af",
    success="#5fafff",
    warning="#ffff5f",
    error="#ff5f00",
    variables={
        **TOPOSMITH.variables,
        "text-accent": "#d787af",
        "text-success": "#5fafff",
        "text-warning": "#ffff5f",
        "text-error": "#ff5f00",
    },
)
"""Blue, yellow and vermillion in place of green, orange and red, after Okabe and Ito (Color
Universal Design, 2008): distinguished without seeing red or green."""


def _darker(name: str, **inks: str) -> Theme:
    """A light theme of Textual's whose inks can be read on its background."""
    theme = BUILTIN_THEMES[name]
    own = {f"text-{ink}": colour for ink, colour in inks.items()}
    return replace(theme, variables={**theme.variables, **own})


OWN_THEMES = (
    TOPOSMITH,
    COLOUR_BLIND,
    _darker("textual-light", success="#005f00", warning="#5f5f00", accent="#87005f"),
    _darker("rose-pine-dawn", warning="#875f00"),
    _darker("atom-one-light", success="#005f00", warning="#875f00"),
)
"""Themes that are the app's own, or Textual's with inks that have contrast enough."""
