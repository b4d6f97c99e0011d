"""Designs as commands read them, and the options of `analyze`, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import ROUTING_MODES, Collective, Request
from toposmith.asked import MOST_QUEUE_PAIRS, SETTINGS, Asked, AskedError, read_settings
from toposmith.bill.terms import (
    INDICATIVE,
    CablingPolicy,
    SparePolicy,
    Terms,
    bill_prices,
    policy_of,
    read_spares,
    spares_of,
)
from toposmith.catalog.currencies import CURRENCIES
from toposmith.collectives import COLLECTIVES
from toposmith.command.design_input import read_bytes
from toposmith.command.edge import (
    Refused,
    say,
)
from toposmith.design.document import CablingChoice, Design
from toposmith.errors import EditError
from toposmith.foreign_values import NumberError, whole_number
from toposmith.plain_text import shown
from toposmith.synthesis.needs import read_floor, read_needs
from toposmith.text import bare_word

if TYPE_CHECKING:
    from toposmith.bill.bill_reader import ReadBill
    from toposmith.catalog import Catalog


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
    """The keys of a table of records, and more, looked up when the option or its help is read."""

    def __init__(self, records: Mapping[str, object], *more: str) -> None:
        self._records, self._more = records, more
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """The keys, in their order."""
        return (*self._records, *self._more)

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


def giving(
    options: Sequence[Callable[[Decorated], Decorated]], name: str = "", record: Any = None
) -> Callable[[Decorated], Decorated]:
    """Give a command several options.

    Parameters
    ----------
    options : sequence of callable
        The options, in the order in which ``--help`` has them.
    name : str, optional
        What the command calls the record of them.
    record : type, optional
        A dataclass with their names: the command gets one in place of its options.
    """

    def give(command: Any) -> Any:
        def gathered(*args: Any, **others: Any) -> Any:
            own = {one.name: others.pop(one.name) for one in fields(record) if one.name in others}
            return command(*args, **{name: record(**own)}, **others)

        made = command if record is None else wraps(command)(gathered)
        return reduce(lambda made, option: option(made), reversed(options), made)

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


AskedFloor = tuple[dict[Collective, float], int]
"""What holds all the time: busbw of a GPU by collective, GB/s, and GPUs that are cabled."""

NO_FLOOR: AskedFloor = ({}, 0)


def _floor(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> AskedFloor:
    try:
        return read_floor(texts)
    except EditError as wrong:
        raise click.BadParameter(str(wrong)) from None


floor_option = click.option(
    "--floor",
    metavar="NAME=AMOUNT",
    multiple=True,
    callback=_floor,
    help="Busbw of a GPU, all_to_all=40, or GPUs, gpus=480, at all times; may be repeated.",
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

routing_options = giving(_ROUTING)
"""Gives a command the options of routing."""

measuring_options = giving(_MEASURING)
"""Gives a command those of :class:`Asked` without the collective, which it defines itself."""

request_options = giving((_COLLECTIVE, *_MEASURING))
"""Gives a command the options of :class:`Asked`."""


# The terms of an order: prices, cabling and spares, as options of several commands.

_LONGEST_M = 100_000


@dataclass(frozen=True)
class Ordered:
    """The options of one run; those not given come from the design, or from an old bill."""

    lists: tuple[str, ...]
    currency: str | None
    cabling: CablingChoice | None = None
    spares: tuple[str, ...] = ()
    stock: tuple[float, ...] = ()

    def terms(self, design: Design, known: Catalog, read: ReadBill | None = None) -> Terms:
        """The terms for a design; notes of price lists are reported.

        Raises
        ------
        click.BadParameter
            When a currency is given without prices.
        """
        require_readable(self.lists)
        currency = self.currency
        if currency is None and read is not None and not (design.bill and design.bill.currency):
            currency = read.data.get("policy", {}).get("currency")
        prices = bill_prices(design, known, self.lists, currency=currency)
        if prices is None and self.currency is not None:
            raise click.BadParameter(
                "there are no prices that it could be of; name a list with --prices",
                param_hint="--currency",
            )
        for note in prices.notes if prices else ():
            say(note)
        return Terms(prices, self._policy(design, read), self._spares(design, read))

    def terms_as_read(self, design: Design, known: Catalog) -> Terms:
        """The same for a command without findings: faults of price lists are reported, too."""
        found = self.terms(design, known)
        for fault in found.prices.faults if found.prices else ():
            say(fault)
        return found

    def _policy(self, design: Design, read: ReadBill | None) -> CablingPolicy | None:
        asked, stock, block = self.cabling, self.stock, design.bill
        if read is not None:
            policy = read.data.get("policy", {})
            if asked is None and not (block and block.cabling):
                asked = policy.get("cabling")
            if not stock and not (block and block.stock_lengths_m):
                stock = tuple(policy.get("stock_lengths_m") or ())
        if not asked and not stock:
            return None
        own = policy_of(design)
        return CablingPolicy(asked or own.cabling, stock or own.stock_lengths_m)

    def _spares(self, design: Design, read: ReadBill | None) -> SparePolicy | None:
        if self.spares:
            return read_spares(self.spares)
        if read is not None and not spares_of(design).rates:
            return SparePolicy(read.data.get("policy", {}).get("spares", {}))
        return None


def require_readable(lists: tuple[str, ...]) -> None:
    """Refuse price lists that cannot be opened, rather than leave their prices out.

    Raises
    ------
    Refused
        When one is missing, unreadable or no ordinary file.
    """
    for name in lists:
        if name != INDICATIVE:
            read_bytes(name, "a list of prices")


def _currency(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in CURRENCIES:
        raise click.BadParameter(
            f"{value!r} is not a currency; three capitals of ISO 4217, as in USD"
        )
    return value


def _stock(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...]:
    words = [] if value is None else value.split(",")
    lengths = []
    for word in words:
        try:
            metres = float(word)
        except ValueError:
            metres = 0.0
        if not 0 < metres <= _LONGEST_M:
            raise click.BadParameter(
                f"{word.strip()!r} is no length; metres, above 0 and to {_LONGEST_M:,}, "
                "as in 5,10,30"
            )
        lengths.append(metres)
    return tuple(lengths)


_ORDERING = (
    click.option(
        "--cabling",
        type=click.Choice(get_args(CablingChoice)),
        help="What cables may be made of; without it as the design says, else "
        f"{CablingPolicy().cabling}.",
    ),
    click.option(
        "--stock",
        metavar="M,M,...",
        callback=_stock,
        help="Lengths in metres that cables and fibres are ordered in where they are sold so.",
    ),
    click.option(
        "--spares",
        metavar="KIND=N",
        multiple=True,
        help="Spares of each line, such as cables=2% or nodes=1; may be repeated.",
    ),
    click.option(
        "--prices",
        "lists",
        metavar="FILE",
        multiple=True,
        help="A list of prices or exchange rates, CSV, XLSX or YAML, or `indicative`; may be "
        "repeated, later ones win.",
    ),
    click.option(
        "--currency",
        metavar="CODE",
        callback=_currency,
        help="Only prices in this currency, such as USD.",
    ),
)

ordering_options = giving(_ORDERING, "ordered", Ordered)
"""Gives a command the options of an order."""

price_options = giving(_ORDERING[-2:], "ordered", Ordered)
"""Gives a command price lists and their currency."""
