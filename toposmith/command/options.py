"""Designs as commands read them, and the options of `analyze`, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeVar

import click

from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import ROUTING_MODES, Collective, Request
from toposmith.asked import MOST_QUEUE_PAIRS, SETTINGS, Asked, AskedError, read_settings
from toposmith.collectives import COLLECTIVES
from toposmith.command.edge import (
    Refused,
)
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.foreign_values import NumberError, whole_number
from toposmith.plain_text import shown
from toposmith.synthesis.needs import read_floor, read_needs
from toposmith.text import bare_word

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
        wanted = bare_word(str(value))
        found = next((word for word in self.choices if bare_word(word) == wanted), None)
        return found if found is not None else super().convert(value, param, ctx)


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
        return asked_of(**options).request(design)


def asked_of(*, further: Iterable[str] = (), **options: Any) -> Asked:
    """What options ask, those of ``--with`` among them; raises AskedError for what is none."""
    return Asked(**options, **read_settings(further))


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
        hint = f"--with {field}" if field in SETTINGS else f"--{field}"
        raise click.BadParameter(wrong.text, param_hint=hint) from None


def _giving(
    options: Sequence[Callable[[Decorated], Decorated]],
) -> Callable[[Decorated], Decorated]:
    """What gives a command some options, in their order."""

    def give(command: Decorated) -> Decorated:
        return reduce(lambda made, option: option(made), reversed(options), command)

    return give


WITH = click.option(
    "--with",
    "further",
    metavar="NAME=VALUE",
    multiple=True,
    help=f"What else is assumed: {', '.join(SETTINGS)}; as in nccl=2.27, algorithm=ring, "
    "pxn=no; may be repeated.",
)

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


Floor = tuple[dict[Collective, float], int]
"""What holds all the time: busbw of a GPU by collective, GB/s, and GPUs that are cabled."""

NO_FLOOR: Floor = ({}, 0)


def _floor(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> Floor:
    try:
        return read_floor(texts)
    except EditError as wrong:
        raise click.BadParameter(str(wrong)) from None


floor_option = click.option(
    "--floor",
    metavar="NAME=AMOUNT",
    multiple=True,
    callback=_floor,
    help="Busbw of a GPU that holds after every step and meanwhile, such as all_to_all=40, or "
    "GPUs that run all the time, gpus=480; may be repeated.",
)

_COLLECTIVE = click.option(
    "--collective",
    type=Listed(COLLECTIVES),
    metavar="NAME",
    default=Asked.collective,
    show_default=True,
    help="What the GPUs do: all_reduce, all_to_all, ...",
)
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
_MEASURING = (
    click.option(
        "--size",
        metavar="SIZE",
        default=Asked.size,
        show_default=True,
        help="Size of the message.",
    ),
    click.option(
        "--communicator",
        "layout",
        metavar="LAYOUT",
        help="Who takes part: world, or sizes such as tp=8,pp=4,dp=32, the fastest first.",
    ),
    *_ROUTING,
    WITH,
)

routing_options = _giving(_ROUTING)
"""Gives a command the options of routing."""

measuring_options = _giving(_MEASURING)
"""Gives a command those of :class:`Asked` without the collective, which it defines itself."""

request_options = _giving((_COLLECTIVE, *_MEASURING))
"""Gives a command the options of :class:`Asked`."""
