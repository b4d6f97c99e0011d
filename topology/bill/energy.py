"""What the devices of a bill draw in a year, cooling of the building included, and its cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from toposmith.text import money, plain_number
from toposmith.topology.bill.totals import Total

HOURS_OF_A_YEAR = 8760


@dataclass(frozen=True)
class Energy:
    """Energy of one year at the powers of the bill, all day: the most that its known parts draw.

    Parameters
    ----------
    power_w : Total
        Of the bill.
    pue : float
        Power of the building over that of its devices (power usage effectiveness, ISO/IEC 30134-2),
        1 or more.
    kwh_price : Decimal, optional
        What a kWh costs.
    currency : str, optional
        Of that price.
    """

    power_w: Total
    pue: float
    kwh_price: Decimal | None = None
    currency: str | None = None

    @property
    def yearly_kwh(self) -> float:
        """Energy in kWh: power x 8,760 h x PUE, of the parts whose power is known."""
        return self.power_w.known * HOURS_OF_A_YEAR / 1000 * self.pue

    @property
    def yearly_cost(self) -> Decimal | None:
        """What it costs, to the cent; None without a price."""
        if self.kwh_price is None:
            return None
        cost = Decimal(repr(self.yearly_kwh)) * self.kwh_price
        return cost.quantize(Decimal("0.01"), ROUND_HALF_UP)

    @property
    def words(self) -> str:
        """``at most 1,138,800 kWh a year at PUE 1.3, 136,656 USD at 0.12 USD for a kWh``."""
        said = f"at most {plain_number(round(self.yearly_kwh))} kWh a year at PUE "
        said += plain_number(self.pue)
        cost = self.yearly_cost
        if cost is not None and self.currency is not None:
            said += f", {money(cost, self.currency)} at {self.kwh_price} {self.currency} for a kWh"
        if self.power_w.complete:
            return said
        return f"{said}, of the parts whose power is known; {self.power_w.state('power')}"

    def data(self) -> dict[str, Any]:
        """As plain data, for a bill's file."""
        cost = self.yearly_cost
        return {
            "pue": self.pue,
            "yearly_kwh": round(self.yearly_kwh, 3),
            "kwh_price": None if self.kwh_price is None else float(self.kwh_price),
            "yearly_cost": None if cost is None else float(cost),
            "currency": self.currency,
            "complete": self.power_w.complete,
            "text": self.words,
        }
