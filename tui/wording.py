"""Figures as a person reads them: three significant digits, the unit behind, unknown as a word."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from toposmith.text import oversubscription
from toposmith.topology.review.wording import ALGORITHM_NAMES as ALGORITHM_NAMES
from toposmith.topology.review.wording import COLLECTIVE_NAMES as COLLECTIVE_NAMES
from toposmith.topology.review.wording import PROTOCOL_NAMES as PROTOCOL_NAMES
from toposmith.topology.review.wording import assumptions as assumptions
from toposmith.topology.review.wording import message_size as message_size
from toposmith.topology.units import rate_words
from toposmith.topology.units import three_digits as three_digits

if TYPE_CHECKING:
    from toposmith.topology.analysis.prediction.error_band import ErrorBand
    from toposmith.topology.analysis.result import Analysis, Communicator, LinkLoad
    from toposmith.topology.labels import Labelled

UNKNOWN = "unknown"

LIMIT_WORDS = {"latency": "latency", "channels": "NCCL's channels", "links": "links"}

_SIZE = re.compile(r"^\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-zA-Z]*)\s*$")
_MULTIPLES = {
    "": 1,
    "b": 1,
    **{word: 1024**power for power, unit in enumerate("kmgt", 1) for word in (unit, f"{unit}ib")},
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)},
}


def bandwidth(value: float | None) -> str:
    """A bandwidth with its unit; large ones in TB/s, those of small messages in MB/s or kB/s."""
    return rate_words(value)


def percent(share: float) -> str:
    """A share as whole percents; what is more than nothing never reads as 0."""
    if 0 < share < 0.005:
        return "<1 %"
    return f"{share * 100:.0f} %"


def signed_percent(share: float) -> str:
    """A difference as whole percents with its sign, ``-6 %``."""
    whole = round(share * 100)
    return f"{whole:+d} %" if whole else "0 %"


def duration(us: float | None) -> str:
    """A time in the unit that suits it."""
    if us is None:
        return UNKNOWN
    if us >= 1e6:
        return f"{three_digits(us / 1e6)} s"
    if us >= 1e3:
        return f"{three_digits(us / 1e3)} ms"
    return f"{three_digits(us)} µs"


def read_message_size(text: str) -> int | None:
    """The bytes that ``8 GiB``, ``512M`` or ``1e6`` stand for; None where it is no size."""
    match = _SIZE.match(text)
    if match is None:
        return None
    factor = _MULTIPLES.get(match["unit"].lower())
    if factor is None:
        return None
    size = int(float(match["number"]) * factor)
    return size if size > 0 else None


def ratio(value: float | None) -> str:
    """An oversubscription, ``2:1``."""
    return oversubscription(value)


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where that is due."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("leaf"):
        return f"{number:,} {noun[:-1]}ves"
    plural = f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"
    return f"{number:,} {plural}"


def communicator_words(communicator: Communicator) -> str:
    """The ranks that take part, ``world, 1,016 GPUs``."""
    if not communicator.size:
        return f"{communicator.layout} does not fit"
    words = f"{communicator.kind}, {counted(communicator.size, 'GPU')}"
    if communicator.concurrent > 1:
        words += f", {communicator.concurrent:,} at once"
    return words


def algorithm_name(algorithm: str) -> str:
    """NCCL's algorithm as the field writes it."""
    return ALGORITHM_NAMES.get(algorithm, algorithm)


def protocol_name(protocol: str) -> str:
    """NCCL's protocol as the field writes it."""
    return PROTOCOL_NAMES.get(protocol, protocol)


def how_words(analysis: Analysis) -> str:
    """What NCCL runs, ``NVLSTree, Simple, 16 channels``; empty where it runs nothing."""
    words = [algorithm_name(analysis.algorithm), protocol_name(analysis.protocol)]
    if analysis.channels is not None:
        words.append(counted(analysis.channels, "channel"))
    return ", ".join(word for word in words if word)


def labelled(busbw: Labelled) -> str:
    """A rate with the sign of its label, ``≥ 189 GB/s``."""
    return busbw.label.marked(bandwidth(busbw.value)) if busbw.value is not None else UNKNOWN


def band_words(band: ErrorBand) -> str:
    """Where published results lay, of what, ``-6 % to +3 % of this prediction``."""
    low, high = signed_percent(band.low), signed_percent(band.high)
    return f"published results of such systems: {low} to {high} of this prediction"


def band_basis(band: ErrorBand) -> str:
    """How many published results lie in the band, and what it rests on."""
    systems = f"{counted(band.systems, 'system')}, {counted(band.curves, 'curve')}; {band.where}"
    if band.supports_8_of_10:
        return f"8 of 10 of them; {systems}"
    if band.is_span:
        return f"all that is published, no share of what others reach; {systems}"
    inside = f"of a system left out {percent(band.held_out)} lie inside"
    return f"a tenth expected beyond each end; {inside}; {systems}"


def band_names(band: ErrorBand) -> str:
    """Who published the results of a band."""
    return f"published of {', '.join(band.names)}"


def band_range(busbw_GBps: float, band: ErrorBand) -> str:
    """The same as figures, ``340 to 372 GB/s``."""
    low, high = busbw_GBps * (1 + band.low), busbw_GBps * (1 + band.high)
    low_words, high_words = bandwidth(low), bandwidth(high)
    if low_words.split()[-1] == high_words.split()[-1]:
        low_words = low_words.split()[0]
    return f"{low_words} to {high_words}"


def binding_links(analysis: Analysis) -> tuple[LinkLoad, ...]:
    """The links that hold the figure back; none where latency or NCCL's channels do."""
    return () if analysis.limited_by in ("latency", "channels") else analysis.limiting


def first_sentence(text: str, columns: int) -> str:
    """The beginning of a text, up to its first full stop, or as many words as the line holds."""
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    whole = sentence + stop.rstrip()
    return whole if len(whole) <= columns else textwrap.shorten(whole, columns, placeholder=" ...")
