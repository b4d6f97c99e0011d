"""Text about an analysis for all outputs: the request, the algorithm, the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.collectives import COLLECTIVES
from toposmith.nccl.listed import SEPARATOR
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS
from toposmith.text import (
    algorithm_name,
    bandwidth,
    counted,
    message_size,
    percent,
    protocol_name,
    rates,
    signed_percent,
)

if TYPE_CHECKING:
    from toposmith.analysis.prediction.error_band import ErrorBand
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis, Communicator


def assumptions(request: Request, *, nccl: bool = True) -> list[str]:
    """The assumptions of a figure: NCCL release, routing, further options."""
    words = [f"NCCL {request.version}"] if nccl else []
    words.append(f"{request.routing.mode} routing")
    if request.routing.mode == "static":
        words.append(f"{counted(request.routing.queue_pairs, 'queue pair')} each")
    if request.sharp:
        words.append("SHARP")
    tuned = COLLECTIVES[request.collective].tuned is not None  # else it has no effect
    if tuned and request.algorithm is not None:
        every = request.algorithm == SEPARATOR.join(ALGORITHMS)
        words.append("all algorithms" if every else f"{algorithm_name(request.algorithm)} only")
    if request.protocol is not None:
        every = request.protocol == SEPARATOR.join(PROTOCOLS)
        words.append("all protocols" if every else f"{protocol_name(request.protocol)} only")
    pairs = COLLECTIVES[request.collective].runs == "pairs"
    further = {
        f"MTU {request.mtu}": request.mtu is not None,
        "TCP sockets": request.tcp,
        "without GPUDirect": not request.gpudirect,
        "without PXN": pairs and not request.pxn,
        f"calibration {request.calibration and request.calibration.name}": request.calibration,
    }
    words += [word for word, said in further.items() if said]
    return words


def asked_words(request: Request, *, nccl: bool = True) -> str:
    """The request in words: ``8 GiB, NCCL 2.32.3, ideal routing``.

    ``nccl`` is whether NCCL runs there, as :attr:`Plan.nccl` has it.
    """
    return ", ".join((message_size(request.message_bytes), *assumptions(request, nccl=nccl)))


def asked_as_data(request: Request, *, nccl: bool = True) -> dict[str, object]:
    """The request, under the keys of an analysis; ``nccl`` is null where NCCL does not run."""
    return {
        "message_bytes": request.message_bytes,
        "nccl": str(request.version) if nccl else None,
        "routing": request.routing.mode,
        "sharp": request.sharp,
    }


def communicator_words(communicator: Communicator) -> str:
    """The ranks that take part, ``world, 1,016 GPUs``."""
    if not communicator.size:
        return f"{communicator.layout} does not fit"
    words = f"{communicator.kind}, {counted(communicator.size, 'GPU')}"
    if communicator.concurrent > 1:
        words += f", {communicator.concurrent:,} at once"
    return words


def how_words(analysis: Analysis) -> str:
    """Algorithm, protocol and channels, ``NVLSTree, Simple, 16 channels``; empty without any."""
    words = [algorithm_name(analysis.algorithm), protocol_name(analysis.protocol)]
    if analysis.channels is not None:
        words.append(counted(analysis.channels, "channel"))
    return ", ".join(word for word in words if word)


def where_words(analysis: Analysis, *, runs: bool) -> str:
    """Where a bound on an all-reduce holds: that of what runs, or the other.

    ``where switches reduce``; ``where NVSwitches reduce`` where those between nodes do not.
    """
    if analysis.reduces != runs:
        return "where no switch reduces"
    inside = runs and analysis.reduces_in_nodes
    return "where NVSwitches reduce" if inside else "where switches reduce"


def bound_words(analysis: Analysis) -> str:
    """The bound that holds for what runs, with its unit; an exact one is marked."""
    words = bandwidth(analysis.bound.value)
    return f"{words} exact" if analysis.bound.label.kind == "exact" else words


def band_words(band: ErrorBand) -> str:
    """The range of published results, ``-6 % to +3 % of this prediction``."""
    low, high = signed_percent(band.low), signed_percent(band.high)
    return f"published results of {band.systems} such systems: {low} to {high} of this prediction"


def band_basis(band: ErrorBand) -> str:
    """The basis of a band: its curves and systems, and the share of results inside."""
    some = 0 < band.ran < band.systems
    ran = f", {band.ran} of the systems with this collective" if some else ""
    systems = (
        f"{counted(band.systems, 'system')}, {counted(band.curves, 'curve')}{ran}; {band.where}"
    )
    if band.supports_8_of_10:
        return f"8 of 10 of them; {systems}"
    if band.is_span:
        return f"all public results found, no share of what others reach; {systems}"
    inside = f"of a system left out {percent(band.held_out)} lie inside"
    return f"a tenth expected beyond each end; {inside}; {systems}"


def scale_words(band: ErrorBand, gpus: int) -> str:
    """By how much this cluster exceeds the largest published run; empty where it does not."""
    if not 0 < band.most_gpus < gpus:
        return ""
    return f"published of runs up to {band.most_gpus:,} GPUs, this has {gpus:,}"


def band_names(band: ErrorBand) -> str:
    """The systems with published results in a band, and that the model was built with them."""
    return f"in sample, at hand while the model was built: published of {', '.join(band.names)}"


def band_range(busbw_GBps: float, band: ErrorBand) -> str:
    """The band in GB/s, ``340 to 372 GB/s``."""
    return rates(busbw_GBps * (1 + band.low), busbw_GBps * (1 + band.high), "to")
