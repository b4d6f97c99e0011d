"""Static equal-cost multipath as balls into bins: how full the fullest of equal links gets.

A switch that hashes every flow on its own to one of its uplinks throws balls into bins. What a
single flow gets on average and what a synchronised collective gets are two figures: the collective
waits for the fullest link, of all switches, up and down. Cutting a flow into queue pairs with
hashes of their own evens the links out (Gangidi et al., "RDMA over Ethernet for Distributed AI
Training at Meta Scale", SIGCOMM 2024).
"""

from __future__ import annotations

import cmath
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from toposmith.text import counted

EXACT_UP_TO = 512
"""Balls up to which the fullest link is exact; beyond it, links are taken as independent."""

_NEGLIGIBLE = 1e-11
"""Chances below this are left out."""


def expected_fullest(flows: int, links: int, parts: int = 1) -> float:
    """Expected load of the fullest link, in units of one flow.

    A collective of equal flows that end together runs at the inverse of this: 1 / 3.08 for 16
    flows over 16 links that carry one each.

    With n balls in m bins, ``P(max <= k) = n! / m^n [x^n] (sum over i <= k of x^i / i!)^m``, the
    generating function of restricted occupancies (W. Feller, "An Introduction to Probability
    Theory and Its Applications", vol. 1, ch. II), and the expectation is the sum of
    ``1 - P(max <= k)`` over k >= 0. Up to ``EXACT_UP_TO`` balls it is computed from that; beyond,
    the loads of the links are taken as independent Poisson variables, which is within 0.05 %.

    Parameters
    ----------
    flows : int
        Flows that start together, all of the same rate.
    links : int
        Equal links, each chosen with the same chance.
    parts : int
        Sub-flows (queue pairs) that each flow is cut into, hashed independently.

    Raises
    ------
    ValueError
        If there are no parts, or flows or links are out of range.
    """
    _check(flows, links)
    if parts < 1:
        raise ValueError(f"a flow has at least one part, not {parts}")
    if links == 1 or flows == 0:
        return float(flows)
    return _fullest(flows * parts, links) / parts


@dataclass(frozen=True)
class Hashed:
    """Equal cables that the hashes of a switch fall on.

    Parameters
    ----------
    balls : int
        Flows times the parts that each is cut into.
    links : int
        The cables, each chosen with the same chance.
    one : float
        What one ball takes on one cable, in any unit of time.
    """

    balls: int
    links: int
    one: float


def expected_slowest(groups: Iterable[Hashed], floor: float) -> float:
    """Expected time until the fullest cable of all switches is done, and no less than ``floor``.

    Hashes of different switches fall independently, so that all cables are done by t with the
    chance ``product over groups of P(fullest <= t / one)``, and the expectation is ``floor`` plus
    the integral of what is missing from 1, from there on. It grows with the number of switches: 32
    flows on 32 cables wait for 3.5 of them at one switch, and for 5.7 where 64 switches do so.

    Parameters
    ----------
    groups : iterable of Hashed
        Every switch and direction by itself; equal ones may repeat.
    floor : float
        What the collective takes in any case, in the unit of ``one``.
    """
    # times at which one of the groups gets likelier to be done, with the change of log-chance;
    # a group that cannot be done yet counts among those that are impossible
    changes: list[tuple[float, float, int]] = []
    log_chance, impossible = 0.0, 0
    for group, copies in Counter(groups).items():
        first, chances = _chances(group.balls, group.links)
        now = math.floor(floor / group.one + _HAIR) - first
        before = chances[now] if 0 <= now < len(chances) else float(now >= 0)
        log_chance += copies * math.log(before) if before else 0.0
        impossible += not before
        for more, chance in enumerate(chances[max(now + 1, 0) :], start=max(now + 1, 0)):
            log_before = math.log(before) if before else 0.0
            change = copies * (math.log(chance) - log_before) if chance else 0.0
            at = (first + more) * group.one
            changes.append((at, change, int(bool(chance)) - int(bool(before))))
            before = chance
    slowest, at = floor, floor
    for then, change, possible in sorted(changes):
        slowest += (then - at) * (1 - (0.0 if impossible else math.exp(min(log_chance, 0.0))))
        at, log_chance, impossible = then, log_chance + change, impossible - possible
    return slowest


_HAIR = 1e-9


@lru_cache(maxsize=4096)
def _chances(balls: int, links: int) -> tuple[int, tuple[float, ...]]:
    """P(fullest <= k) from the first k that is at all likely, up to the first that is certain."""
    if links == 1 or balls == 0:
        return balls, (1.0,)
    if balls <= EXACT_UP_TO:
        return _chances_exactly(balls, links)
    return _chances_of_independent(balls, links)


def _fullest(balls: int, links: int) -> float:
    """Expected balls in the fullest bin."""
    first, chances = _chances(balls, links)
    return first + math.fsum(1 - chance for chance in chances)


def _chances_exactly(balls: int, links: int) -> tuple[int, tuple[float, ...]]:
    """By the coefficient of the generating function.

    The coefficient of x^n is taken by Cauchy's formula on the circle of radius n/m, where the
    terms x^i / i! are Poisson chances (times a constant): nothing there is larger than 1.
    """
    first, chances = _poisson(balls / links, links)
    # as many points as keep n apart from all other sums of m Poisson loads; odd, so that all but
    # the first come in conjugate pairs
    points = math.ceil(_reach(balls, -math.log(_NEGLIGIBLE))) | 1
    circle = [cmath.exp(2j * math.pi * i / points) for i in range(points // 2 + 1)]
    at_balls = [(2 if i else 1) * z**-balls for i, z in enumerate(circle)]
    chance_of_sum = math.exp(balls * math.log(balls) - balls - math.lgamma(balls + 1))
    scale = 1 / (points * chance_of_sum)
    powers = [z**first for z in circle]
    sums = [0j] * len(circle)
    at_least = -(-balls // links)
    within: list[float] = []
    for most, chance in enumerate(chances, start=first):
        sums = [value + chance * power for value, power in zip(sums, powers, strict=True)]
        powers = [power * z for power, z in zip(powers, circle, strict=True)]
        if most < at_least:
            continue
        terms = ((value**links * z).real for value, z in zip(sums, at_balls, strict=True))
        within.append(min(1.0, max(0.0, scale * sum(terms))))
        if 1 - within[-1] < 10 * _NEGLIGIBLE:
            break
    return max(at_least, first), (*within[:-1], 1.0)


def _chances_of_independent(balls: int, links: int) -> tuple[int, tuple[float, ...]]:
    """As if the loads of the links were independent Poisson variables."""
    first, chances = _poisson(balls / links, links)
    within, up_to = [], 0.0
    for chance in chances:
        up_to += chance
        within.append(min(up_to, 1.0) ** links)
    return first, (*within[:-1], 1.0)


def _poisson(mean: float, links: int) -> tuple[int, list[float]]:
    """Poisson chances of all loads that any of the links is likely to have, from the first on."""
    unlikely = math.log(links / _NEGLIGIBLE)
    first = max(0, math.floor(mean - math.sqrt(2 * unlikely * mean)))
    last = math.ceil(mean + _reach(mean, unlikely))
    mode = math.floor(mean)
    below = [1.0]
    for load in range(mode, first, -1):
        below.append(below[-1] * load / mean)
    chances = below[::-1]
    for load in range(mode + 1, last + 1):
        chances.append(chances[-1] * mean / load)
    total = math.fsum(chances)
    return first, [chance / total for chance in chances]


def _reach(mean: float, unlikely: float) -> float:
    """How far above its mean a Poisson load gets with a chance of exp(-unlikely) at most.

    Bernstein's form of Chernoff's bound: P(X >= mean + t) <= exp(-t^2 / (2 (mean + t/3))).
    """
    return unlikely / 3 + math.sqrt(unlikely**2 / 9 + 2 * unlikely * mean)


def _check(flows: int, links: int) -> None:
    if flows < 0 or links < 1:
        raise ValueError(f"{counted(flows, 'flow')} over {counted(links, 'link')}")
