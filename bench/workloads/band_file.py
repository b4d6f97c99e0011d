"""Bands by kind as the program keeps them: worked out, written, compared with the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from bench.measured.score import left_out_inside, span

Band = tuple[float, float, float, int, float, tuple[str, ...]]
"""Low, high, median, figures, share of those of systems left out that lie inside, systems."""
Bands = dict[str, Band]

_WIDEST = 100


def bands_of(
    ratios: Mapping[str, Mapping[str, list[float]]], *, fewest_for_a_share: int | None
) -> Bands:
    """The band of every kind, of ratios by kind and system.

    From ``fewest_for_a_share`` systems on it is their band, below that the least and the most;
    always these where it is None.
    """
    return {
        kind: _band(systems, whole=fewest_for_a_share is None or len(systems) < fewest_for_a_share)
        for kind, systems in sorted(ratios.items())
    }


def _band(systems: Mapping[str, list[float]], *, whole: bool) -> Band:
    every = [ratio for ratios in systems.values() for ratio in ratios]
    low, high = span(list(systems.values()), few=whole)
    inside = mean(left_out_inside(dict(systems)).values())
    figures = (round(low, 2), round(high, 2), round(median(every), 2))
    return (*figures, len(every), round(inside, 2), tuple(sorted(systems)))


def as_module(bands: Bands, title: str, meaning: str) -> str:
    """The bands as a module, formatted as the project's code is."""
    lines = [
        f'"""{title}"""',
        "",
        "from __future__ import annotations",
        "",
        "BANDS: dict[str, tuple[float, float, float, int, float, tuple[str, ...]]] = {",
    ]
    for kind, (*figures, names) in bands.items():
        lines += [f'    "{kind}": (', *(f"        {figure}," for figure in figures)]
        lines += [*_names(names), "    ),"]
    lines += ["}", f'"""{meaning}"""', ""]
    return "\n".join(lines)


def _names(names: tuple[str, ...]) -> list[str]:
    quoted = [f'"{name}"' for name in names]
    short = f"        ({', '.join(quoted)}{',' if len(names) == 1 else ''}),"
    if len(short) <= _WIDEST and len(names) == 1:
        return [short]
    return ["        (", *(f"            {name}," for name in quoted), "        ),"]


@dataclass(frozen=True)
class BandFile:
    """A module of the program that holds bands: where it is, what it says, and what it has now."""

    path: Path
    title: str
    meaning: str
    kept: Bands
    line: Callable[[str, Band], str]

    def compare_or_write(self, found: Bands, arguments: list[str]) -> int:
        """Print the bands; write them, or say that those of the program are others."""
        for kind, band in found.items():
            print(self.line(kind, band))
        if "--write" in arguments:
            self.path.write_text(as_module(found, self.title, self.meaning), encoding="utf-8")
        elif found != self.kept:
            print(f"\n{self.path.name} is out of date: --write writes it")
            return 1
        return 0
