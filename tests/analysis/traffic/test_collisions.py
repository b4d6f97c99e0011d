"""Hashing flows over equal links: the fullest one, the mean, and how queue pairs even them out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from operator import mul

import pytest

from toposmith.analysis.traffic.collisions import (
    EXACT_UP_TO,
    Hashed,
    expected_fullest,
    expected_slowest,
)

# n flows over n links: E[fullest] and its inverse
PUBLISHED = [
    (2, 1.500, 0.667),
    (4, 2.125, 0.471),
    (8, 2.597, 0.385),
    (16, 3.078, 0.325),
    (32, 3.533, 0.283),
]

# the fullest link where each flow is cut into so many queue pairs, by simulation (±0.01)
SIMULATED = {
    16: {1: 3.08, 2: 2.42, 4: 1.97, 8: 1.67, 16: 1.47, 64: 1.23},
    32: {1: 3.54, 2: 2.71, 4: 2.16, 8: 1.80, 16: 1.55, 64: 1.27},
}


def every_way(flows: int, links: int) -> list[list[int]]:
    """How many flows each link gets, for every way that the hash can fall."""
    return [
        [chosen.count(link) for link in range(links)]
        for chosen in product(range(links), repeat=flows)
    ]


def by_polynomials(balls: int, links: int) -> float:
    """The generating function raised to the power of the links by repeated squaring, in floats."""
    mean = balls / links
    chances = [math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(balls + 1)]
    all_together = math.exp(balls * math.log(balls) - balls - math.lgamma(balls + 1))
    expected = 0.0
    for most in range(balls):
        power = chances[: most + 1]
        for _ in range(links.bit_length() - 1):
            power = squared(power, balls)
        missing = 1 - (power[balls] if len(power) > balls else 0) / all_together
        expected += missing
        if missing < 1e-12:
            break
    return expected


def squared(series: list[float], degree: int) -> list[float]:
    padded = series + [0.0] * len(series)
    padded = padded[: degree + 1]
    backwards = padded[::-1]
    size = len(padded)
    return [sum(map(mul, padded[: i + 1], backwards[size - i - 1 :])) for i in range(size)]


@pytest.mark.parametrize(("n", "fullest", "inverse"), PUBLISHED)
def test_as_many_flows_as_links_collide_as_balls_in_bins_do(
    n: int, fullest: float, inverse: float
) -> None:
    assert expected_fullest(n, n) == pytest.approx(fullest, abs=0.0005)
    assert 1 / expected_fullest(n, n) == pytest.approx(inverse, abs=0.0005)


@pytest.mark.parametrize(
    ("n", "parts", "simulated"),
    [(n, parts, load) for n, row in SIMULATED.items() for parts, load in row.items()],
)
def test_queue_pairs_even_the_links_out(n: int, parts: int, simulated: float) -> None:
    assert expected_fullest(n, n, parts) == pytest.approx(simulated, abs=0.01)


@pytest.mark.parametrize("links", [1, 2, 3, 4])
@pytest.mark.parametrize("flows", [1, 2, 3, 5, 6])
def test_every_way_that_a_hash_can_fall_averages_to_the_formula(flows: int, links: int) -> None:
    ways = every_way(flows, links)
    fullest = Fraction(sum(max(loads) for loads in ways), len(ways))
    assert expected_fullest(flows, links) == pytest.approx(float(fullest), rel=1e-9)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_parts_are_balls_that_weigh_a_fraction_of_a_flow(parts: int) -> None:
    ways = every_way(2 * parts, 3)
    fullest = Fraction(sum(max(loads) for loads in ways), len(ways)) / parts
    assert expected_fullest(2, 3, parts) == pytest.approx(float(fullest), rel=1e-9)


@pytest.mark.parametrize(("flows", "links"), [(40, 2), (100, 8), (100, 64), (EXACT_UP_TO, 16)])
def test_moderate_sizes_are_exact(flows: int, links: int) -> None:
    assert expected_fullest(flows, links) == pytest.approx(by_polynomials(flows, links), rel=1e-8)


@pytest.mark.parametrize(("flows", "links"), [(EXACT_UP_TO + 1, 64), (520, 4), (600, 512)])
def test_large_sizes_are_within_a_per_mille_of_the_exact_value(flows: int, links: int) -> None:
    assert expected_fullest(flows, links) == pytest.approx(by_polynomials(flows, links), rel=1e-3)


@pytest.mark.parametrize("flows", [EXACT_UP_TO + 1, 1000, 2048])
def test_two_links_carry_half_and_the_mean_deviation_of_a_fair_coin(flows: int) -> None:
    fullest = Fraction(
        sum(max(heads, flows - heads) * math.comb(flows, heads) for heads in range(flows + 1)),
        2**flows,
    )
    assert expected_fullest(flows, 2) == pytest.approx(float(fullest), rel=1e-3)


def test_two_links_of_a_few_flows_are_exact() -> None:
    # three heads or three tails of 3: 2 of 8 ways; else 2 and 1
    assert expected_fullest(3, 2) == pytest.approx((2 * 3 + 6 * 2) / 8)


def test_a_hundred_thousand_flows_over_a_thousand_links_lie_within_known_bounds() -> None:
    # at least the mean; at most mean + sqrt(2 mean ln links) + ln(links) / 3, by Chernoff's bound
    fullest = expected_fullest(100_000, 1_000)
    spread = math.log(1_000)
    assert 100 < fullest < 100 + math.sqrt(2 * 100 * spread) + spread / 3 + 1


def test_exact_and_approximate_sizes_meet_without_a_step() -> None:
    below, above = expected_fullest(EXACT_UP_TO, 32), expected_fullest(EXACT_UP_TO + 1, 32)
    # one ball more on 32 links
    assert above - below == pytest.approx(1 / 32, abs=0.02)


def test_many_queue_pairs_tend_to_an_even_spread() -> None:
    assert expected_fullest(16, 16, 100_000) == pytest.approx(1, abs=0.01)
    assert expected_fullest(64, 16, 100_000) == pytest.approx(4, abs=0.02)


def test_one_link_carries_all_flows() -> None:
    assert expected_fullest(7, 1) == 7
    assert expected_fullest(7, 1, 4) == 7


def test_without_flows_nothing_is_loaded() -> None:
    assert expected_fullest(0, 8) == 0


def test_one_flow_is_never_in_its_own_way() -> None:
    assert expected_fullest(1, 8) == pytest.approx(1)


@pytest.mark.parametrize(("flows", "links", "parts"), [(-1, 4, 1), (4, 0, 1), (4, 4, 0)])
def test_counts_that_make_no_sense_are_refused(flows: int, links: int, parts: int) -> None:
    with pytest.raises(ValueError, match="flow"):
        expected_fullest(flows, links, parts)


def slowest_of_every_way(groups: list[tuple[int, int, float]], floor: float) -> float:
    """The mean over all hashes of all switches, one after the other, of what takes longest."""
    times = [
        [max(loads) * one for loads in every_way(balls, links)] for balls, links, one in groups
    ]
    ways = list(product(*times))
    return math.fsum(max(floor, *way) for way in ways) / len(ways)


@pytest.mark.parametrize("floor", [0.0, 1.0, 1.4, 2.0, 9.0])
@pytest.mark.parametrize(
    "groups",
    [
        [(2, 2, 1.0), (2, 2, 1.0)],
        [(3, 2, 1.0), (3, 2, 1.0), (3, 2, 1.0)],
        [(4, 2, 0.5), (2, 3, 1.3)],
        [(4, 3, 0.7), (5, 1, 0.3), (1, 4, 1.1)],
    ],
)
def test_a_collective_waits_for_the_fullest_cable_of_all_switches(
    groups: list[tuple[int, int, float]], floor: float
) -> None:
    hashed = [Hashed(balls, links, one) for balls, links, one in groups]
    assert expected_slowest(hashed, floor) == pytest.approx(slowest_of_every_way(groups, floor))


def test_two_switches_with_two_flows_each_are_both_apart_in_one_way_of_four() -> None:
    assert expected_slowest([Hashed(2, 2, 1.0)] * 2, 1.0) == pytest.approx(1 + 3 / 4)


@pytest.mark.parametrize(("switches", "thrown"), [(1, 3.533), (8, 4.65), (32, 5.36), (64, 5.68)])
def test_more_switches_have_a_fuller_fullest_cable(switches: int, thrown: float) -> None:
    # P(max <= k) of one switch from the generating function, to the power of the switches
    fullest = expected_slowest([Hashed(32, 32, 1.0)] * switches, 0.0)
    assert fullest == pytest.approx(thrown, abs=0.01)


def test_nothing_hashed_takes_what_it_takes_in_any_case() -> None:
    assert expected_slowest([], 3.0) == 3.0
