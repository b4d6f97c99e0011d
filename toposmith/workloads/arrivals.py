"""Requests as they arrive at a service: evenly, at random, or as a file of them has it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal, NamedTuple

from toposmith.design.safe_text import shown
from toposmith.foreign_values import JsonError, read_json
from toposmith.workloads.fault import WorkloadError

Spacing = Literal["poisson", "constant"]

MOST_REQUESTS = 100_000
"""Of a trace: what a person waits for is seconds."""

MOST_TOKENS = 10_000_000
_MOST_PROBLEMS = 20


class Arrival(NamedTuple):
    """A request: when it arrives, and the tokens of its prompt and of its answer."""

    at_s: float
    prompt: int
    output: int


def spaced(
    spacing: Spacing, rate_per_s: float, many: int, every: int, seed: int
) -> Iterator[float]:
    """The times of every so manyth request of a stream, which one of as many servers in turn gets.

    The time between every ``k``-th event of a Poisson process is a sum of ``k`` exponential ones, a
    gamma (Erlang) distribution.
    """
    random, at_s = Random(seed), 0.0
    for _ in range(many):
        if spacing == "constant":
            at_s += every / rate_per_s
        else:
            at_s += random.gammavariate(every, 1 / rate_per_s)
        yield at_s


@dataclass(frozen=True)
class _Form:
    """The columns of a kind of file: time, prompt and answer, and seconds of a unit of time."""

    time: str
    prompt: str
    output: str
    unit_s: float = 1.0

    @property
    def columns(self) -> tuple[str, str, str]:
        return (self.time, self.prompt, self.output)


_FORMS = (
    _Form("at_s", "prompt", "output"),
    _Form("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    _Form("timestamp", "input_length", "output_length", 1e-3),
    _Form("Timestamp", "Request tokens", "Response tokens"),
)
"""Ours; Azure's public LLM inference trace (dates); Mooncake's (milliseconds); BurstGPT's."""


def arrivals_of(text: str, source: str) -> tuple[Arrival, ...]:
    """The requests of a trace, CSV with a line of names or a JSON object on each line.

    Times are counted from the first.

    Raises
    ------
    WorkloadError
        A line for each problem with its place: columns that are not known, values that are missing
        or negative, times that go back.
    """
    text = text.removeprefix("\ufeff")
    lined = _json_rows(text, source) if text.lstrip().startswith("{") else _csv_rows(text, source)
    problems: list[str] = []
    found: list[Arrival] = []
    first = 0.0
    for line, row in lined:
        if len(found) >= MOST_REQUESTS or len(problems) >= _MOST_PROBLEMS:
            break
        try:
            at_s, prompt, output = _values(row)
        except ValueError as wrong:
            problems.append(f"{source}: line {line}: {wrong}")
            continue
        first = at_s if not found else first
        before = found[-1].at_s if found else 0.0
        if at_s - first < before:
            words = f"the time goes back by {before - (at_s - first):g} s; sort requests by time"
            problems.append(f"{source}: line {line}: {words}")
            continue
        found.append(Arrival(at_s - first, prompt, output))
    else:
        if not problems and not found:
            problems.append(f"{source}: no requests, expected {_forms()}")
    if len(found) >= MOST_REQUESTS and not problems and next(lined, None) is not None:
        problems.append(f"{source}: more than {MOST_REQUESTS:,} requests; take a part of them")
    if problems:
        raise WorkloadError(problems)
    return tuple(found)


def _forms() -> str:
    return " or ".join(",".join(form.columns) for form in _FORMS)


def _json_rows(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, words in enumerate(text.splitlines(), 1):
        if not words.strip():
            continue
        try:
            row = read_json(words)
        except JsonError as fault:
            raise WorkloadError([f"{source}: line {line}: no JSON object: {fault}"]) from None
        if not isinstance(row, dict):
            raise WorkloadError([f"{source}: line {line}: found {shown(row)}, expected an object"])
        yield line, row


def _csv_rows(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = csv.reader(io.StringIO(text))
    try:
        names = [name.strip() for name in next(rows, [])]
        if _form(names) is None:
            told = shown(",".join(names)[:200])
            raise WorkloadError([f"{source}: line 1: found {told}, expected {_forms()}"])
        for row in rows:
            if any(cell.strip() for cell in row):
                yield rows.line_num, dict(zip(names, row, strict=False))
    except csv.Error as wrong:
        raise WorkloadError([f"{source}: line {rows.line_num}: {wrong}"]) from None


def _form(names: Iterable[str]) -> _Form | None:
    held = set(names)
    return next((form for form in _FORMS if held.issuperset(form.columns)), None)


def _values(row: dict[str, Any]) -> tuple[float, int, int]:
    form = _form(row)
    if form is None:
        missing = [name for name in _FORMS[0].columns if name not in row]
        raise ValueError(f"{' and '.join(missing)} missing, expected {_forms()}")
    at = _seconds(form, row[form.time])
    return at, _tokens(form.prompt, row[form.prompt]), _tokens(form.output, row[form.output])


def _seconds(form: _Form, value: object) -> float:
    """A time in seconds; dates count from 1970, of which only differences are used."""
    try:
        at_s = float(str(value)) * form.unit_s
    except ValueError:
        try:
            date = datetime.fromisoformat(str(value).strip()[:26])
            at_s = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError, OSError):
            text = f"{form.time}: found {shown(value)}, expected a time in seconds from 0 on"
            raise ValueError(text) from None
    if isinstance(value, bool) or not 0 <= at_s < 1e12:
        raise ValueError(f"{form.time}: found {shown(value)}, expected a time from 0 on")
    return at_s


def _tokens(name: str, value: object) -> int:
    text = str(value).strip()
    plain = text.isascii() and text.isdigit() and len(text) <= 9 and not isinstance(value, bool)
    if not plain or not 1 <= int(text) <= MOST_TOKENS:
        raise ValueError(f"{name}: found {shown(value)}, expected a whole number of tokens from 1")
    return int(text)
