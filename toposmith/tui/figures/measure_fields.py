"""What can be set about a measurement: every field with its words, choices and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toposmith.analysis.calibration_file import load_calibration
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.of_design import BAD_BLOCK
from toposmith.analysis.jobs.parallel_layout import PLACEMENTS, WORLD, parse_layout
from toposmith.analysis.prediction.payload import RDMA_MTUS
from toposmith.analysis.request import (
    ROUTING_MODES,
    Request,
)
from toposmith.collectives import COLLECTIVES, LARGEST_MESSAGE_BYTES, NO_SIZE
from toposmith.errors import DesignFileError
from toposmith.findings.finding import Finding
from toposmith.foreign_values import whole_number
from toposmith.nccl.listed import SEPARATOR, listed
from toposmith.nccl.nccl_version import parse_version
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS
from toposmith.text import (
    algorithm_name,
    message_size,
    protocol_name,
    read_message_size,
)

ANY = ""
MOST_QUEUE_PAIRS = 128
MOST_SEED = 2**31 - 1


def _lists(
    asked: str | None, names: Sequence[str], in_words: Callable[[str], str]
) -> dict[str, str]:
    """NCCL's choice, each name, the list that is asked for, and all with any plugin."""
    everything = SEPARATOR.join(names)
    lists = {one: in_words(one) for one in (*names, *([asked] if asked else []))}
    return {ANY: "NCCL's choice", **lists, everything: "all of them"}


@dataclass(frozen=True)
class Field:
    """One setting of a request.

    Parameters
    ----------
    id : str
        Its stable name.
    label : str
        Its name on the screen.
    value : callable
        What it is in a request, as text.
    set : callable
        The request with another value; raises ValueError with words where that is none.
    choices : callable, optional
        The values to choose from, each with its words; without it the value is typed.
    counts : callable
        Whether it makes a difference to a request.
    hint : str
        What to know about it.
    """

    id: str
    label: str
    value: Callable[[Request], str]
    set: Callable[[Request, str], Request]
    choices: Callable[[Request], Mapping[str, str]] | None = None
    counts: Callable[[Request], bool] = lambda _: True
    hint: str = ""


FIELD_OF_FINDING = {
    BAD_BLOCK: "layout",
    "communicator-does-not-fit": "layout",
    "group-of-one": "group",
    "no-sharp": "sharp",
    "cannot-run": "algorithm",
    "routing-does-not-fit": "routing",
}
"""Findings of the engine that belong beside a field."""


def complaints(findings: tuple[Finding, ...]) -> dict[str, str]:
    """What the engine says about fields, by the field's name."""
    return {
        FIELD_OF_FINDING[one.code]: one.text for one in findings if one.code in FIELD_OF_FINDING
    }


def _job(request: Request, **changes: Any) -> Request:
    return replace(request, job=replace(request.job, **changes))


def _routing(request: Request, **changes: Any) -> Request:
    return replace(request, routing=replace(request.routing, by_design=False, **changes))


def _set_size(request: Request, text: str) -> Request:
    size = read_message_size(text)
    if size is None or size > LARGEST_MESSAGE_BYTES:
        raise ValueError(f"{text!r} {NO_SIZE} 8GiB, 512MiB or 4096")
    return replace(request, message_bytes=size)


def _set_layout(request: Request, text: str) -> Request:
    layout = parse_layout(text)
    kinds = [kind for kind, _ in layout.sizes]
    job: Job = request.job
    return _job(request, layout=layout, kind=job.kind if job.kind in kinds else "")


def _groups(request: Request) -> dict[str, str]:
    layout = request.job.layout
    named = {kind: f"{kind} of {size:,}" for kind, size in layout.sizes}
    return {ANY: f"usual, {layout.usual_kind(request.collective)}", **named, WORLD: WORLD}


def _set_seed(request: Request, text: str) -> Request:
    return _job(request, seed=_whole(text, 0, MOST_SEED))


def _set_queue_pairs(request: Request, text: str) -> Request:
    return _routing(request, queue_pairs=_whole(text, 1, MOST_QUEUE_PAIRS))


def _set_calibration(request: Request, text: str) -> Request:
    if not text.strip():
        return replace(request, calibration=None)
    try:
        calibration = load_calibration(Path(text.strip()).expanduser())
    except DesignFileError as wrong:
        raise ValueError(wrong.lines()[0]) from None
    return replace(request, calibration=calibration)


def _set_exact(request: Request, text: str) -> Request:
    return replace(request, exact=text == "on")


def _whole(text: str, lowest: int, highest: int) -> int:
    if not text.strip().isdecimal() or not lowest <= whole_number(text.strip()) <= highest:
        raise ValueError(f"{text!r} is not a whole number from {lowest:,} to {highest:,}")
    return int(text)


FIELDS: tuple[Field, ...] = (
    Field(
        "collective",
        "collective",
        lambda request: request.collective,
        lambda request, text: replace(
            request, collective=next(one for one in COLLECTIVES if one == text)
        ),
        lambda _: {one: record.name for one, record in COLLECTIVES.items()},
        hint="m goes through them on the canvas, too",
    ),
    Field(
        "size",
        "message size",
        lambda request: message_size(request.message_bytes),
        _set_size,
        hint="as nccl-tests counts it: 8GiB, 512MiB, 4096",
    ),
    Field(
        "layout",
        "communicator",
        lambda request: str(request.job.layout),
        _set_layout,
        hint="world for all GPUs, or sizes of tp, cp, ep, dp and pp such as tp=8,pp=4,dp=32, the "
        "fastest varying first; all groups of a kind run at once",
    ),
    Field(
        "group",
        "group",
        lambda request: request.job.kind,
        lambda request, text: _job(request, kind=text),
        _groups,
        lambda request: bool(request.job.layout.sizes),
        hint="which groups are measured; usually those of ep for all-to-all, of pp for send/recv, "
        "of dp for the rest",
    ),
    Field(
        "placement",
        "placement",
        lambda request: request.job.placement,
        lambda request, text: _job(request, placement=text),
        lambda _: {one: one for one in PLACEMENTS},
        hint="packed: node after node; striped: one node of every pod in turn; scattered: in "
        "random order",
    ),
    Field(
        "seed",
        "seed",
        lambda request: str(request.job.seed),
        _set_seed,
        counts=lambda request: request.job.placement == "scattered",
        hint="of the random order",
    ),
    Field(
        "nccl",
        "NCCL",
        lambda request: str(request.version),
        lambda request, text: replace(request, version=parse_version(text)),
        hint="a release from 2.18 to 2.32, such as 2.27 or 2.27.7",
    ),
    Field(
        "algorithm",
        "algorithm",
        lambda request: request.algorithm or ANY,
        lambda request, text: replace(
            request, algorithm=listed(text, ALGORITHMS) if text else None
        ),
        lambda request: _lists(request.algorithm, ALGORITHMS, algorithm_name),
        hint="only these, as NCCL_ALGO asks for, or all; else what the network's plugin leaves",
    ),
    Field(
        "protocol",
        "protocol",
        lambda request: request.protocol or ANY,
        lambda request, text: replace(request, protocol=listed(text, PROTOCOLS) if text else None),
        lambda request: _lists(request.protocol, PROTOCOLS, protocol_name),
        hint="only these, as NCCL_PROTO asks for, or all; else what the network's plugin leaves",
    ),
    Field(
        "sharp",
        "SHARP",
        lambda request: "on" if request.sharp else "off",
        lambda request, text: replace(request, sharp=text == "on"),
        lambda _: {"off": "off", "on": "on"},
        hint="whether switches that can reduce do so",
    ),
    Field(
        "routing",
        "routing",
        lambda request: request.routing.mode,
        lambda request, text: _routing(request, mode=text),
        lambda _: {one: one for one in ROUTING_MODES},
        hint="ideal: by the capacity left on each path; adaptive: the same with a small loss; "
        "static: each connection hashed onto one path, as plain ECMP does; detour: through another "
        "group of a dragonfly, too; dimension-order: one axis of a torus after the other; "
        "the design keeps it, u takes it back",
    ),
    Field(
        "queue_pairs",
        "queue pairs",
        lambda request: str(request.routing.queue_pairs),
        _set_queue_pairs,
        counts=lambda request: request.routing.mode == "static",
        hint="of a connection, each hashed by itself",
    ),
    Field(
        "mtu",
        "RDMA MTU",
        lambda request: str(request.mtu or ANY),
        lambda request, text: replace(request, mtu=int(text) if text.isdigit() else None),
        lambda _: {ANY: "usual", **{str(one): str(one) for one in reversed(RDMA_MTUS)}},
        hint="bytes of payload in a packet; without jumbo frames RoCE takes 1024",
    ),
    Field(
        "gpudirect",
        "GPUDirect",
        lambda request: "on" if request.gpudirect else "off",
        lambda request, text: replace(request, gpudirect=text == "on"),
        lambda _: {"on": "on", "off": "off"},
        hint="whether NICs read and write the memory of GPUs, where they can",
    ),
    Field(
        "tcp",
        "TCP sockets",
        lambda request: "on" if request.tcp else "off",
        lambda request, text: replace(request, tcp=text == "on"),
        lambda _: {"off": "off", "on": "on"},
        hint="collectives over kernel sockets on the same NICs (NCCL_NET=Socket), not RDMA",
    ),
    Field(
        "pxn",
        "PXN",
        lambda request: "on" if request.pxn else "off",
        lambda request, text: replace(request, pxn=text == "on"),
        lambda _: {"on": "on", "off": "off"},
        lambda request: COLLECTIVES[request.collective].runs == "pairs",
        hint="whether an all-to-all leaves by the NIC on the receiver's rail, as NCCL does over "
        "NVLink, or by each GPU's own",
    ),
    Field(
        "calibration",
        "calibration",
        lambda request: request.calibration.path if request.calibration else "",
        _set_calibration,
        hint="a file that `toposmith measured LOG DESIGN --calibrate FILE` wrote: predictions "
        "take what your own runs reached",
    ),
    Field(
        "exact",
        "exact bound",
        lambda request: "on" if request.exact else "off",
        _set_exact,
        lambda _: {"off": "off", "on": "on"},
        lambda request: COLLECTIVES[request.collective].bound == "all_to_all",
        hint="solve for the best that any schedule could do; takes a second or two",
    ),
)
