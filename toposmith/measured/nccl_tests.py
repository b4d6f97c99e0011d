"""Reading the output of nccl-tests and rccl-tests: tables of text, and JSON files.

Logs are read as people keep them: with prefixes of ``mpirun --tag-output`` and ``srun --label``,
colours, NCCL's own messages between rows, several runs in a row. The header of a table says which
columns a row has (NVIDIA/nccl-tests, ``src/util.cu``); a row that has others is named and left out.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toposmith.collectives import programs
from toposmith.errors import ToposmithError
from toposmith.foreign_values import JsonError, long_number, read_json
from toposmith.measured.telling_collectives import (
    OTHER_FACTOR,
    Columns,
    by_file_name,
    clearest,
    collectives_of,
)
from toposmith.plain_text import shown, visible
from toposmith.text import counted

LARGEST_LOG_BYTES = 200_000_000
_NEEDED = ("size", "count", "type", "algbw", "busbw")
"""Columns of every table (NVIDIA/nccl-tests, ``src/common.cu``)."""

_MIXED = 0.1
_PRINTED_GBPS = 0.02
"""What algbw may be beside size over time: in 2,154 published rows it is never more."""

MOST_US = 1e12
MOST_GBPS = 1e6
"""Eleven days for one message, and a petabyte a second of one GPU: no figure of a run."""

_PROGRAM = re.compile(r"\b([a-z_]+)_perf\b")
_STARTING = re.compile(r"Collective test starting: *(\S+)")
_RANK = re.compile(r"# +Rank +(\d+)(?: +Group +(\d+))? +Pid +\d+ on +(\S+) device +(\d+)")
_LIBRARY = re.compile(r"nccl-library=(\d+)")
_VERSION = re.compile(r"\b[NR]CCL version *:? *(2\.\d+(?:\.\d+)?)")
_LIST = r"\^?[A-Za-z0-9_:;]+(?:,[A-Za-z0-9_:;]+)*"
_FORCED = re.compile(rf"NCCL_(ALGO|PROTO)(?:=| set by environment to )[\"']?({_LIST})")
_BY_PLUGIN = re.compile(
    r"NET/OFI (?:Setting NCCL_PROTO(?: to |=)|Need to force )[\"']?(simple)\b", re.IGNORECASE
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OVER = (
    ("socket", re.compile(r"via NET/Socket|Using network Socket")),
    ("rdma", re.compile(r"via NET/[A-Za-z]+/\d+(?:\(\d+\))?/GDRDMA")),
    ("staged", re.compile(r"via NET/(?:IB|IBext[_v0-9]*|UCX|Libfabric|AWS[^/]*)/\d+(?![/\d(])")),
)
_TYPES = re.compile(
    r"u?int(?:8|32|64)|u?char|half|float|double|bfloat16|f8e\dm\d|fp8_\w+|float8\w*", re.IGNORECASE
)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


class LogError(ToposmithError):
    """A file without a run that can be compared; one line for each fault."""


@dataclass(frozen=True)
class MeasuredPoint:
    """One message size of a run: bytes as nccl-tests counts them, time, busbw, and its line.

    ``wrong`` counts the values that came back other than they should, in place or out of place.
    """

    message_bytes: int
    time_us: float
    busbw_GBps: float
    line: int
    wrong: int = 0


@dataclass(frozen=True)
class MeasuredRun:
    """One run of a collective.

    Parameters
    ----------
    source : str
        The file.
    line : int
        The line where its table begins.
    collective : str
        The id of a collective; empty where the log does not say which.
    points : tuple of MeasuredPoint
        Smallest message first.
    in_place : bool
        Whether the figures are those of the in-place columns.
    ranks : int or None
        GPUs that took part; None where no devices are listed.
    hosts : mapping of str to int
        Ranks on each host.
    groups : int
        Concurrent communicators.
    nccl : str
        The release, empty where the log does not say it.
    algorithm, protocol : str
        What ``NCCL_ALGO`` and ``NCCL_PROTO`` leave, the environment's or a plugin's; empty where
        the log does not say it.
    over : mapping of str to int
        How often NCCL's messages name connections over ``rdma`` (GPUDirect), ``staged`` (RDMA
        without GPUDirect) and ``socket`` (TCP).
    fits : tuple of str
        The collectives that the table can be of; empty where nothing is known of that.
    collective_known_by : str
        The evidence for the collective where the log does not name it.
    """

    source: str
    line: int
    collective: str
    points: tuple[MeasuredPoint, ...]
    in_place: bool = False
    ranks: int | None = None
    hosts: Mapping[str, int] = field(default_factory=dict)
    groups: int = 1
    nccl: str = ""
    algorithm: str = ""
    protocol: str = ""
    over: Mapping[str, int] = field(default_factory=dict)
    fits: tuple[str, ...] = ()
    collective_known_by: str = ""

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.source}:{self.line}"


@dataclass(frozen=True)
class Log:
    """What a file holds: its runs, and a line for every row that could not be taken."""

    runs: tuple[MeasuredRun, ...]
    left_out: tuple[str, ...]


def read_log(text: bytes, source: str, *, in_place: bool = False) -> Log:
    """Read the runs of a file.

    Parameters
    ----------
    text : bytes
        The file.
    source : str
        The file's name in messages.
    in_place : bool
        Whether to take the in-place columns; the others if not.

    Raises
    ------
    LogError
        Where the file holds no run.
    """
    if len(text) > LARGEST_LOG_BYTES:
        raise LogError(f"{visible(source)}: more than {LARGEST_LOG_BYTES:,} bytes")
    words = _decoded(text, source)
    if words.lstrip().startswith("{"):
        return _from_json(words, source, in_place)
    reader = _Reader(source, in_place)
    for number, line in enumerate(words.splitlines(), 1):
        reader.take(number, _COLOURS.sub("", line))
    found = reader.finished()
    if not found.runs:
        why = "no table of nccl-tests (a header with size, count, type, algbw and busbw, then rows)"
        raise LogError("\n".join([f"{visible(source)}:1: {why}", *found.left_out[:5]]))
    return found


def _decoded(text: bytes, source: str) -> str:
    """Text of UTF-8 or, where it begins with its mark, UTF-16 (PowerShell's ``>`` and Tee)."""
    if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        # of a log cut in half the last character may be half
        words = text.decode("utf-16", errors="replace")
    else:
        words = text.decode("utf-8-sig", errors="replace")
    if "\0" in words[:4096]:
        raise LogError(f"{visible(source)}:1: binary data; text or JSON of nccl-tests was expected")
    return words


def read_log_file(path: Path, *, in_place: bool = False) -> Log:
    """Read the runs of a file on disk; raises ``LogError`` where that cannot be."""
    try:
        if not path.is_file():
            raise LogError(
                f"{visible(str(path))}: " + ("no file" if path.exists() else "not there")
            )
        with path.open("rb") as opened:
            return read_log(opened.read(LARGEST_LOG_BYTES + 1), str(path), in_place=in_place)
    except OSError as error:
        why = error.strerror or error
        raise LogError(f"{visible(str(path))}: cannot be read: {why}") from None


class _Reader:
    """Lines of a log, one after the other."""

    def __init__(self, source: str, in_place: bool) -> None:
        self.source, self.in_place = source, in_place
        self.runs: list[MeasuredRun] = []
        self.left_out: list[str] = []
        self._program = ""
        self._about: dict[str, Any] = {}
        self._over: Counter[str] = Counter()
        self._begin()

    def _begin(self) -> None:
        self._columns: list[str] = []
        self._header = 0
        self._points: list[MeasuredPoint] = []
        self._shape: Columns | None = None
        self._hosts: Counter[str] = Counter()
        self._ranks: set[tuple[int, int]] = set()

    def take(self, number: int, line: str) -> None:
        """Take the next line."""
        if (fault := long_number(line)) is not None:
            self.left_out.append(f"{visible(self.source)}:{number}: {fault}")
            return
        if started := _STARTING.search(line):
            self._close()
            self._program = started[1].rpartition("/")[2].removesuffix("_perf")
        elif (named := _PROGRAM.search(line)) and not self._points and "concluded" not in line:
            self._program = named[1]
        if rank := _RANK.search(line):
            if self._points:
                self._close()
            place = (int(rank[2] or 0), int(rank[1]))
            if place not in self._ranks:
                self._ranks.add(place)
                self._hosts[rank[3]] += 1
        elif "algbw" in line and "busbw" in line and "size" in line:
            if self._points:
                self._close()
            self._columns, self._header = line[line.index("size") :].split(), number
            if lacking := [name for name in _NEEDED if name not in self._columns]:
                self.left_out.append(
                    f"{visible(self.source)}:{number}: a header without the column {lacking[0]}; "
                    "its rows are left out"
                )
                self._columns = []
        elif self._columns:
            self._row(number, line)
        self._know(line)

    def _know(self, line: str) -> None:
        if library := _LIBRARY.search(line):
            self._about["nccl"] = _release(int(library[1]))
        elif version := _VERSION.search(line):
            self._about["nccl"] = version[1]
        for what, value in _FORCED.findall(line):
            self._about["algorithm" if what == "ALGO" else "protocol"] = value.lower()
        if by_plugin := _BY_PLUGIN.search(line):
            self._about.setdefault("protocol", by_plugin[1].lower())
        for how, said in _OVER:
            if said.search(line):
                self._over[how] += 1

    def _row(self, number: int, line: str) -> None:
        words = line.split()
        start = next(
            (
                at
                for at in range(len(words) - 2)
                if words[at].isdecimal()
                and words[at + 1].isdecimal()
                and _TYPES.fullmatch(words[at + 2])
            ),
            None,
        )
        if start is None:
            return
        columns = [name for name in self._columns if name != "timestamp"]
        each = len(columns[columns.index("type") + 1 :])
        times = [name for name in columns if name in ("time", "cputime")]
        each -= sum(name in ("redop", "root") for name in columns)
        half = each // max(len(times), 1)
        values = words[start + 3 :]
        reduces = root = False
        if values and not _is_figure(values[0]):
            reduces = "redop" in columns and values[0] != "none"
            values = values[1:]  # the reduction, which some collectives leave blank
        if len(values) > half and "root" in columns and re.fullmatch(r"-?\d+", values[0]):
            root = int(values[0]) >= 0
            values = values[1:]
        figures = [value for value in values if _is_figure(value)]
        shown_as = f"{visible(self.source)}:{number}"
        if len(figures) < half * len(times) or figures != values[: len(figures)]:
            self.left_out.append(
                f"{shown_as}: the row has {counted(len(figures), 'figure')} where its header has "
                f"{half * len(times)}; cut, or mixed with another line"
            )
            return
        first = half if self.in_place and len(times) > 1 else 0
        try:
            time_us, algbw, busbw = (float(figure) for figure in figures[first : first + 3])
        except ValueError:
            self.left_out.append(f"{shown_as}: time and busbw are no figures")
            return
        size = int(words[start])
        if size <= 0:
            return  # nccl-tests begins there with sizes too small to share out
        if not _is_possible(time_us, busbw):
            self.left_out.append(
                f"{shown_as}: time {figures[first]} µs and busbw {figures[first + 2]} GB/s are no "
                "figures of a run"
            )
            return
        if not _belong_together(size, time_us, algbw):
            self.left_out.append(
                f"{shown_as}: {size:,} bytes in {figures[first]} µs are not algbw "
                f"{figures[first + 1]} GB/s; mixed with another line"
            )
            return
        if self._points and size == self._points[-1].message_bytes:
            return  # a further cycle of the same run (-c, -N)
        checks = _checks(columns, figures, half)
        checked = None if len(checks) < 2 or checks[0] is None else checks[1] is not None
        self._shape = Columns(reduces, root, checked)
        wrong = sum(check or 0 for check in checks)
        self._points.append(MeasuredPoint(size, time_us, busbw, number, wrong))

    def _close(self) -> None:
        if self._points:
            program = self._program
            collective = programs().get(program, "")
            if program and not collective:
                known = ", ".join(programs())
                self.left_out.append(
                    f"{visible(self.source)}:{self._header}: {visible(program)} is not one of the "
                    f"collectives that can be compared ({known})"
                )
            else:
                groups = {group for group, _ in self._ranks}
                self.runs.append(
                    _told(
                        MeasuredRun(
                            source=self.source,
                            line=self._header,
                            collective=collective,
                            points=tuple(sorted(self._points, key=lambda one: one.message_bytes)),
                            in_place=self.in_place,
                            ranks=len(self._ranks) or None,
                            hosts=dict(self._hosts),
                            groups=max(len(groups), 1),
                            over=dict(self._over),
                            **self._about,
                        ),
                        self._shape,
                    )
                )
        self._begin()

    def finished(self) -> Log:
        """All that was found."""
        self._close()
        return Log(tuple(self.runs), tuple(self.left_out))


def _checks(columns: list[str], figures: list[str], half: int) -> list[int | None]:
    """How many values were wrong out of place and in place; None of what was not checked."""
    found: list[int | None] = []
    for number in range(columns.count("#wrong")):
        at = columns.index("#wrong") - (len(columns) - 2 * half) + number * half
        try:
            found.append(int(float(figures[at])))
        except (IndexError, ValueError, OverflowError):
            found.append(None)
    return found


def _told(run: MeasuredRun, columns: Columns | None) -> MeasuredRun:
    """The run with the collectives that its table can be of, and with its own if that is clear."""
    if columns is None:
        return run
    figures = [(point.message_bytes, point.time_us, point.busbw_GBps) for point in run.points]
    fits = collectives_of(columns, figures, run.ranks, within=OTHER_FACTOR)
    run = replace(run, fits=fits)
    left = clearest(columns, collectives_of(columns, figures, run.ranks))
    if run.collective or not left:
        return run
    if len(left) == 1:
        how = "its columns and busbw over algbw"
        return replace(run, collective=left[0], collective_known_by=how)
    named = by_file_name(run.source, left)
    how = "its columns and the name of the file" if named else ""
    return replace(run, collective=named, collective_known_by=how)


def _is_possible(time_us: float, busbw_GBps: float) -> bool:
    """Whether figures can be of a run at all."""
    return 0 < time_us < MOST_US and 0 <= busbw_GBps < MOST_GBPS


def _belong_together(message_bytes: int, time_us: float, algbw_GBps: float) -> bool:
    """Whether a row's algbw is its size over its time, but for the digits that are printed."""
    expected = message_bytes / (time_us * 1e3)
    return abs(algbw_GBps - expected) <= _MIXED * expected + _PRINTED_GBPS


def _is_figure(word: str) -> bool:
    return word in ("N/A", "nan", "inf", "-nan") or bool(_NUMBER.fullmatch(word))


def _release(code: int) -> str:
    """A release by NCCL's number of it: 22707 is 2.27.7, 2804 was 2.8.4."""
    if code < 10_000:
        return f"{code // 1000}.{code // 100 % 10}.{code % 100}"
    return f"{code // 10_000}.{code // 100 % 100}.{code % 100}"


def _from_json(text: str, source: str, in_place: bool) -> Log:
    try:
        data = read_json(text)
    except JsonError as error:
        why = f"not readable as JSON: {error}" + ("; is the file cut?" if error.is_cut else "")
        raise LogError(f"{visible(source)}:{error.line}: {why}") from None
    results = data.get("results") if isinstance(data, dict) else None
    if not isinstance(results, list):
        raise LogError(f"{visible(source)}:1: no 'results', as nccl-tests -J writes them")
    arguments = [one for one in _listed(data.get("args")) if isinstance(one, str)]
    program = arguments[0].rpartition("/")[2].removesuffix("_perf") if arguments else ""
    if program and program not in programs():
        known = ", ".join(programs())
        why = f"{shown(program)} is not one of the collectives that can be compared ({known})"
        raise LogError(f"{visible(source)}:1: {why}")
    config = data.get("config")
    config = config if isinstance(config, dict) else {}
    devices = _listed(config.get("devices")) or _listed(data.get("devices"))
    hosts = Counter(
        str(one.get("hostname")) for one in devices if isinstance(one, dict) and "hostname" in one
    )
    groups = {one.get("group") for one in devices if isinstance(one, dict)}
    points, left_out = [], []
    for number, row in enumerate(results, 1):
        row = row if isinstance(row, dict) else {}
        column = row.get("in_place" if in_place else "out_of_place")
        point = _point(row, column, number) if isinstance(column, dict) else None
        if point is None:
            left_out.append(f"{visible(source)}: result {number} has no size, time and bus_bw")
        elif not _is_possible(point.time_us, point.busbw_GBps):
            left_out.append(f"{visible(source)}: time and bus_bw of result {number} are of no run")
        elif point.message_bytes > 0:
            points.append(point)
    if not points:
        raise LogError("\n".join([f"{visible(source)}:1: no results", *left_out[:5]]))
    env = " ".join(one for one in _listed(data.get("env")) if isinstance(one, str))
    forced = {what: value.lower() for what, value in _FORCED.findall(env)}
    version = data.get("nccl_version")
    run = MeasuredRun(
        source=source,
        line=1,
        collective=programs().get(program, ""),
        points=tuple(sorted(points, key=lambda one: one.message_bytes)),
        in_place=in_place,
        ranks=sum(hosts.values()) or None,
        hosts=dict(hosts),
        groups=max(len(groups), 1),
        nccl=_release(version) if isinstance(version, int) and version > 0 else "",
        algorithm=forced.get("ALGO", ""),
        protocol=forced.get("PROTO", ""),
    )
    return Log((run,), tuple(left_out))


def _point(row: dict[str, Any], column: dict[str, Any], number: int) -> MeasuredPoint | None:
    try:
        time_us = float(column.get("time", column.get("cpu_time", "")))
        both = (row.get("out_of_place"), row.get("in_place"))
        wrong = sum(int(half.get("nwrong") or 0) for half in both if isinstance(half, dict))
        return MeasuredPoint(int(row["size"]), time_us, float(column["bus_bw"]), number, wrong)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
