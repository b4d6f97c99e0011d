"""Published nccl-tests results: curves of time against message size, each with its system."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from toposmith.nccl.listed import listed
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS

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
    """All sizes of one run, with the description of its system as published.

    ``points`` are those with size, time and bandwidth; there may be none. ``collective`` is empty
    where the program knows no such thing.
    """

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

    @property
    def forced(self) -> str:
        """What the run told NCCL to take: algorithms, ``sharp``, or nothing.

        Either the list says so, or the environment that it gives (``algo_env``). Without NVLS a
        single node runs a ring.
        """
        environment = self.text("algo_env").lower()
        named = re.search(r"nccl_algo=([\w^:]+(?:,\w+)*)", environment)
        if self.text("forced"):
            return self.text("forced")
        if named:
            return listed(named[1], ALGORITHMS, self.collective) or ""
        if re.match(r"sharp on|.*nccl_collnet_enable=1", environment):
            return "sharp"
        without_nvls = re.match(r"nvls off|.*nccl_nvls_enable=0", environment)
        return "ring" if without_nvls and self.number("nodes", 1) == 1 else ""

    @property
    def protocols(self) -> str | None:
        """The protocols that the run could take, where other than software leaves by rule."""
        asked = re.search(r"nccl_proto=(\^?\w+(?:,\w+)*)", self.text("algo_env").lower())
        said = self.text("protocols") or (asked[1] if asked else "")
        return listed(said, PROTOCOLS) if said else None

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
        systems.setdefault(record["curve"], record)
        if not (record["message_bytes"] and record["time_us"] and record["busbw_GBps"]):
            continue
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
        MeasuredCurve(
            name, _COLLECTIVES.get(described["collective"], ""), described, tuple(points[name])
        )
        for name, described in systems.items()
    ]


def _flag(value: object) -> bool:
    return value in (True, 1, "1", "true", "True")
