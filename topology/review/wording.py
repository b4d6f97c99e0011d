"""Figures and tables of a review in words, the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.topology.units import rate_words

if TYPE_CHECKING:
    from toposmith.topology.analysis.request import Collective, Request
    from toposmith.topology.analysis.result import Analysis
    from toposmith.topology.labels import Labelled

UNKNOWN = "unknown"

COLLECTIVE_NAMES: dict[Collective, str] = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "all_to_all": "all-to-all",
    "send_recv": "send/recv",
}

ALGORITHM_NAMES = {
    "tree": "Tree",
    "ring": "Ring",
    "collnet_direct": "CollNetDirect",
    "collnet_chain": "CollNetChain",
    "nvls": "NVLS",
    "nvls_tree": "NVLSTree",
    "pat": "PAT",
    "pairwise": "pairwise",
}
PROTOCOL_NAMES = {"ll": "LL", "ll128": "LL128", "simple": "Simple"}

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; ``right`` are the columns of figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()


def number(value: float | None, unit: str = "") -> str:
    """A figure with three digits that count, or ``unknown``; what is small never reads as 0."""
    if value is None:
        return UNKNOWN
    size = abs(value)
    digits = 0 if size >= 99.95 or size == 0 else 1 if size >= 9.995 else 2
    text = f"{value:,.{digits}f}" if size >= 0.01 or not size else f"{value:.2g}"
    return f"{text}{f' {unit}' if unit else ''}"


def bandwidth(value: float | None) -> str:
    """A bandwidth with the unit that suits it."""
    return rate_words(value)


def labelled(rate: Labelled) -> str:
    """A bandwidth with the sign of its label, ``≥ 189 GB/s``."""
    return UNKNOWN if rate.value is None else rate.label.marked(bandwidth(rate.value))


def bound_words(analysis: Analysis) -> str:
    """A bound with its unit; an exact one says so."""
    words = bandwidth(analysis.bound_busbw_GBps)
    return f"{words} exact" if analysis.bound_is == "exact" else words


def share(value: float | None) -> str:
    """A share in whole per cent; what is short of all never reads as 100."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.005:
        return "<1 %"
    if 0.995 <= value < 0.9995:
        return f"{value * 100:.1f} %"
    return f"{value * 100:.0f} %"


def counted(many: int, noun: str) -> str:
    """A number with its noun."""
    return f"{many:,} {noun}{'' if many == 1 else 's'}"


def joined(words: Iterable[str]) -> str:
    """Words in a row: ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def message_size(size: int) -> str:
    """A message size in binary units, ``8 GiB``."""
    value = float(size)
    for unit in _BINARY_UNITS:
        if value < 1024 or unit == _BINARY_UNITS[-1]:
            return f"{value:.4g} {unit}"
        value /= 1024
    raise AssertionError("the last unit takes every size")


def assumptions(request: Request) -> list[str]:
    """Under which assumptions a figure holds: NCCL's release, routing, what was asked beyond."""
    words = [f"NCCL {request.version}", f"{request.routing.mode} routing"]
    if request.routing.mode == "static":
        words.append(f"{counted(request.routing.queue_pairs, 'queue pair')} each")
    if request.sharp:
        words.append("SHARP")
    if request.algorithm is not None:
        words.append(f"{ALGORITHM_NAMES.get(request.algorithm, request.algorithm)} only")
    if request.protocol is not None:
        words.append(f"{PROTOCOL_NAMES.get(request.protocol, request.protocol)} only")
    if request.mtu is not None:
        words.append(f"MTU {request.mtu}")
    return words


def asked_words(request: Request) -> str:
    """What figures are of: ``8 GiB, NCCL 2.30.7, ideal routing``."""
    return ", ".join((message_size(request.message_bytes), *assumptions(request)))


def asked_as_data(request: Request) -> dict[str, object]:
    """What figures are of, under the keys that an analysis has."""
    return {
        "message_bytes": request.message_bytes,
        "nccl": str(request.version),
        "routing": request.routing.mode,
        "sharp": request.sharp,
    }
