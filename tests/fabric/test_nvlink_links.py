"""Links to NVLink switches: 18 NVLinks of each GPU over 9 trays of two chips, as a rack has them.

A GB200 has 18 NVLinks of 50 GB/s in each direction, one to each of the 18 chips of 9 trays, so that
a tray that is down takes two of 18 (docs.nvidia.com/dgx/dgxgb200-user-guide/hardware.html).
"""

from __future__ import annotations

import pytest

from tests.review.reviewing import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.bill.bill import make_bill
from toposmith.catalog import Catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.nvlink_links import fewest_nvlinks
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.racks.rack_loads import rack_loads
from toposmith.racks.whole_racks import sold_whole, units_drawn
from toposmith.review.failures.sweep import sweep
from toposmith.saved_designs import find_saved
from toposmith.templates import new_design

ONE = """\
toposmith: 1
groups:
  tray: {part: gb200-nvl72-tray, count: 18}
  nvswitch: {part: nvlink5-switch-tray, count: 9}
links:
  - {between: [tray.nvlink, nvswitch]}
"""
TWO = """\
toposmith: 1
axes: {rack: 2, rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  nvswitch: {part: nvlink5-switch-tray, per: [rack], count: 9}
  leaf: {part: qm9700, per: [rail]}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [tray.compute, leaf]}
"""
NOT_DRAWN = TWO.replace(
    "  nvswitch: {part: nvlink5-switch-tray, per: [rack], count: 9}\n", ""
).replace("  - {between: [tray.nvlink, nvswitch]}\n", "")


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def asked(text: str, collective: str = "all_gather") -> Analysis:
    return analyse(planned(text), CATALOG, Request(collective, 2**33))


def refusal(text: str) -> str:
    (finding,) = [one for one in planned(text).findings if one.severity == "error"]
    assert finding.code == "bad-nvlink-link"
    return finding.text


def test_a_rack_has_1296_nvlinks_and_no_cables() -> None:
    plan = planned(ONE)
    (link,) = plan.nvlinks
    assert (link.links_per_gpu, link.per_switch, link.taken, link.room) == (18, 2, 144, 72)
    assert 72 * link.links_per_gpu == 1296
    assert plan.links == ()
    assert not [one for one in plan.findings if one.severity != "info"]


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "all_to_all"])
def test_drawn_switch_trays_change_no_figure(collective: str) -> None:
    drawn, assumed = asked(TWO, collective), asked(NOT_DRAWN, collective)
    assert drawn.busbw_GBps == assumed.busbw_GBps is not None
    assert drawn.bound_busbw_GBps == assumed.bound_busbw_GBps is not None
    assert drawn.nvlink_domains == 2


@pytest.mark.parametrize("word", ["absent", "down"])
def test_each_tray_that_is_gone_takes_two_of_18_nvlinks_of_a_gpu(word: str) -> None:
    assert asked(ONE).bound_busbw_GBps == pytest.approx(900)
    gone = f'{word}: ["nvswitch[nvswitch=3..5]"]\n'
    assert fewest_nvlinks(planned(ONE + gone), "tray") == 12
    assert asked(ONE + gone).bound_busbw_GBps == pytest.approx(900 * 12 / 18)


def test_the_rack_that_lost_most_holds_all() -> None:
    gone = 'down: ["nvswitch[rack=0,nvswitch=0]", "nvswitch[rack=1,nvswitch=0..3]"]\n'
    plan = planned(TWO + gone)
    assert fewest_nvlinks(plan, "tray") == 10
    whole, held = asked(TWO, "all_reduce").busbw_GBps, asked(TWO + gone, "all_reduce").busbw_GBps
    assert whole is not None and held is not None
    assert held == pytest.approx(whole * 10 / 18, rel=0.1)


def test_trays_of_a_rack_without_nodes_hold_nobody() -> None:
    text = TWO + 'absent: ["tray[rack=1]", "nvswitch[rack=1]"]\n'
    assert fewest_nvlinks(planned(text), "tray") == 18


def test_a_rack_whose_switch_trays_are_all_down_has_no_figure() -> None:
    found = asked(TWO + 'down: ["nvswitch[rack=1]"]\n')
    assert found.busbw_GBps is None
    assert "no-nvlink-up" in {one.code for one in found.findings}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("count: 9}", "count: 8}", "18 NVLinks of a GPU do not divide over 8 switches"),
        ("count: 18}", "count: 19}", "76 GPUs with 2 NVLinks to each of nvswitch take 152 of its"),
        ("tray.nvlink", "tray.compute", "write [tray.nvlink, nvswitch]"),
        ("gb200-nvl72-tray, count: 18", "dgx-h100, count: 4", "do not leave the node"),
        ("nvswitch]}", "nvswitch], speed: 400}", "it takes no speed, length or relation"),
        ("nvswitch]}", "nvswitch], cables: 9}", "4 to 8, as many of each of 4 GPUs"),
        ("nvswitch]}", "nvswitch]}\n  - {between: [tray.nvlink, nvswitch]}", "another link"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(old: str, new: str, words: str) -> None:
    assert words in refusal(ONE.replace(old, new, 1))


def test_no_figure_rests_on_a_rack_without_nvlinks() -> None:
    plan = planned(TWO + 'absent: ["nvswitch[rack=1]"]\n')
    done = sweep(plan, CATALOG, Request(), collectives=("all_reduce", "all_to_all"))
    assert set(done.before.values()) == {None}
    (finding,) = [one for one in analyse(plan, CATALOG).findings if one.code == "no-nvlink-up"]
    assert finding.text == "no switch of nvswitch is up at rack=1"


def test_a_link_that_cannot_be_built_joins_nothing() -> None:
    found = asked(TWO.replace("count: 9", "count: 8"), "all_reduce")
    assert found.nvlink_domains == 0
    assert found.busbw_label.kind == "at least"


def test_only_what_nccl_chooses_is_held_against_published_racks() -> None:
    plan = planned(TWO.replace("rack: 2", "rack: 3"))  # one and two are published by several
    for algorithm in (None, "ring"):
        found = analyse(plan, CATALOG, Request(algorithm=algorithm))
        codes = {finding.code for finding in found.findings}
        assert ("nvlink-racks-by-one-run" in codes) == (algorithm is None)
        assert found.busbw_label.kind == "model"


def test_nvlink_switches_do_not_run_slow() -> None:
    text = ONE.replace("toposmith: 1", "toposmith: 2") + 'slow: {"nvswitch[nvswitch=0]": 50 %}\n'
    (finding,) = [one for one in planned(text).findings if one.code == "bad-selector"]
    assert "NVLinks have one speed" in finding.text


def test_fewer_nvlinks_than_there_are_make_a_slower_rack() -> None:
    assert asked(
        ONE.replace("nvswitch]}", "nvswitch], cables: 4}")
    ).bound_busbw_GBps == pytest.approx(450)


def test_switch_trays_of_other_places_join_no_domain() -> None:
    text = TWO.replace(
        "nvlink5-switch-tray, per: [rack], count: 9", "nvlink5-switch-tray, count: 9"
    )
    plan = planned(text.replace("count: 18", "count: 9"))
    assert not [one for one in plan.findings if one.severity == "error"]
    found = analyse(plan, CATALOG, Request())
    assert found.nvlink_domains == 0
    assert [one.code for one in found.findings if "domain" in one.code] == ["wider-nvlink-domain"]


def test_nvlinks_go_with_their_trays_in_selectors() -> None:
    plan = planned(ONE + 'down: ["tray[tray=0] - nvswitch[nvswitch=1]"]\n')
    (finding,) = [one for one in plan.findings if one.code == "bad-selector"]
    assert "NVLinks go with their trays" in finding.text


def test_a_switch_tray_is_among_what_fails() -> None:
    done = sweep(planned(ONE), CATALOG, Request(), collectives=("all_gather",))
    (tray,) = [one for one in done.singles if one.failures[0].kind == "NVLink switch tray"]
    assert tray.failures[0].members == 9
    assert tray.failures[0].selectors == ("nvswitch[nvswitch=0]",)
    (kept,) = tray.kept
    assert kept.after_GBps / kept.before_GBps == pytest.approx(16 / 18, rel=0.02)


def test_the_bill_and_the_racks_have_the_switch_trays() -> None:
    plan = planned(TWO + "placement: {units: 48, max_power_w: 140000}\n")
    lines = {line.part: line.quantity for line in make_bill(plan, CATALOG).lines}
    assert lines["dgx-gb200"] == 2
    assert not {"gb200-nvl72-tray", "nvlink5-switch-tray"} & lines.keys()
    stands = place(plan, CATALOG)
    for rack in (0, 1):
        trays = {stands.rack_of["tray"][18 * rack + each] for each in range(18)}
        switches = {stands.rack_of["nvswitch"][9 * rack + each] for each in range(9)}
        assert trays == switches
        assert len(trays) == 1
    taken = [(stands.rack_of[g][n], stands.unit_of[g][n]) for g in stands.rack_of for n in
             range(len(stands.rack_of[g]))]  # fmt: skip
    assert len(set(taken)) == len(taken)


def test_the_template_draws_them_unless_told_not_to() -> None:
    drawn = new_design("nvlink-racks", {"racks": 2}, catalog=CATALOG)
    assert drawn.groups["nvswitch"].count == 9
    without = new_design("nvlink-racks", {"racks": 2, "nvswitches": 0}, catalog=CATALOG)
    assert "nvswitch" not in without.groups


@pytest.mark.parametrize(
    ("name", "gpus", "racks"),
    [("gb200-nvl72-rack", 72, 1), ("gb200-nvl72-8-racks-ndr", 576, 8)],
)
def test_saved_racks_have_their_published_counts(name: str, gpus: int, racks: int) -> None:
    saved = find_saved(name)
    assert saved is not None
    plan = plan_design(load_file(saved.path).design, CATALOG)
    assert analyse(plan, CATALOG, Request()).gpus == gpus
    (rack,) = [one for one in make_bill(plan, CATALOG).lines if one.kind == "rack-system"]
    assert rack.quantity == racks
    held = {one.part: one.quantity for one in rack.includes if one.part}
    trays = {"gb200-nvl72-tray": 18 * racks, "nvlink5-switch-tray": 9 * racks}
    assert held == {**trays, "sn2201": 2 * racks}  # two switches for management in each


def test_switch_trays_of_a_rack_that_lacks_trays_are_bought_by_themselves() -> None:
    plan = planned(TWO + 'absent: ["tray[rack=1,tray=17]"]\n')
    lines = {line.part: line.quantity for line in make_bill(plan, CATALOG).lines}
    assert lines["dgx-gb200"] == 1
    assert (lines["gb200-nvl72-tray"], lines["nvlink5-switch-tray"]) == (17, 9)
    bill = make_bill(plan, CATALOG)
    (finding,) = [one for one in bill.findings if one.code == "rack-not-whole"]
    assert "8 x power shelf of 33 kW" in finding.text
    assert not bill.listed


@pytest.mark.parametrize(
    ("change", "switches"),
    [(("count: 9}", "count: 18}"), 36), (("toposmith: 1", 'absent: ["nvswitch[nvswitch=8]"]'), 16)],
)
def test_a_rack_with_other_switch_trays_is_not_one_that_is_sold_whole(
    change: tuple[str, str], switches: int
) -> None:
    old, new = change
    text = TWO.replace(old, f"{new}\ntoposmith: 1" if new.startswith("absent") else new)
    lines = {line.part: line.quantity for line in make_bill(planned(text), CATALOG).lines}
    assert "dgx-gb200" not in lines
    assert (lines["gb200-nvl72-tray"], lines["nvlink5-switch-tray"]) == (36, switches)


def test_power_of_a_rack_sold_whole_counts_its_switch_trays_once() -> None:
    text = TWO.replace("gb200", "gb300") + "placement: {units: 48, max_power_w: 160000}\n"
    drawn = rack_loads(place(planned(text), CATALOG))
    assumed = rack_loads(place(planned(text.replace(
        "  nvswitch: {part: nvlink5-switch-tray, per: [rack], count: 9}\n", "").replace(
        "  - {between: [tray.nvlink, nvswitch]}\n", "")), CATALOG))  # fmt: skip
    assert max(one.least_w for one in drawn) == max(one.least_w for one in assumed) >= 142_000


def test_racks_are_held_against_what_they_were_before_a_switch_tray_was_lost() -> None:
    plan = planned(ONE + 'down: ["nvswitch[nvswitch=3]"]\n')
    healed = FlowNetworks(ComputeNetwork(plan), CATALOG).healed
    assert healed is not None
    bound = all_gather_bound(healed)
    assert bound is not None
    assert float(bound.rate) * 71 == pytest.approx(900)


def test_drawn_switch_trays_take_their_own_height() -> None:
    # 9 switch trays in each rack
    tall = CATALOG["nvlink5-switch-tray"].model_copy(update={"rack_units": 2})
    parts = Catalog([tall if part.id == tall.id else part for part in CATALOG])
    plan = plan_design(parse_design(TWO, "test"), parts)
    plain = sold_whole(planned(TWO), CATALOG)["tray"]
    assert units_drawn(plain) == 9
    assert units_drawn(sold_whole(plan, parts)["tray"]) == 18
