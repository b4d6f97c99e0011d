"""No idle fabric: racks of trays share leaves where that takes fewer switches."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import RAILS
from tests.review.reviewing import reviewed
from toposmith.catalog import load_catalog
from toposmith.evaluation import EvaluatedDesign
from toposmith.templates import new_design

CATALOG = load_catalog(user=False)
XDR = {"node": "gb300-nvl72-tray", "leaf": "q3400-ra"}


def racks(**settings: object) -> EvaluatedDesign:
    texts = {name: str(value) for name, value in settings.items()}
    return EvaluatedDesign(new_design("nvlink-racks", texts, catalog=CATALOG), CATALOG)


# 8 racks x 18 trays x 4 rails = 576 ports of 800 Gb/s; a Q3400 has 144, half of them downwards:
# 8 leaves and 4 spines, where one leaf a rail and rack takes 32 and 6.
@pytest.mark.parametrize(("count", "switches"), [(1, 4 + 1), (4, 4 + 2), (8, 8 + 4), (16, 16 + 8)])
def test_racks_of_800_gbit_share_leaves(count: int, switches: int) -> None:
    made = racks(racks=count, rails=4, **XDR)
    assert made.bill.quantity("switch") == switches


def test_the_figures_are_those_of_a_leaf_for_every_rail_of_every_rack() -> None:
    shared = racks(racks=8, **XDR)
    assert shared.analysis.busbw_GBps == pytest.approx(408.685, rel=1e-4)
    assert shared.exchanged.busbw_GBps == pytest.approx(105.067, rel=1e-4)
    assert set(shared.oversubscription.values()) == {1.0}


def test_published_counts_stay_where_a_leaf_serves_one_rack() -> None:
    # NVIDIA DGX GB200 SuperPOD: 18 of 32 ports of a QM9700 leaf, so that two racks do not fit
    made = racks(racks=8)
    assert {line.part: line.quantity for line in made.bill.lines_of("switch")} == {"qm9700": 41}


def test_switches_that_are_mostly_idle_are_a_remark_with_what_could_go() -> None:
    found = [one for one in reviewed(RAILS) if one.code == "idle-ports"]
    assert [(one.where, one.severity) for one in found] == [("leaf", "info")]
    # 4 ports down and 4 up fill 4 of 32 cages on each of 8 leaves: 32 in all, kept on two
    assert "on each of 8; 2 would have the cages" in found[0].text
    assert "6 can go" in found[0].fix
