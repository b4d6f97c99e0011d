"""What a part draws at least and at most, by GPUs and power supplies that the catalog knows."""

from __future__ import annotations

from tests.every import for_every
from toposmith.catalog import Node, load_catalog
from toposmith.catalog.part_power import gpus_w, power_range, supplied_w
from toposmith.catalog.pieces import PowerSupplies

CATALOG = load_catalog()
PARTS = list(CATALOG)


@for_every(PARTS, named=lambda part: part.id)
def test_the_bounds_of_every_part_are_in_order_and_meet_where_its_power_is_known(part) -> None:
    bounds = power_range(part, CATALOG)
    assert bounds.least_w >= 0
    if part.power_w is not None:
        assert bounds.known_w == bounds.least_w == bounds.most_w == part.power_w
    elif bounds.most_w is not None:
        assert bounds.least_w <= bounds.most_w


@for_every([part for part in PARTS if isinstance(part, Node)], named=lambda part: part.id)
def test_the_power_and_the_supplies_of_a_node_carry_its_gpus(part: Node) -> None:
    gpus = gpus_w(part, CATALOG) or 0
    assert part.power_w is None or part.power_w > gpus
    assert part.power_supplies is None or supplied_w(part.power_supplies) > gpus


def test_a_node_draws_at_least_what_its_gpus_and_nics_do() -> None:
    # 8 GPUs of 1,000 W; its eight ConnectX-8 have no power.
    assert power_range(CATALOG["sys-822gs-nb3rt"], CATALOG).least_w == 8 * 1000


def test_a_switch_draws_at_least_what_is_typical() -> None:
    # NVIDIA SN5000 user manual, specifications: 940 W typical, and no maximum
    bounds = power_range(CATALOG["sn5600"], CATALOG)
    assert (bounds.known_w, bounds.least_w, bounds.most_w) == (None, 940, None)
    # 2,900 W typical, eight power supplies of 875 W
    bounds = power_range(CATALOG["q3400-ra"], CATALOG)
    assert (bounds.known_w, bounds.least_w, bounds.most_w) == (None, 2900, 7000)


def test_supplies_that_may_fail_carry_nothing() -> None:
    assert supplied_w(PowerSupplies(count=6, rating_w=3200, spare=3)) == 9600
    # Where that is not known all of them may carry: Q3400-RA, 8 x 875 W.
    assert power_range(CATALOG["q3400-ra"], CATALOG).most_w == 7000
