"""Designs as commands read them, and the options of `analyze`, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.jobs.parallel_layout import KINDS, PLACEMENTS, WORLD
from toposmith.analysis.prediction.payload import RDMA_MTUS
from toposmith.analysis.request import ROUTING_MODES, Request
from toposmith.asked import MOST_QUEUE_PAIRS, Asked, AskedError
from toposmith.collectives import COLLECTIVES
from toposmith.command.edge import Refused
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.foreign_values import NumberError, whole_number
from toposmith.nccl.listed import listed
from toposmith.nccl.ranks import ALGORITHMS, PROTOCOLS
from toposmith.plain_text import shown
from toposmith.synthesis.needs import read_needs

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

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


def request_of(file: str, design: Design, **options: Any) -> Request:
    """The request that options make of a design.

    Raises
    ------
    Refused
        Where the design's ``communicator:`` is wrong.
    click.BadParameter
        Where the options ask for what is not there.
    """
    _, findings = job_and_findings(design)
    if findings:
        raise Refused("\n".join(f"{file}: communicator: {found.text}" for found in findings))
    with named_options():
        return Asked(**options).request(design)


@contextmanager
def named_options() -> Iterator[None]:
    """Call what is wrong with a question by the option that asks it.

    Raises
    ------
    click.BadParameter
        For what is wrong.
    """
    try:
        yield
    except AskedError as wrong:
        field = "communicator" if wrong.field == "layout" else wrong.field.replace("_", "-")
        raise click.BadParameter(wrong.text, param_hint=f"--{field}") from None


def routing_options(command: Decorated) -> Decorated:
    """Give a command the options of routing."""
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
    default=Asked.collective,
    show_default=True,
    help="What the GPUs do: all_reduce, all_to_all, ...",
)
_SEED = click.option("--seed", type=int, metavar="N", help="Seed of the scattered placement.")
_ROUTING = (
    click.option(
        "--routing",
        type=WordChoice(ROUTING_MODES),
        help="How the fabric routes; as the design says, or ideal, if not given. ideal: by the "
        "capacity left on shortest paths; adaptive: packet by packet; static: by hashes; detour: "
        "also through another group of a dragonfly; dimension-order: axis by axis of a torus.",
    ),
    click.option(
        "--queue-pairs",
        type=click.IntRange(1, MOST_QUEUE_PAIRS),
        metavar="N",
        help="Queue pairs of a connection, each hashed by itself (static); 1 if not given.",
    ),
)
_OPTIONS = (
    _COLLECTIVE,
    click.option(
        "--size",
        metavar="SIZE",
        default=Asked.size,
        show_default=True,
        help="Message size: 8GiB and 8G are powers of two, 8GB is one of ten.",
    ),
    click.option(
        "--communicator",
        "layout",
        metavar="LAYOUT",
        help="Who takes part: world, or sizes such as tp=8,pp=4,dp=32 in the order of ranks, the "
        "fastest first.",
    ),
    click.option(
        "--group",
        type=WordChoice((WORLD, *KINDS)),
        help="Which groups of the layout, all of that kind at once; if not given ep for "
        "all-to-all, pp for send/recv, dp for the rest.",
    ),
    click.option(
        "--placement",
        type=WordChoice(PLACEMENTS),
        help="Where ranks sit: packed node after node, striped one node of every pod in turn, "
        "scattered in random order.",
    ),
    _SEED,
    click.option(
        "--nccl",
        metavar="VERSION",
        help="NCCL's release, 2.18 to 2.32; the newest if not given.",
    ),
    *_ROUTING,
    click.option("--sharp", is_flag=True, help="Let switches that can reduce do so."),
    click.option(
        "--algorithm",
        type=NcclList(ALGORITHMS),
        help="Only these, as NCCL_ALGO: ring,tree, or ^nvls for all others; what the network's "
        "plugin leaves, if not given.",
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
        type=click.Choice(RDMA_MTUS),
        help="MTU of RDMA, bytes; 4096 if not given.",
    ),
    click.option(
        "--gpudirect/--no-gpudirect",
        default=True,
        help="Whether NICs reach the memory of GPUs, where they can; they do if not given. Without "
        "it data go through the CPU's memory.",
    ),
    click.option(
        "--pxn/--no-pxn",
        default=True,
        help="Whether an all-to-all leaves by the NIC on the receiver's rail (NCCL's PXN); it does "
        "if not given.",
    ),
    click.option(
        "--calibration",
        metavar="FILE",
        help="What your own runs reached, as `measured --calibrate` wrote it.",
    ),
)
