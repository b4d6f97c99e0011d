"""What is asked of a design, as people write it: one record for commands and the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toposmith.analysis.calibration_file import load_calibration
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.jobs.parallel_layout import KINDS, PLACEMENTS, WORLD, parse_layout
from toposmith.analysis.prediction.payload import RDMA_MTUS
from toposmith.analysis.request import AS_DESIGNED, ROUTING_MODES, Request, Routing
from toposmith.collectives import COLLECTIVES, LARGEST_MESSAGE_BYTES, NO_SIZE
from toposmith.design.document import Design
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number
from toposmith.nccl.listed import listed
from toposmith.nccl.nccl_version import NEWEST, parse_version
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS
from toposmith.text import bare_word, read_message_size

MOST_QUEUE_PAIRS = 128
"""The most queue pairs of one connection in NCCL (NVIDIA/nccl, src/transport/net_ib.cc)."""


class AskedError(ToposmithError):
    """What has no answer: the field of :class:`Asked`, and what would be right."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.field = field
        self.text = text


@dataclass(frozen=True)
class Asked:
    """The question of a figure; None where the design or a default applies.

    Parameters
    ----------
    collective : str
        A key of :data:`toposmith.collectives.COLLECTIVES`.
    size : int or str
        Message size in bytes, or as text: ``8 GiB`` is of powers of two, ``8 GB`` of ten.
    layout, group : str, optional
        The parallel layout of a job (``tp=8,dp=16``, in the order of ranks) and which of its groups
        run the collective, all of the kind at once; those of the design's ``communicator:`` block,
        or else ``ep`` for all-to-all, ``pp`` for send/recv, ``dp`` for the rest.
    placement : str, optional
        Where ranks sit: ``packed`` node after node, ``striped`` one node of every pod in turn,
        ``scattered`` in random order.
    seed : int, optional
        Seed of the scattered placement.
    nccl : str, optional
        The NCCL release, ``2.18`` to ``2.32`` or a patch such as ``2.27.7``; the newest if not
        given.
    routing : str, optional
        ``ideal``, ``adaptive``, ``static``, ``detour`` or ``dimension-order``; what the design's
        ``routing:`` says, or ``ideal``, if not given.
    queue_pairs : int, optional
        Queue pairs of each connection, for static routing; 1 if not given.
    sharp : bool
        Whether switches may reduce (SHARP).
    algorithm : str, optional
        Only these, as ``NCCL_ALGO``: ``ring,tree``, or ``^nvls`` for all others; what the network's
        plugin leaves if not given.
    protocol : str, optional
        Only these, as ``NCCL_PROTO``: ``simple``, ``ll,simple``, ``^ll128``; what the network's
        plugin leaves if not given.
    mtu : int, optional
        MTU of RDMA, bytes: 256, 512, 1024, 2048 or 4096, the default.
    gpudirect : bool
        Whether NICs reach the memory of GPUs, where they can; without it data go through the CPU's
        memory.
    tcp : bool
        Whether collectives run over kernel TCP sockets on the same NICs, as ``NCCL_NET=Socket``
        has them, in place of RDMA.
    pxn : bool
        Whether an all-to-all leaves by the NIC on the receiver's rail, or by each GPU's own.
    calibration : path, optional
        A file of measured results, as ``toposmith measured --calibrate`` writes it.
    exact : bool
        Whether to solve for the exact bound on all-to-all.
    """

    collective: str = "all_reduce"
    size: int | str = "8GiB"
    layout: str | None = None
    group: str | None = None
    placement: str | None = None
    seed: int | None = None
    nccl: str | None = None
    routing: str | None = None
    queue_pairs: int | None = None
    sharp: bool = False
    algorithm: str | None = None
    protocol: str | None = None
    mtu: int | None = None
    gpudirect: bool = True
    tcp: bool = False
    pxn: bool = True
    calibration: str | os.PathLike[str] | None = None
    exact: bool = False

    def request(self, design: Design) -> Request:
        """The request for a design.

        Raises
        ------
        AskedError
            For a collective, size, layout, group, release, routing, algorithm, protocol or MTU
            that does not exist, naming those that do.
        DesignFileError
            Where the calibration cannot be read.
        """
        _require("collective", self.collective, COLLECTIVES)
        if self.mtu is not None:
            _require("mtu", self.mtu, RDMA_MTUS)
        file = self.calibration
        try:
            version = NEWEST if self.nccl is None else parse_version(str(self.nccl))
        except ValueError as wrong:
            raise AskedError("nccl", str(wrong)) from None
        return Request(
            collective=self.collective,
            message_bytes=self.message_bytes,
            job=self._job(job_and_findings(design)[0]),
            version=version,
            routing=self.routing_on(design),
            sharp=self.sharp,
            algorithm=_listed("algorithm", self.algorithm, ALGORITHMS),
            protocol=_listed("protocol", self.protocol, PROTOCOLS),
            mtu=self.mtu,
            gpudirect=self.gpudirect,
            tcp=self.tcp,
            pxn=self.pxn,
            calibration=None if file is None else load_calibration(Path(file)),
            exact=self.exact,
        )

    @property
    def message_bytes(self) -> int:
        """The size in bytes: 8GiB and 8G are powers of two (as in nccl-tests), 8GB of ten.

        Raises
        ------
        AskedError
            If it is no size.
        """
        size = read_message_size(self.size) if isinstance(self.size, str) else self.size
        if type(size) is not int or not 1 <= size <= LARGEST_MESSAGE_BYTES:
            raise AskedError("size", f"{self.size!r} {NO_SIZE} 8GiB, 8 GiB, 512MiB or 4096")
        return size

    def routing_on(self, design: Design) -> Routing:
        """The routing that is asked for, else that of the design.

        Raises
        ------
        AskedError
            For one that does not exist or the links do not allow, or queue pairs without use.
        """
        pairs = 1 if self.queue_pairs is None else self.queue_pairs
        if not 1 <= pairs <= MOST_QUEUE_PAIRS or (pairs != 1 and self.routing != "static"):
            text = f"they are 1 to {MOST_QUEUE_PAIRS}, and count with static routing only"
            raise AskedError("queue_pairs", text)
        if self.routing is None:
            return AS_DESIGNED.on(design)
        _require("routing", self.routing, ROUTING_MODES)
        for _, text in routing_problems(design, self.routing):  # type: ignore[arg-type]
            raise AskedError("routing", f"{self.routing}: {text}")
        return Routing(self.routing, pairs)  # type: ignore[arg-type]

    def _job(self, job: Job) -> Job:
        """A design's job with what is asked of it."""
        if self.layout is not None:
            try:
                job = replace(job, layout=parse_layout(self.layout), kind="")
            except ValueError as wrong:
                raise AskedError("layout", str(wrong)) from None
        if self.group is not None:
            kinds = [WORLD, *(kind for kind, _ in job.layout.sizes)]
            if self.group not in kinds:
                has = f"it has {', '.join(kinds)}"
                text = f"the layout {job.layout} has no {self.group} groups; {has}"
                raise AskedError("group", text)
            job = replace(job, kind=self.group)
        if self.placement is not None:
            _require("placement", self.placement, PLACEMENTS)
            job = replace(job, placement=self.placement)  # type: ignore[arg-type]
        if self.seed is None:
            return job
        if job.placement != "scattered":
            raise AskedError("seed", "a seed counts with the scattered placement only")
        return replace(job, seed=self.seed)


def _require(what: str, word: object, known: Iterable[object]) -> None:
    words = list(known)
    if word not in words:
        raise AskedError(what, f"{word!r} is no {what}; there are {', '.join(map(str, words))}")


def _listed(what: str, text: str | None, names: Sequence[str]) -> str | None:
    """Algorithms or protocols in the order of their names; None where nothing is asked for."""
    if text is None:
        return None
    try:
        found = listed(text, names)
    except ValueError as wrong:
        raise AskedError(what, str(wrong)) from None
    if found is None:
        raise AskedError(what, f"{text!r} says nothing of every collective")
    return found


def _one_of(words: Iterable[str]) -> Callable[[str], str]:
    """Reads any spelling of some words; another word stays as it is, and is refused later."""
    known = {bare_word(word): word for word in words}
    return lambda text: known.get(bare_word(text), text)


def _truth(text: str) -> bool:
    answers = {"": True, "yes": True, "true": True, "no": False, "false": False}
    if text not in answers:
        raise ValueError(f"{text!r} is neither yes nor no")
    return answers[text]


SETTINGS: Mapping[str, Callable[[str], Any]] = {
    "group": _one_of((WORLD, *KINDS)),
    "placement": _one_of(PLACEMENTS),
    "seed": whole_number,
    "nccl": str,
    "sharp": _truth,
    "algorithm": str,
    "protocol": str,
    "exact": _truth,
    "mtu": whole_number,
    "gpudirect": _truth,
    "tcp": _truth,
    "pxn": _truth,
    "calibration": str,
}
"""Fields of :class:`Asked` that are written as ``NAME=VALUE``, each with how its value is read."""


def read_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Fields of :class:`Asked` from texts such as ``nccl=2.27``, ``sharp`` or ``pxn=no``.

    Raises
    ------
    AskedError
        With what was found and what would be right.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = map(str.strip, text.partition("="))
        read = SETTINGS.get(name)
        if read is None or (not value and (equals or read is not _truth)):
            example = "write it as in nccl=2.27 or pxn=no"
            raise AskedError("with", f"{text!r} is none of {', '.join(SETTINGS)}; {example}")
        if name in found:
            raise AskedError("with", f"{name} is given twice")
        try:
            found[name] = read(value)
        except ValueError as wrong:
            raise AskedError(name, str(wrong)) from None
    return found
