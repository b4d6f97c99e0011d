"""The options of `analyze`, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.analysis.calibration_file import load_calibration
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.jobs.parallel_layout import (
    KINDS,
    PLACEMENTS,
    WORLD,
    Layout,
    parse_layout,
)
from toposmith.analysis.prediction.payload import RDMA_MTUS
from toposmith.analysis.request import AS_DESIGNED, ROUTING_MODES, Request, Routing
from toposmith.collectives import COLLECTIVES, LARGEST_MESSAGE_BYTES
from toposmith.command.edge import Refused
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import EditError
from toposmith.foreign_values import NumberError, whole_number
from toposmith.nccl.listed import listed
from toposmith.nccl.nccl_version import NcclVersion, parse_version
from toposmith.nccl.ranks import ALGORITHMS, PROTOCOLS
from toposmith.plain_text import shown
from toposmith.synthesis.needs import read_needs
from toposmith.text import read_message_size

if TYPE_CHECKING:
    from toposmith.analysis.calibration_file import Calibration
    from toposmith.analysis.jobs.communicator import Job
    from toposmith.design.document import Design, RoutingMode

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

MOST_QUEUE_PAIRS = 128
"""The most queue pairs of one connection in NCCL (NVIDIA/nccl, src/transport/net_ib.cc)."""

MOST_DOUBLES = 10_000


class Pairs(click.ParamType[int | None]):
    """How many pairs of failures to try: a number, or ``all``, which becomes None."""

    name = "pairs"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | None:
        """The number of pairs; None for all."""
        text = str(value).strip()
        if text == "all":
            return None
        try:
            count = whole_number(text)
        except NumberError:
            count = -1
        if not 0 <= count <= MOST_DOUBLES:
            words = f"{shown(text)} is neither all nor a number up to {MOST_DOUBLES:,}"
            self.fail(words, param, ctx)
        return count


class WordChoice(click.Choice[str]):
    """One of several words in any spelling: ``all-reduce``, ``AllReduce``, ``NVLSTree``."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read a word."""
        wanted = _bare(str(value))
        found = next((word for word in self.choices if _bare(word) == wanted), None)
        return found if found is not None else super().convert(value, param, ctx)


class NcclList(WordChoice):
    """Words as ``NCCL_ALGO`` and ``NCCL_PROTO`` take them: ``ll,simple``, ``^LL``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read the list."""
        try:
            found = listed(str(value), self.choices)
        except ValueError as wrong:
            self.fail(str(wrong), param, ctx)
        if found is None:
            self.fail(f"{value!r} says nothing of every collective", param, ctx)
        return found


class Listed(WordChoice):
    """The keys of a table of records, looked up when the option or its help is read."""

    def __init__(self, records: Mapping[str, object]) -> None:
        self._records = records
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """The keys, in their order."""
        return tuple(self._records)

    @choices.setter
    def choices(self, _none: object) -> None:
        """Ignored: the records are the choices."""


class Percent(click.ParamType[float]):
    """A share, written in percent: ``90``, ``90%``, ``90 %``."""

    name = "percent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The share, from 0 to 1."""
        if isinstance(value, float):
            return value
        try:
            share = float(str(value).strip().removesuffix("%")) / 100
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is not a share from 0 % to 100 %", param, ctx)
        return share


def _bare(word: str) -> str:
    return word.lower().translate(str.maketrans("", "", "-_/ "))


@dataclass(frozen=True)
class Asked:
    """The options of one run; None where the design or a default applies."""

    collective: Any
    message_bytes: int
    layout: Layout | None
    group: str | None
    placement: Any
    seed: int | None
    version: NcclVersion | None
    routing: Any
    queue_pairs: int | None
    sharp: bool
    algorithm: Any
    protocol: Any
    mtu: str | None
    gpudirect: bool
    pxn: bool
    calibration: Calibration | None
    exact: bool

    def request(self, file: str, design: Design) -> Request:
        """The request for a design; options not given come from its ``communicator:`` block."""
        request = Request(
            collective=self.collective,
            message_bytes=self.message_bytes,
            job=self._job(file, design),
            routing=asked_routing(self.routing, self.queue_pairs, design),
            sharp=self.sharp,
            algorithm=self.algorithm,
            protocol=self.protocol,
            mtu=None if self.mtu is None else int(self.mtu),
            gpudirect=self.gpudirect,
            pxn=self.pxn,
            calibration=self.calibration,
            exact=self.exact,
        )
        return request if self.version is None else replace(request, version=self.version)

    def _job(self, file: str, design: Design) -> Job:
        job, findings = job_and_findings(design)
        if findings:
            raise Refused("\n".join(f"{file}: communicator: {found.text}" for found in findings))
        if self.layout is not None:
            job = replace(job, layout=self.layout, kind="")
        if self.group is not None:
            kinds = [WORLD, *(kind for kind, _ in job.layout.sizes)]
            if self.group not in kinds:
                raise click.BadParameter(
                    f"the layout {job.layout} has no {self.group} groups; it has "
                    f"{', '.join(kinds)}",
                    param_hint="--group",
                )
            job = replace(job, kind=self.group)
        job = replace(job, placement=self.placement or job.placement)
        if self.seed is None:
            return job
        if job.placement != "scattered":
            raise click.BadParameter(
                "a seed counts with --placement scattered only", param_hint="--seed"
            )
        return replace(job, seed=self.seed)


def asked_routing(mode: RoutingMode | None, queue_pairs: int | None, design: Design) -> Routing:
    """The routing of the option, or else of the design.

    Raises
    ------
    click.BadParameter
        When the design's links do not allow the routing, or ``queue_pairs`` is given without
        static routing.
    """
    if queue_pairs is not None and mode != "static":
        raise click.BadParameter(
            "queue pairs count with --routing static only", param_hint="--queue-pairs"
        )
    if mode is None:
        return AS_DESIGNED.on(design)
    for _, text in routing_problems(design, mode):
        raise click.BadParameter(f"{mode}: {text}", param_hint="--routing")
    return Routing(mode, queue_pairs or 1)


def routing_options(command: Decorated) -> Decorated:
    """Give a command the options of :func:`asked_routing`."""
    for option in reversed(_ROUTING):
        command = option(command)
    return command


def request_options(command: Decorated) -> Decorated:
    """Give a command the options of :class:`Asked`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def measuring_options(command: Decorated) -> Decorated:
    """Give a command these options without collective and seed, which it defines itself."""
    for option in reversed(_OPTIONS):
        if option not in (_COLLECTIVE, _SEED):
            command = option(command)
    return command


def _message_size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    return message_size(value)


def message_size(value: str) -> int:
    """Read a size in bytes: 8GiB and 8G are powers of two (as in nccl-tests), 8GB of ten.

    Raises
    ------
    click.BadParameter
        When the text is no size.
    """
    size = read_message_size(value)
    if size is None or size > LARGEST_MESSAGE_BYTES:
        raise click.BadParameter(f"{value!r} is no size; write it like 8GiB, 512MiB or 4096")
    return size


def _layout(ctx: click.Context, param: click.Parameter, value: str | None) -> Layout | None:
    try:
        return None if value is None else parse_layout(value)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong)) from None


def _version(ctx: click.Context, param: click.Parameter, value: str | None) -> NcclVersion | None:
    try:
        return None if value is None else parse_version(value)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong)) from None


def _calibration(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> Calibration | None:
    return None if value is None else load_calibration(Path(value))


NEED = click.option(
    "--need",
    "needs",
    metavar="COLLECTIVE=GB/s",
    multiple=True,
    help="Busbw of a GPU that has to hold, such as all_reduce=100; may be repeated.",
)


def needs_asked(texts: Sequence[str]) -> dict[str, float]:
    """The required busbw by collective, GB/s, from ``--need`` or ``--floor`` options.

    Raises
    ------
    click.BadParameter
        When a text is not ``COLLECTIVE=GB/s``.
    """
    try:
        return read_needs(texts)
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--need") from None


_COLLECTIVE = click.option(
    "--collective",
    type=Listed(COLLECTIVES),
    metavar="NAME",
    default="all_reduce",
    show_default=True,
    help="What the GPUs do: all_reduce, all_to_all, ...",
)
_SEED = click.option("--seed", type=int, metavar="N", help="Of the scattered placement.")
_ROUTING = (
    click.option(
        "--routing",
        type=WordChoice(ROUTING_MODES),
        help="How the fabric routes; as the design says, or ideal, if not given.",
    ),
    click.option(
        "--queue-pairs",
        type=click.IntRange(1, MOST_QUEUE_PAIRS),
        metavar="N",
        help="Of a connection, each hashed by itself (static routing); 1 if not given.",
    ),
)
_OPTIONS = (
    _COLLECTIVE,
    click.option(
        "--size",
        "message_bytes",
        metavar="SIZE",
        callback=_message_size,
        default="8GiB",
        show_default=True,
        help="Size of the message.",
    ),
    click.option(
        "--communicator",
        "layout",
        metavar="LAYOUT",
        callback=_layout,
        help="Who takes part: world, or sizes such as tp=8,pp=4,dp=32, the fastest first.",
    ),
    click.option(
        "--group",
        type=WordChoice((WORLD, *KINDS)),
        help="Which groups of the layout; those that usually run the collective, if not given.",
    ),
    click.option(
        "--placement", type=WordChoice(PLACEMENTS), help="In which order ranks fill the nodes."
    ),
    _SEED,
    click.option(
        "--nccl",
        "version",
        metavar="VERSION",
        callback=_version,
        help="NCCL's release, 2.18 to 2.32; the newest if not given.",
    ),
    *_ROUTING,
    click.option("--sharp", is_flag=True, help="Let switches that can reduce do so."),
    click.option(
        "--algorithm",
        type=NcclList(ALGORITHMS),
        help="Only these, as NCCL_ALGO; what the network's plugin leaves, if not given.",
    ),
    click.option(
        "--protocol",
        type=NcclList(PROTOCOLS),
        help="Only these, as NCCL_PROTO: simple, or ll,simple, or ^ll128; what the network's "
        "plugin leaves, if not given.",
    ),
    click.option(
        "--exact",
        is_flag=True,
        help="Solve for the exact bound on all-to-all; takes a second or two.",
    ),
    click.option(
        "--mtu",
        type=click.Choice([*map(str, RDMA_MTUS)]),
        help="Of RDMA, bytes; 4096 if not given.",
    ),
    click.option(
        "--gpudirect/--no-gpudirect",
        default=True,
        help="Whether NICs reach the memory of GPUs, where they can; they do if not given.",
    ),
    click.option(
        "--pxn/--no-pxn",
        default=True,
        help="Whether an all-to-all keeps its rail (NCCL's PXN); it does if not given.",
    ),
    click.option(
        "--calibration",
        metavar="FILE",
        callback=_calibration,
        help="What your own runs reached, as `measured --calibrate` wrote it.",
    ),
)
