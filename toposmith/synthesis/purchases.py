"""What a change of a design buys and gives back: parts, money, power and racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from toposmith.amount import Amount
from toposmith.bill.bill import Bill
from toposmith.bill.totals import PriceTotal
from toposmith.evaluation import EvaluatedDesign
from toposmith.labels import Labelled
from toposmith.review.differences.consequences import PartChange, part_changes
from toposmith.text import counted, joined, money, power


@dataclass(frozen=True)
class Outlay:
    """What is paid: a price where a list has any, else counts of parts and their power.

    Parameters
    ----------
    counts : tuple of float
        Parts by kind, in the order of their weight.
    power_w : Amount
        Power, W.
    price : PriceTotal
        Price of all parts.
    """

    counts: tuple[float, ...]
    power_w: Amount
    price: PriceTotal = field(default_factory=PriceTotal)

    def no_more_than(self, other: Outlay) -> bool:
        """Whether it is certainly no more than another cost, whatever is unknown of them.

        Once any part has a price, prices alone decide: fewer parts may cost more.
        """
        if self.price.known or other.price.known:
            return self.price.no_more_than(other.price)
        fewer = all(x <= y for x, y in zip(self.counts, other.counts, strict=True))
        return fewer and self.power_w.no_more_than(other.power_w)

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: complete prices first, then counts, then known power."""
        only = self.price.only
        price = (0.0, float(only[0])) if only else (1.0, 0.0)
        return (*price, *self.counts, *self.power_w.order)


def no_less(one: Labelled, other: Labelled, share: float = 1.0, of_other: float = 1.0) -> bool:
    """Whether a figure is certainly at least another one.

    Unknown figures are not compared, and one that is at most or at least so much only with its
    like. ``share`` and ``of_other`` are what is kept of the figures.
    """
    if one.value is None or other.value is None:
        return False
    if one.label.kind != other.label.kind and (one.label.sign or other.label.sign):
        return False
    return one.value * share >= other.value * of_other * (1 - 1e-9)


COUNTED = ("node", "switch", "nic", "cable", "transceiver", "fibre")
"""Kinds of parts that are named first."""

WEIGHED = (("rack-system", "node"), ("switch",), ("nic",), ("cable", "fibre"), ("transceiver",))
"""Kinds of parts that are compared where prices are unknown, in the order of their weight; a fibre
is the cable between its modules."""

DEVICES = ("rack-system", "node", "switch", "nic")
"""What is not lightly given back."""

_NAMES = {
    "nic": "NIC",
    "storage": "storage appliance",
    "transceiver": "module",
    "fibre": "fibre",
    "module": "switch module",
    "pdu": "PDU",
    "rack-system": "whole rack",
}


@dataclass(frozen=True)
class Purchase:
    """What one design needs beyond another, and what it needs no more.

    Parameters
    ----------
    parts : tuple of PartChange
        Parts to buy, and (negative) to give back.
    kinds : dict of str to str
        The kind of each part.
    spent : dict of str to Decimal
        Price of what is bought, by currency; what is given back is not subtracted.
    saved : dict of str to Decimal
        Price of what is given back, by currency.
    unpriced : tuple of str
        Parts bought or given back that no list has a price of.
    before_w, after_w : Amount
        Power of everything before the change and after it.
    racks : int or None
        Racks more; None where there are too many devices to place them.
    known : bool
        Whether it was computed; else nothing is said of parts.
    """

    parts: tuple[PartChange, ...]
    kinds: dict[str, str]
    spent: dict[str, Decimal]
    saved: dict[str, Decimal]
    unpriced: tuple[str, ...] = ()
    before_w: Amount = field(default_factory=Amount)
    after_w: Amount = field(default_factory=Amount)
    racks: int | None = None
    known: bool = True

    def bought(self, kind: str) -> int:
        """Parts of a kind to buy."""
        return sum(p.buy for p in self.parts if self.kinds[p.part] == kind and p.buy > 0)

    def returned(self, kind: str) -> int:
        """Parts of a kind that are needed no more."""
        return -sum(p.buy for p in self.parts if self.kinds[p.part] == kind and p.buy < 0)

    @property
    def counts(self) -> tuple[int, ...]:
        """Parts to buy, of each of the kinds that are compared."""
        return tuple(sum(map(self.bought, kinds)) for kinds in WEIGHED)

    @property
    def given_back(self) -> tuple[int, ...]:
        """Nodes, switches and NICs that are needed no more."""
        return tuple(map(self.returned, DEVICES))

    @property
    def power_w(self) -> float | None:
        """Power more (less is negative); None where that of a changed part is unknown."""
        return self.after_w.beyond(self.before_w)

    @property
    def cost(self) -> Outlay:
        """What is bought; of power that of everything after the change.

        Nodes weigh before switches, these before NICs, cables and fibres, and modules, then what is
        given back, then power.
        """
        unknown = {
            (part.part, part.length_m): float(part.buy)
            for part in self.parts
            if part.part in self.unpriced and part.buy > 0
        }
        price = PriceTotal(self.spent, unknown)
        return Outlay((*self.counts, *self.given_back), self.after_w, price)

    @property
    def price(self) -> tuple[Decimal, str] | None:
        """What is bought costs; None unless all of it has a price in one currency."""
        return self.cost.price.only


NOT_WORKED_OUT = Purchase((), {}, {}, {}, known=False)


def purchase(old: EvaluatedDesign, new: EvaluatedDesign) -> Purchase:
    """What the later of two designs needs that the earlier one has not, and the reverse."""
    parts = tuple(part_changes(old.bill, new.bill))
    lines = [*old.bill.lines, *new.bill.lines]
    prices = {(line.part, line.length_m): line.price for line in lines if line.price}
    spent, saved = Counter[str](), Counter[str]()
    for part in parts:
        price = prices.get((part.part, part.length_m))
        if price is not None:
            into = spent if part.buy > 0 else saved
            into[price.currency] += abs(part.buy) * price.amount  # type: ignore[assignment]
    return Purchase(
        parts,
        {line.part: line.kind for line in lines},
        {key: Decimal(amount) for key, amount in spent.items()},
        {key: Decimal(amount) for key, amount in saved.items()},
        tuple(dict.fromkeys(p.part for p in parts if (p.part, p.length_m) not in prices)),
        old.bill.power_w,
        new.bill.power_w,
        _racks(old.bill, new.bill),
    )


def _racks(old: Bill, new: Bill) -> int | None:
    if old.racks is None or new.racks is None or old.racks.unplaced or new.racks.unplaced:
        return None
    return new.racks.count - old.racks.count


def purchase_words(of: Purchase) -> str:
    """``buy 4 switches, 64 cables; give back 8 NICs; 4.0 kW more; price unknown``."""
    if not of.known:
        return "what it buys was not worked out"
    words = []
    bought = [_many(of.bought(kind), kind) for kind in _kinds(of) if of.bought(kind)]
    returned = [_many(of.returned(kind), kind) for kind in _kinds(of) if of.returned(kind)]
    if bought:
        words.append(f"buy {joined(bought)}")
    if returned:
        words.append(f"give back {joined(returned)}")
    if not words:
        return "nothing to buy"
    words.append(_power_words(of.power_w))
    if of.racks:
        more = "more" if of.racks > 0 else "fewer"
        words.append(f"{abs(of.racks)} {more} {'rack' if abs(of.racks) == 1 else 'racks'}")
    words.append(price_words(of))
    return "; ".join(word for word in words if word)


def price_words(of: Purchase) -> str:
    """What is bought costs and what is given back cost; at least, where a part has no price."""
    if not of.unpriced:
        return _sums(of)
    many = counted(len(of.unpriced), "part")
    return f"{_sums(of) or 'price unknown'} ({many} without a price)"


def _sums(of: Purchase) -> str:
    """What the priced parts cost and save, each said to be at least where others have no price.

    Nothing is said to be saved where nobody knows what it costs.
    """
    if not of.spent and not of.saved:
        return ""
    words = []
    for verb, sums, sign in (("costs", of.spent, 1), ("saves", of.saved, -1)):
        lacking = any(part.part in of.unpriced and part.buy * sign > 0 for part in of.parts)
        amounts = joined(money(amount, currency) for currency, amount in sums.items())
        if amounts:
            words.append(f"{verb} {'at least ' if lacking else ''}{amounts}")
        elif lacking:
            words.append(f"{verb} unknown")
            break
    return ", ".join(words)


def _power_words(power_w: float | None) -> str:
    if power_w is None:
        return "power unknown"
    if not round(power_w):
        return ""
    return f"{power(abs(power_w))} {'more' if power_w > 0 else 'less'}"


def _kinds(of: Purchase) -> Iterator[str]:
    yield from COUNTED
    yield from (kind for kind in dict.fromkeys(of.kinds.values()) if kind not in COUNTED)


def _many(many: int, kind: str) -> str:
    noun = _NAMES.get(kind, kind)
    return counted(many, noun)


def purchase_as_data(of: Purchase) -> dict[str, Any]:
    """A purchase under stable keys."""
    if not of.known:
        return dict.fromkeys(_KEYS)
    return {
        "buy": _parts_as_data(part for part in of.parts if part.buy > 0),
        "give_back": _parts_as_data(part for part in of.parts if part.buy < 0),
        "price_of_bought": {key: float(value) for key, value in of.spent.items()},
        "price_of_given_back": {key: float(value) for key, value in of.saved.items()},
        "parts_without_price": list(of.unpriced),
        "power_more_w": None if of.power_w is None else round(of.power_w, 1),
        "racks_more": of.racks,
    }


_KEYS = (
    *("buy", "give_back", "price_of_bought", "price_of_given_back", "parts_without_price"),
    *("power_more_w", "racks_more"),
)


def _parts_as_data(parts: Iterable[PartChange]) -> list[dict[str, Any]]:
    return [
        {"part": part.part, "length_m": part.length_m, "quantity": abs(part.buy)} for part in parts
    ]
