"""A calibration file: measured over predicted busbw of runs on a real cluster.

Predictions of the same collective on the same node parts are scaled by it; others
remain those of the model. ``docs/measured.md`` describes the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

from toposmith.collectives import COLLECTIVES, LARGEST_MESSAGE_BYTES
from toposmith.design.loader import MAX_PROBLEMS, Location, PlainFile, decoded, plain_file, shown
from toposmith.errors import DesignFileError, Problem

FIRST_KEY = "toposmith_calibration"
VERSION = 1

SHARES = (0.01, 10.0)
"""Measured over predicted above this is an error, not a calibration."""

HOLDS_ON_FROM = 64 * 2**20
"""The share of the largest message holds for larger ones too, where it was at least so large:
latency hardly counts from there on."""


@dataclass(frozen=True)
class CalibratedRun:
    """What one run reached, by message size.

    Parameters
    ----------
    collective : str
        Its id.
    nodes, gpus : int
        Nodes and GPUs that took part.
    shares : tuple of (int, float)
        Message size in bytes, and measured over predicted busbw; smallest message first.
    log : str
        The log that it was read from.
    """

    collective: str
    nodes: int
    gpus: int
    shares: tuple[tuple[int, float], ...]
    log: str = ""

    def share(self, message_bytes: int) -> float | None:
        """Measured over predicted busbw at a size, by the log of sizes; None out of range."""
        sizes = [size for size, _ in self.shares]
        if message_bytes > sizes[-1]:
            return self.shares[-1][1] if sizes[-1] >= HOLDS_ON_FROM else None
        at = bisect_left(sizes, message_bytes)
        if sizes[at] == message_bytes:
            return self.shares[at][1]
        if at == 0:
            return None
        (low, before), (high, after) = self.shares[at - 1 : at + 1]
        part = log2(message_bytes / low) / log2(high / low)
        return float(before ** (1 - part) * after**part)


@dataclass(frozen=True)
class Calibration:
    """Runs on nodes of some parts.

    Parameters
    ----------
    name : str
        The file's name, as figures cite it.
    parts : tuple of str
        Ids of the nodes' parts and of their NICs, in order.
    runs : tuple of CalibratedRun
        What was measured.
    path : str
        The path as it was given.
    """

    name: str
    parts: tuple[str, ...]
    runs: tuple[CalibratedRun, ...]
    path: str = ""

    def run_for(self, collective: str, nodes: int, message_bytes: int) -> CalibratedRun | None:
        """The run that applies best, by number of nodes; None where none is of this collective."""
        fit = [
            run
            for run in self.runs
            if run.collective == collective
            and (run.nodes == 1) == (nodes == 1)
            and run.share(message_bytes) is not None
        ]
        return min(fit, key=lambda run: abs(log2(run.nodes / nodes)), default=None)


def load_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises
    ------
    DesignFileError
        With every problem, each with its line; also where there is no such file.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise DesignFileError(str(path), [Problem(f"cannot be read: {why}")]) from None
    if len(raw) > LARGEST_FILE:
        text = f"more than the {LARGEST_FILE:,} bytes that a calibration has at most"
        raise DesignFileError(str(path), [Problem(text)])
    return read_calibration(decoded(raw, str(path)), str(path))


LARGEST_FILE = 1_000_000


def read_calibration(text: str, source: str) -> Calibration:
    """The calibration that a text holds; raises DesignFileError with every problem and its line."""
    file = plain_file(text, source)
    data = file.data
    if not isinstance(data, dict) or FIRST_KEY not in data:
        words = f"no calibration: its first line is `{FIRST_KEY}: {VERSION}`"
        raise DesignFileError(source, [Problem(words, 1, 1)])
    problems = [*file.problems, *_problems(file, data)]
    if problems:
        raise DesignFileError(source, problems[:MAX_PROBLEMS])
    runs = tuple(
        CalibratedRun(
            run["collective"],
            run["nodes"],
            run["gpus"],
            tuple((point["bytes"], float(point["share"])) for point in run["points"]),
            run.get("log", ""),
        )
        for run in data["runs"]
    )
    return Calibration(Path(source).name, tuple(data["parts"]), runs, source)


def _problems(file: PlainFile, data: dict[str, Any]) -> Iterator[Problem]:
    if data[FIRST_KEY] != VERSION or isinstance(data[FIRST_KEY], bool):
        words = f"found {shown(data[FIRST_KEY])}, expected {VERSION}"
        yield file.problem_at((FIRST_KEY,), words)
    yield from _unknown(file, (), data, (FIRST_KEY, "parts", "runs"))
    parts = data.get("parts")
    if not (isinstance(parts, list) and parts and all(isinstance(one, str) for one in parts)):
        yield file.problem_at(("parts",), f"found {shown(parts)}, expected a list of part ids")
    runs = data.get("runs")
    if not isinstance(runs, list) or not runs:
        yield file.problem_at(("runs",), f"found {shown(runs)}, expected a list of runs")
        return
    for number, run in enumerate(runs):
        at: Location = ("runs", number)
        if not isinstance(run, dict):
            yield file.problem_at(at, f"found {shown(run)}, expected keys with values")
            continue
        yield from _unknown(file, at, run, ("collective", "nodes", "gpus", "points", "log"))
        if run.get("collective") not in COLLECTIVES:
            words = (
                f"found {shown(run.get('collective'))}, expected one of {', '.join(COLLECTIVES)}"
            )
            yield file.problem_at((*at, "collective"), words)
        for key, least in (("nodes", 1), ("gpus", 2)):
            if not _whole(run.get(key), least):
                words = f"found {shown(run.get(key))}, expected a whole number from {least} on"
                yield file.problem_at((*at, key), words)
        if not isinstance(run.get("log", ""), str):
            yield file.problem_at((*at, "log"), f"found {shown(run['log'])}, expected text")
        yield from _points(file, (*at, "points"), run.get("points"))


def _points(file: PlainFile, at: Location, points: Any) -> Iterator[Problem]:
    if not isinstance(points, list) or not points:
        yield file.problem_at(at, f"found {shown(points)}, expected a list of points")
        return
    before = 0
    for number, point in enumerate(points):
        here = (*at, number)
        if not isinstance(point, dict):
            yield file.problem_at(here, f"found {shown(point)}, expected bytes and share")
            continue
        yield from _unknown(file, here, point, ("bytes", "share"))
        size: Any = point.get("bytes")
        share: Any = point.get("share")
        if not _whole(size, before + 1) or size > LARGEST_MESSAGE_BYTES:
            words = f"found {shown(size)}, expected bytes, each size larger than the one above"
            yield file.problem_at((*here, "bytes"), words)
        else:
            before = size
        low, high = SHARES
        number_like = isinstance(share, int | float) and not isinstance(share, bool)
        if not number_like or not low <= share <= high:
            words = f"found {shown(share)}, expected measured over predicted, {low:g} to {high:g}"
            yield file.problem_at((*here, "share"), words)


def _unknown(
    file: PlainFile, at: Location, found: dict[str, Any], known: tuple[str, ...]
) -> Iterator[Problem]:
    for key in found:
        if key not in known:
            words = f"unknown key {shown(key)}; known are {', '.join(known)}"
            yield file.problem_at((*at, key), words)


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def calibration_text(parts: tuple[str, ...], runs: tuple[CalibratedRun, ...]) -> str:
    """The text of a calibration file."""
    lines = [
        f"{FIRST_KEY}: {VERSION}",
        "# share: measured over predicted busbw; written by `toposmith measured --calibrate`",
        f"parts: [{', '.join(map(_quoted, parts))}]",
        "runs:",
    ]
    for run in runs:
        lines += [
            f"  - collective: {run.collective}",
            f"    nodes: {run.nodes}",
            f"    gpus: {run.gpus}",
            f"    log: {_quoted(run.log)}",
            "    points:",
            *(f"      - {{bytes: {size}, share: {share:.4f}}}" for size, share in run.shares),
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Any text as a YAML scalar: in single quotes, on one line."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in text)
    return "'" + plain.replace("'", "''") + "'"
