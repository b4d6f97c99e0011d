"""What is written in colour can be read on the background of every theme (WCAG 2.1, 4.5 to 1)."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from toposmith.tui.config.settings import THEMES
from toposmith.tui.terminal.theme import COLOUR_BLIND, OWN_THEMES

EVERY = {**BUILTIN_THEMES, **{theme.name: theme for theme in OWN_THEMES}}
OF_THE_TERMINAL = ("ansi-dark", "ansi-light")
"""Their colours are whatever the terminal makes of them."""
INKS = ("success", "warning", "error", "accent", "primary", "secondary")


def colours(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


def luminance(colour: Color) -> float:
    """Relative luminance, as WCAG 2.1 defines it."""
    parts = [part / 255 for part in (colour.r, colour.g, colour.b)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_the_contrast_that_the_standard_says() -> None:
    assert contrast(Color.parse("#000000"), Color.parse("#ffffff")) == pytest.approx(21)


@pytest.mark.parametrize("name", [name for name in THEMES if name not in OF_THE_TERMINAL])
def test_every_ink_can_be_read_on_the_background(name: str) -> None:
    found = colours(EVERY[name])
    ground = Color.parse(found["background"])
    low = {ink: contrast(Color.parse(found[f"text-{ink}"]), ground) for ink in INKS}
    assert {ink: ratio for ink, ratio in low.items() if ratio < 4.5} == {}


def without_green_cones(colour: Color) -> tuple[float, float, float]:
    """A colour as deuteranopes see it, in linear light (Vienot, Brettel and Mollon, 1999)."""
    red, green, blue = ((part / 255) ** 2.2 for part in (colour.r, colour.g, colour.b))
    mixed = 0.29275 * red + 0.70725 * green
    return mixed, mixed, -0.02234 * red + 0.02234 * green + blue


def test_success_warning_and_error_differ_without_green_cones() -> None:
    found = colours(COLOUR_BLIND)
    seen = [
        without_green_cones(Color.parse(found[f"text-{ink}"]))
        for ink in ("success", "warning", "error")
    ]
    for at, one in enumerate(seen):
        for other in seen[at + 1 :]:
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) > 0.3
