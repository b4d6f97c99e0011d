"""Choice of the parts of a link: long enough, allowed by the policy, the cheapest.

Where a price list has a price for all that could be taken, the price decides. Where it has not,
parts that both ends are known to take come first, then those that are to be coded for one of them,
then those of other platforms. Among these what is cheaper by its kind comes first: passive copper,
active copper, active optical cables, transceivers with fibres, copper with retimers (AEC), and of
several of one kind the one that reaches just far enough. Discontinued parts come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile
from math import ceil

from toposmith.bill.link_cages import LinkCage
from toposmith.bill.recipes import Recipe, SocketEnd, fitting_recipes, socket_ends
from toposmith.bill.terms import COPPER, CablingPolicy, policy_of
from toposmith.catalog import Cable, Catalog, Fibre
from toposmith.catalog.part_numbers import has_numbers
from toposmith.catalog.part_text import PROTOCOL_NAMES, cage_name
from toposmith.catalog.prices import PriceList
from toposmith.design.document import WantedParts
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, found
from toposmith.racks.lengths import CableRun

__all__ = ["LENGTH_NOT_GIVEN", "Chooser", "Recipe"]

LENGTH_NOT_GIVEN = "length not given"

TRUNK_LENGTHS_M = (
    *(5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 500.0),
    *(750.0, 1000.0, 1500.0, 2000.0, 3000.0, 5000.0, 10_000.0),
)
"""Lengths in which what is made to measure is ordered where its way is one along racks, m: few, so
that one spare serves many; a design that stocks others says which."""

_MEDIA = ("twisted pair", "dac", "acc", "aoc")

_Rank = tuple[object, ...]


@dataclass(frozen=True)
class _Length:
    """A link's length in metres; one measured along racks is ordered in whole metres."""

    metres: float
    measured: bool


class Chooser:
    """Chooses the parts of links from the catalog; what fits a link is looked up once.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where cables, transceivers and fibres are looked up.
    policy : CablingPolicy, optional
        What may be taken; without it as the design's ``bill:`` block says.
    prices : PriceList, optional
        Decides where it has all relevant prices in one currency.
    runs : iterable of CableRun
        Lengths along the racks: where all cables of a link are of one medium, the longest decides.
    """

    def __init__(
        self,
        plan: Plan,
        catalog: Catalog,
        policy: CablingPolicy | None = None,
        prices: PriceList | None = None,
        runs: Iterable[CableRun] = (),
    ) -> None:
        self.plan = plan
        self.catalog = catalog
        self.policy = policy or policy_of(plan.design)
        self.prices = prices or PriceList()
        self._fitting: dict[tuple[int, bool], list[Recipe]] = {}
        self._longest: dict[int, CableRun] = {}
        if self.policy.cabling == "one-medium":
            for run in sorted(runs, key=lambda run: run.length_m):
                self._longest[run.link] = run
        self._media: dict[int, str | None] = {}

    def parts(
        self, link: LinkPlan, length_m: float | None = None, within_rack: bool | None = None
    ) -> tuple[Recipe | None, list[Finding]]:
        """The parts of a sound link, or of a run of it.

        Parameters
        ----------
        link : LinkPlan
            The link.
        length_m : float, optional
            Metres along the racks. The link's own ``length:`` in the document wins; without either
            the length is not known, and copper is not taken.
        within_rack : bool, optional
            Whether both ends share a rack; None where that is not known.

        Returns
        -------
        (Recipe or None, list of Finding)
            None where the catalog cannot build it; the finding says why.
        """
        length = self._length(link, length_m)
        fitting = self._recipes(link, any_sink=False)
        reaching = [recipe for recipe in fitting if _reaches(recipe, length)]
        # what a link asks for comes before the policy of all links
        allowed = [
            recipe
            for recipe in reaching
            if link.wants.words or self.policy.allows(recipe, within_rack)
        ]
        if allowed:
            medium = self._medium(link)
            of_medium = [recipe for recipe in allowed if _medium_of(recipe) == medium]
            return self._cheapest(link, of_medium or allowed, length), []
        if reaching:
            return None, [_no_cable(link, _not_allowed(self.policy, within_rack))]
        if fitting:
            return None, [self.too_far(link, [] if length is None else [length.metres])]
        others = [r for r in self._recipes(link, any_sink=True) if _reaches(r, length)]
        if others:
            best = self._cheapest(link, others, length)
            return best, [_wrong_sink(link, self._ends(link), best)]
        return None, [_no_cable(link, self._unbuildable(link))]

    def _medium(self, link: LinkPlan) -> str | None:
        """The medium of all cables of a link; None where each is chosen separately."""
        longest = self._longest.get(link.index)
        if longest is None or link.length_m is not None:
            return None
        if link.index not in self._media:
            length = _Length(longest.length_m, measured=True)
            fitting = self._recipes(link, any_sink=False)
            reaching = [recipe for recipe in fitting if _reaches(recipe, length)]
            best = self._cheapest(link, reaching, length) if reaching else None
            self._media[link.index] = None if best is None else _medium_of(best)
        return self._media[link.index]

    def reaches(self, link: LinkPlan, length_m: float | None) -> bool:
        """Whether any part that joins the ends of the link is long enough, or none joins them."""
        length = self._length(link, length_m)
        fitting = self._recipes(link, any_sink=False)
        return not fitting or any(_reaches(recipe, length) for recipe in fitting)

    def too_far(self, link: LinkPlan, lengths_m: Sequence[float]) -> Finding:
        """The finding that no part covers these lengths; empty where lengths are unknown."""
        return _no_cable(link, _too_far(self._recipes(link, any_sink=False), lengths_m))

    def _recipes(self, link: LinkPlan, *, any_sink: bool) -> list[Recipe]:
        key = (link.index, any_sink)
        if key not in self._fitting:
            found = fitting_recipes(self.plan, link, self.catalog, any_sink=any_sink)
            self._fitting[key] = sorted(_as_asked(found, link.wants), key=_rank)
        return self._fitting[key]

    def _ends(self, link: LinkPlan) -> tuple[SocketEnd, SocketEnd]:
        return socket_ends(self.plan, link)

    def _length(self, link: LinkPlan, length_m: float | None) -> _Length | None:
        own = link.length_m
        if own is not None:
            return _Length(own, measured=False)
        return None if length_m is None else _Length(length_m, measured=True)

    def _cut(self, recipe: Recipe, length: _Length | None) -> Recipe:
        """The recipe in the length to order: one in stock, else the shortest on sale."""
        if length is None:
            return recipe
        sold = recipe.body.lengths_m
        to_measure = isinstance(recipe.body, Fibre) and not sold and length.measured
        usual = TRUNK_LENGTHS_M if to_measure else ()
        stocked = (
            each
            for each in self.policy.stock_lengths_m or usual
            if length.metres <= each <= recipe.reach_m and (not sold or each in sold)
        )
        metres = min(stocked, default=None) or _ordered_length(recipe, length)
        return replace(recipe, length_m=metres)

    def _cheapest(self, link: LinkPlan, recipes: list[Recipe], length: _Length | None) -> Recipe:
        """The cheapest where all have a price in one currency, else the first by rank, as given.

        Of recipes that differ only by maker, the one with the least excess length.
        """
        best = _rank(recipes[0])[:-2]
        alike = takewhile(lambda recipe: _rank(recipe)[:-2] == best, recipes)
        cut = [self._cut(recipe, length) for recipe in alike]
        first = min(cut, key=lambda recipe: recipe.length_m or 0.0)
        ports = {end.end.group: end.socket.ports for end in self._ends(link)}
        amounts, currencies = [], set[str]()
        for recipe in recipes:
            cost = _cost(self._cut(recipe, length), ports, self.prices)
            if cost is None:
                return first
            amounts.append(cost[0])
            currencies.add(cost[1])
        if len(currencies) > 1:
            return first
        return self._cut(recipes[amounts.index(min(amounts))], length)

    def _unbuildable(self, link: LinkPlan) -> dict[str, Fact]:
        """Why nothing joins its ends: what it asks for is not there, or does not fit."""
        joined = self._joined(link)
        if not link.wants.words:
            return {"joined": joined}
        ids = (link.wants.cable, *link.wants.modules)
        unknown = tuple(each for each in ids if each and each not in self.catalog)
        return {"joined": joined, "asked": link.wants.words, "not_in_catalog": unknown}

    def _joined(self, link: LinkPlan) -> str:
        words = [f"{_cage_words(end.socket)} ({end.end.label})" for end in self._ends(link)]
        protocol = PROTOCOL_NAMES[link.protocol]
        return f"{words[0]} to {words[1]} at {link.speed_gbit} Gb/s, {protocol}"


def _cost(recipe: Recipe, ports: dict[str, int], prices: PriceList) -> tuple[Decimal, str] | None:
    """The price of one connection, with its share of cables and modules; None where unknown.

    A module fills a cage, so that all ports behind the cage share it.
    """
    shares = [(recipe.body.id, recipe.length_m, recipe.bodies, recipe.carried)]
    shares += [(module.id, None, 1, ports[group]) for group, module in recipe.modules]
    total, currencies = Decimal(0), set()
    for part, length_m, pieces, connections in shares:
        price = prices.price(part, length_m)
        if price is None:
            return None
        total += price.amount * pieces / connections
        currencies.add(price.currency)
    return (total, currencies.pop()) if len(currencies) == 1 else None


def _as_asked(recipes: Iterable[Recipe], wants: WantedParts) -> list[Recipe]:
    """Those with the cable, the modules and the medium that a link asks for.

    A module that it asks for is at both ends where it fits both.
    """
    if not wants.words:
        return list(recipes)
    found: dict[int, list[Recipe]] = {0: []}
    for recipe in recipes:
        modules = [module.id for _, module in recipe.modules]
        asked = {*modules} >= {*wants.modules} and wants.medium in (None, _medium_of(recipe))
        if asked and wants.cable in (None, recipe.body.id):
            found.setdefault(sum(one in wants.modules for one in modules), []).append(recipe)
    return found[max(found)]


def _medium_of(recipe: Recipe) -> str:
    """Copper of any kind, active optical cables, or a kind of fibre."""
    body = recipe.body
    if isinstance(body, Cable):
        return "copper" if body.medium in COPPER else body.medium
    return body.fibre


def _reaches(recipe: Recipe, length: _Length | None) -> bool:
    if length is None:
        return not (isinstance(recipe.body, Cable) and recipe.body.medium in COPPER)
    return length.metres <= recipe.reach_m and _ordered_length(recipe, length) is not None


def _ordered_length(recipe: Recipe, length: _Length) -> float | None:
    """The shortest length on sale that is long enough; where none is listed, the length itself."""
    if not recipe.body.lengths_m:
        return float(ceil(length.metres)) if length.measured else length.metres
    return min((sold for sold in recipe.body.lengths_m if sold >= length.metres), default=None)


def _rank(recipe: Recipe) -> _Rank:
    body = recipe.body
    medium = len(_MEDIA)  # a fibre
    if isinstance(body, Cable):
        medium = len(_MEDIA) + 1 if body.medium == "aec" else _MEDIA.index(body.medium)
    return (
        # Discontinued parts come last: they cannot be ordered.
        any(part.end_of_sale for part in (body, *(module for _, module in recipe.modules))),
        # Of no maker yet before that of another platform's maker, both behind what is known.
        (recipe.not_listed, bool(recipe.doubts)),
        medium,
        len(recipe.doubts),
        0 if recipe.split_at is None else 1,
        recipe.reach_m,
        # Of parts alike the one that has an order number.
        not has_numbers(body),
        sum(module.reach_m for _, module in recipe.modules),
        sum(module.speed_gbit for _, module in recipe.modules),
        body.id,
        tuple(module.id for _, module in recipe.modules),
    )


def _no_cable(link: LinkPlan, why: Mapping[str, Fact]) -> Finding:
    # where nothing says how long it is, or where its ends stand, another length may be built
    open_still = why.get("racks") == "unknown" or why.get("shortest_m", "") is None
    return found("no-cable", link.place, "warning" if open_still else None, **why)


def _not_allowed(policy: CablingPolicy, within_rack: bool | None) -> dict[str, Fact]:
    racks = {True: "within", False: "between", None: "unknown"}[within_rack]
    return {"policy": policy.cabling, "racks": racks}


def _too_far(fitting: list[Recipe], lengths_m: Sequence[float]) -> dict[str, Fact]:
    return {
        "reach_m": max(_longest(recipe) for recipe in fitting),
        "shortest_m": min(lengths_m, default=None),
        "longest_m": max(lengths_m, default=None),
    }


def _longest(recipe: Recipe) -> float:
    return min(recipe.reach_m, max(recipe.body.lengths_m, default=recipe.reach_m))


def _wrong_sink(link: LinkPlan, ends: Iterable[SocketEnd], recipe: Recipe) -> Finding:
    wrong = [
        (module, end)
        for end in ends
        if (module := recipe.module_at(end.end.group)) is not None
        and not end.socket.takes_heat_sink(module.heat_sink)
    ]
    return found(
        "heat-sink",
        link.place,
        modules=tuple(module.id for module, _ in wrong),
        ends=tuple(end.end.label for _, end in wrong),
        heat_sinks=tuple(str(module.heat_sink) for module, _ in wrong),
        cage_heat_sinks=tuple(str(end.socket.heat_sink) for _, end in wrong),
    )


def _cage_words(socket: LinkCage) -> str:
    sink = f", {socket.heat_sink}" if socket.heat_sink else ""
    many = f" of {socket.ports} ports" if socket.ports > 1 else ""
    if socket.cage == "virtual":
        return f"a provider's own port{many}"
    if socket.cage == "unknown":
        return f"a cage of unknown kind{many}{sink}"
    article = "an" if socket.cage == "osfp" else "a"
    return f"{article} {cage_name(socket.cage)} cage{many}{sink}"
