"""Static equal-cost multipath as balls into bins: how full the fullest of equal links gets.

A switch that hashes every flow on its own to one of its uplinks throws balls into bins. What a
single flow gets on average and what a synchronised collective gets are two figures: the collective
waits for the fullest link. Cutting a flow into queue pairs with hashes of their own evens the links
out (Gangidi et al., "RDMA over Ethernet for Distributed AI Training at Meta Scale", SIGCOMM 2024).
"""

from __future__ import annotations

import cmath
import math
from functools import lru_cache

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
    """
    _check(flows, links)
    if parts < 1:
        raise ValueError(f"a flow has at least one part, not {parts}")
    if links == 1 or flows == 0:
        return float(flows)
    return _fullest(flows * parts, links) / parts


def mean_goodput(flows: int, links: int) -> float:
    """Mean share of its rate that a flow gets where those on one link share it fairly.

    Each link carries one flow at full rate, and ``m (1 - (1 - 1/m)^n)`` of m links are expected to
    carry anything. For n = m large this is 1 - 1/e = 63.2 %, the "60 % of plain ECMP" that is often
    quoted; a collective gets less, see :func:`expected_fullest`. Without flows it is 1.
    """
    _check(flows, links)
    if flows == 0:
        return 1.0
    if links == 1:
        return 1 / flows
    return -math.expm1(flows * math.log1p(-1 / links)) * links / flows


def probability_all_apart(flows: int, links: int) -> float:
    """Chance that no two flows meet on a link: m! / (m - n)! / m^n."""
    _check(flows, links)
    if flows > links:
        return 0.0
    return math.prod(1 - taken / links for taken in range(flows))


@lru_cache(maxsize=4096)
def _fullest(balls: int, links: int) -> float:
    if balls <= EXACT_UP_TO:
        return _fullest_exactly(balls, links)
    return _fullest_of_independent(balls, links)


def _fullest_exactly(balls: int, links: int) -> float:
    """Expected balls in the fullest bin, by the coefficient of the generating function.

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
    fullest = float(at_least)
    for most, chance in enumerate(chances, start=first):
        sums = [value + chance * power for value, power in zip(sums, powers, strict=True)]
        powers = [power * z for power, z in zip(powers, circle, strict=True)]
        if most < at_least:
            continue
        terms = ((value**links * z).real for value, z in zip(sums, at_balls, strict=True))
        beyond = 1 - scale * sum(terms)
        fullest += beyond
        if beyond < 10 * _NEGLIGIBLE:
            break
    return fullest


def _fullest_of_independent(balls: int, links: int) -> float:
    """Expected largest of as many independent Poisson loads as there are links."""
    first, chances = _poisson(balls / links, links)
    fullest, up_to = float(first), 0.0
    for chance in chances:
        up_to += chance
        fullest += 1 - min(up_to, 1.0) ** links
    return fullest


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
        raise ValueError(f"{flows} flows over {links} links")
