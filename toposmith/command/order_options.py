"""The terms of an order: prices, cabling and spares, as options of several commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

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
from toposmith.command.design_input import read_bytes
from toposmith.command.edge import say
from toposmith.design.document import CablingChoice

if TYPE_CHECKING:
    from toposmith.bill.bill_reader import ReadBill
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_LONGEST_M = 100_000


@dataclass(frozen=True)
class Ordered:
    """The options of one run; those not given come from the design, or from an old bill."""

    cabling: CablingChoice | None
    spares: tuple[str, ...]
    lists: tuple[str, ...]
    currency: str | None
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


def ordering_options(command: Decorated) -> Decorated:
    """Give a command the options of an order; it gets them as ``ordered``."""
    return _with(_OPTIONS, command)


def price_options(command: Decorated) -> Decorated:
    """Give a command price lists and their currency, as ``ordered``."""
    return _with(_OPTIONS[-2:], command)


def _with(options: Sequence[Callable[[Decorated], Decorated]], command: Decorated) -> Decorated:
    @wraps(command)
    def with_terms(
        *args: Any,
        lists: tuple[str, ...],
        currency: str | None,
        cabling: CablingChoice | None = None,
        spares: tuple[str, ...] = (),
        stock: tuple[float, ...] = (),
        **others: Any,
    ) -> Any:
        return command(*args, ordered=Ordered(cabling, spares, lists, currency, stock), **others)

    for option in reversed(options):
        with_terms = option(with_terms)
    return with_terms  # type: ignore[return-value]


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


_OPTIONS = (
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
