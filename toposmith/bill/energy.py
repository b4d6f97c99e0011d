"""Energy of a bill's devices in a year, with building overhead (PUE), and its cost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from toposmith.bill.totals import Total
from toposmith.catalog.currencies import CURRENCIES
from toposmith.errors import ToposmithError
from toposmith.text import money, plain_number

HOURS_OF_A_YEAR = 8760
LEAST_PUE, MOST_PUE = 1, 10
"""Valid range of PUE: at least 1 by definition; above 10 it is a typing error."""

_KWH_PRICE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([A-Z]{3})")
_PUE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?")


class EnergyError(ToposmithError):
    """Invalid terms of an energy calculation; says what is accepted."""


@dataclass(frozen=True)
class EnergyTerms:
    """The terms of a yearly energy calculation.

    Parameters
    ----------
    pue : float
        Power of the building over that of its devices (power usage effectiveness, ISO/IEC 30134-2),
        1 or more.
    kwh_price : Decimal, optional
        Price of a kWh.
    currency : str, optional
        Currency of that price.
    """

    pue: float
    kwh_price: Decimal | None = None
    currency: str | None = None

    @property
    def stated(self) -> str:
        """The terms as typed: ``pue=1.3 kwh-price=0.12USD``."""
        pue = f"pue={self.pue:.15g}"
        return pue if self.kwh_price is None else f"{pue} kwh-price={self.kwh_price}{self.currency}"


@dataclass(frozen=True)
class Energy:
    """Energy of one year at the power of the bill, around the clock.

    That is an upper limit where all power is known; else the part that is known, which is
    no bound: parts draw less than their maximum, and others are missing.

    Parameters
    ----------
    power_w : Total
        Total power of the bill.
    terms : EnergyTerms
        PUE and the price of a kWh.
    """

    power_w: Total
    terms: EnergyTerms

    @property
    def yearly_kwh(self) -> float | None:
        """Energy in kWh: power x 8,760 h x PUE, of what is known; None where nothing is."""
        known = self.power_w.at_least
        if not known and not self.power_w.complete:
            return None
        return known * HOURS_OF_A_YEAR / 1000 * self.terms.pue

    @property
    def yearly_cost(self) -> Decimal | None:
        """Its cost, to the cent; None without a price of a kWh."""
        kwh = self.yearly_kwh
        if self.terms.kwh_price is None or kwh is None:
            return None
        cost = Decimal(repr(kwh)) * self.terms.kwh_price
        return cost.quantize(Decimal("0.01"), ROUND_HALF_UP)

    @property
    def words(self) -> str:
        """``at most 1,138,800 kWh a year at PUE 1.3, 136,656 USD at 0.12 USD for a kWh``."""
        price, currency, kwh = self.terms.kwh_price, self.terms.currency, self.yearly_kwh
        pue, state = plain_number(self.terms.pue), self.power_w.state("power")
        if kwh is None:
            return f"unknown at PUE {pue}; {state}"
        said = "at most " if self.power_w.complete else ""
        said += f"{plain_number(round(kwh))} kWh a year at PUE {pue}"
        cost = self.yearly_cost
        if cost is not None and currency is not None:
            said += f", {money(cost, currency)} at {price} {currency} for a kWh"
        if self.power_w.complete:
            return said
        return f"{said}, for the {plain_number(self.power_w.at_least)} W that are known; {state}"

    def data(self) -> dict[str, Any]:
        """As plain data, for a bill's file."""
        cost, price, kwh = self.yearly_cost, self.terms.kwh_price, self.yearly_kwh
        return {
            "pue": self.terms.pue,
            "yearly_kwh": None if kwh is None else round(kwh, 3),
            "kwh_price": None if price is None else float(price),
            "yearly_cost": None if cost is None else float(cost),
            "currency": self.terms.currency,
            "complete": self.power_w.complete,
            "text": self.words,
        }


def read_kwh_price(text: str) -> tuple[Decimal, str]:
    """Read the price of a kWh and its currency, ``0.12USD``.

    Raises
    ------
    EnergyError
        For any other text.
    """
    found = _KWH_PRICE.fullmatch(text)
    if found is None or found[2] not in CURRENCIES:
        raise EnergyError(
            f"{text!r} is no price of a kWh; write an amount and its currency, as in 0.12USD"
        )
    return Decimal(found[1]), found[2]


def read_energy(text: str) -> EnergyTerms | None:
    """Read ``pue=1.3 kwh-price=0.12USD``; None for an empty text.

    Raises
    ------
    EnergyError
        For an unknown word, a PUE that is missing or out of range, or an invalid price.
    """
    given: dict[str, str] = {}
    for word in filter(None, re.split(r"[;,]?\s+|;", text.strip())):
        key, _, value = word.partition("=")
        if key not in ("pue", "kwh-price") or key in given:
            raise EnergyError(f"found {word!r}, expected as in pue=1.3 kwh-price=0.12USD")
        given[key] = value
    if not given:
        return None
    pue = given.get("pue", "")
    if _PUE.fullmatch(pue) is None or not LEAST_PUE <= float(pue) <= MOST_PUE:
        raise EnergyError(f"pue: found {pue!r}, expected {LEAST_PUE} to {MOST_PUE}, as in pue=1.3")
    price = read_kwh_price(given["kwh-price"]) if "kwh-price" in given else (None, None)
    return EnergyTerms(float(pue), *price)
