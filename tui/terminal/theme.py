"""Colours that keep apart in 256 and in 16 colours; they never carry meaning alone."""

from __future__ import annotations

from textual.theme import Theme

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
