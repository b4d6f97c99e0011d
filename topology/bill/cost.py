"""What bandwidth costs: the price of a design over what it delivers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from topology.bill.totals import PriceTotal


@dataclass(frozen=True)
class CostPerBandwidth:
    """Price over delivered bandwidth, in a currency for each GB/s (10^9 bytes/s)."""

    amount: float
    currency: str


def cost_per_GBps(price: PriceTotal, busbw_GBps: float, gpus: int) -> CostPerBandwidth | None:
    """What each GB/s of a collective costs.

    Defined as the price of everything on the bill, without spares, over the bus bandwidth that all
    GPUs get together: price / (busbw x GPUs).

    Parameters
    ----------
    price : PriceTotal
        Of the bill.
    busbw_GBps : float
        Bus bandwidth of each GPU, GB/s, such as ``Analysis.busbw_GBps`` of an all-reduce.
    gpus : int
        GPUs that take part.

    Returns
    -------
    CostPerBandwidth or None
        None where a line has no price, prices are in several currencies, or nothing is delivered.
    """
    if price.only is None or busbw_GBps <= 0 or gpus <= 0:
        return None
    amount, currency = price.only
    return CostPerBandwidth(float(amount / (Decimal(repr(busbw_GBps)) * gpus)), currency)
