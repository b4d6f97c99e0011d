"""Published nccl-tests results: curves of time against message size, each with its system."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PUBLISHED = Path(__file__).parent / "published"

_COLLECTIVES = {
    "all_reduce": "all_reduce",
    "all_gather": "all_gather",
    "reduce_scatter": "reduce_scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "alltoall": "all_to_all",
    "sendrecv": "send_recv",
}


@dataclass(frozen=True)
class Point:
    """One measured size; busbw in GB/s as nccl-tests defines it."""

    message_bytes: int
    time_us: float
    busbw_GBps: float
    in_place: bool
    outlier: bool


@dataclass(frozen=True)
class MeasuredCurve:
    """All sizes of one run, with the description of its system as published."""

    name: str
    collective: str
    system: Mapping[str, Any]
    points: tuple[Point, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is known to be wrong with the run."""
        return bool(self.system["health"] == "healthy")

    def number(self, key: str, default: int = 0) -> int:
        """A whole number of the description; ``default`` where the source gives none."""
        value = self.system.get(key)
        return default if value in (None, "") else int(float(str(value)))

    def text(self, key: str) -> str:
        """A text of the description, empty where the source gives none."""
        value = self.system.get(key)
        return "" if value is None else str(value)


def read_curves(path: Path | None = None) -> list[MeasuredCurve]:
    """Read the curves that come with the program, or a YAML list of flat records.

    A record has the columns of ``published/curves.csv`` and ``published/points.csv`` together.
    """
    if path is not None:
        loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        return _grouped(loaded)
    with (PUBLISHED / "curves.csv").open(encoding="utf-8", newline="") as file:
        systems = {row["curve"]: row for row in csv.DictReader(file)}
    with (PUBLISHED / "points.csv").open(encoding="utf-8", newline="") as file:
        return _grouped(systems[row["curve"]] | row for row in csv.DictReader(file))


def _grouped(records: Iterable[Mapping[str, Any]]) -> list[MeasuredCurve]:
    points: dict[str, list[Point]] = defaultdict(list)
    systems: dict[str, Mapping[str, Any]] = {}
    for record in records:
        usable = record["message_bytes"] and record["time_us"] and record["busbw_GBps"]
        if record["collective"] not in _COLLECTIVES or not usable:
            continue
        systems.setdefault(record["curve"], record)
        points[record["curve"]].append(
            Point(
                int(record["message_bytes"]),
                float(record["time_us"]),
                float(record["busbw_GBps"]),
                _flag(record["in_place"]),
                _flag(record["outlier"]),
            )
        )
    return [
        MeasuredCurve(name, _COLLECTIVES[systems[name]["collective"]], systems[name], tuple(found))
        for name, found in points.items()
    ]


def _flag(value: object) -> bool:
    return value in (True, 1, "1", "true", "True")
