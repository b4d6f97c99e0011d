"""Cables between the NVLink switches of two racks, which are then one domain (NVL36x2).

Each of 36 GPUs of a rack has 18 NVLinks of 50 GB/s in each direction, two to each of 9 switch
trays. A tray has as many more, in 18 twin-port cages of 1.6 Tb/s, to its like in the other rack:
36 x 900 GB/s leave a rack, over 162 cables (SemiAnalysis, GB200 hardware architecture).
"""

from __future__ import annotations

import pytest

from tests.review.reviewing import CATALOG, reviewed
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.bill.bill import make_bill
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.racks.placement import place
from toposmith.review.failures.networks_beside import other_networks
from toposmith.review.failures.sweep import sweep
from toposmith.saved_designs import find_saved
from toposmith.templates import new_design

NVL36 = {"racks": 2, "joined": 2, "node": "gb200-nvl36-tray"}
PAIR = """\
toposmith: 2
axes: {rack: 2}
groups:
  tray:     {part: gb200-nvl36-tray, per: [rack], count: 9}
  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [rack], count: 9}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [nvswitch, nvswitch], along: {rack: other}, cables: 36, length: 1.5}
"""
PAIRS = """\
toposmith: 2
axes: {pair: 2, rack: 2, rail: 4}
groups:
  tray:     {part: gb200-nvl36-tray, per: [pair, rack], count: 9}
  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [pair, rack], count: 9}
  leaf:     {part: qm9700, per: [rail]}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [nvswitch, nvswitch], along: {rack: other}, cables: 36, length: 1.5}
  - {between: [tray.compute, leaf]}
"""
NVL72 = """\
toposmith: 2
axes: {pair: 2, rail: 4}
groups:
  tray:     {part: gb200-nvl72-tray, per: [pair], count: 18}
  nvswitch: {part: nvlink5-switch-tray, per: [pair], count: 9}
  leaf:     {part: qm9700, per: [rail]}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [tray.compute, leaf]}
"""


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def asked(text: str, collective: str) -> Analysis:
    return analyse(planned(text), CATALOG, Request(collective, 2**33))


def test_two_racks_are_one_domain_of_72() -> None:
    plan = planned(PAIR)
    assert not plan.findings and not port_findings(plan)
    found = analyse(plan, CATALOG, Request("all_gather", 2**33))
    assert (found.gpus, found.nodes, found.nvlink_domains) == (72, 18, 1)
    assert found.bound_busbw_GBps == pytest.approx(900)
    assert found.bound_is == "exact"
    assert not [one.code for one in found.findings if "domain" in one.code]


def test_without_cables_between_them_they_are_two_domains_that_nothing_joins() -> None:
    text = PAIR.replace(PAIR.splitlines()[-1] + "\n", "")
    found = asked(text, "all_gather")
    assert found.nvlink_domains == 2
    assert found.busbw_GBps is None


@pytest.mark.parametrize(
    "collective", ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"]
)
def test_pairs_of_racks_do_as_racks_of_72_on_the_same_network(collective: str) -> None:
    pairs, racks = asked(PAIRS, collective), asked(NVL72, collective)
    assert (pairs.gpus, pairs.nvlink_domains) == (racks.gpus, racks.nvlink_domains) == (144, 2)
    assert pairs.busbw_GBps == pytest.approx(racks.busbw_GBps)
    assert pairs.bound_busbw_GBps == pytest.approx(racks.bound_busbw_GBps)
    assert pairs.bisection_GBps == pytest.approx(racks.bisection_GBps)


@pytest.mark.parametrize(("cables", "bound"), [(36, 900), (9, 450), (3, 150), (1, 50)])
def test_an_exchange_leaves_a_rack_over_its_cables(cables: int, bound: float) -> None:
    # of 72 S/T that 36 GPUs send half leaves: S/T x 36 x 36 / 72 = 9 x cables x 100 GB/s
    found = asked(PAIR.replace("cables: 36", f"cables: {cables}"), "all_to_all")
    least = min(900, 9 * cables * 100 / 18 * 71 / 72)
    assert found.bound_busbw_GBps == pytest.approx(least)
    assert found.busbw_GBps is not None
    assert found.busbw_GBps <= least
    if cables < 9:
        assert found.limited_by == "links"
        at_racks = next(one for one in found.limits if "rack other" in one.link)
        assert at_racks.utilization == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(("down", "slow"), [(18, 50), (27, 25), (9, 75)])
def test_slow_cables_between_racks_carry_what_as_many_fewer_would(down: int, slow: float) -> None:
    ends = "nvswitch[rack=0] - nvswitch[rack=1]"
    fewer = asked(PAIR + f'down: ["{down} of {ends}"]\n', "all_to_all")
    slower = asked(PAIR + f'slow: {{"{ends}": {slow} %}}\n', "all_to_all")
    assert slower.busbw_GBps == pytest.approx(fewer.busbw_GBps)
    assert slower.limited_by == fewer.limited_by == "links"
    assert slower.bound_busbw_GBps is not None and slower.busbw_GBps is not None
    assert slower.busbw_GBps < slower.bound_busbw_GBps


def test_a_slow_cable_takes_its_part_beside_whole_ones() -> None:
    # 18 of 36 cables of each of 9 at 40 %: 9 x (18 x 100 + 18 x 40) GB/s, 70 % of all
    some = asked(PAIR + 'slow: {"18 of nvswitch[rack=0] - nvswitch[rack=1]": 40 %}\n', "all_to_all")
    whole, slow = [one for one in some.limits if "rack other" in one.link]
    assert sorted((whole.capacity_GBps, slow.capacity_GBps)) == [40, 100]
    assert whole.utilization == pytest.approx(slow.utilization)
    assert 9 * 18 * (whole.load_GBps + slow.load_GBps) == pytest.approx(
        36 * 36 / 72 * (some.busbw_GBps or 0) * 72 / 71, rel=1e-3
    )


@pytest.mark.parametrize("planes", [1, 4, 8])
def test_switches_that_meet_no_other_rack_add_up_nothing_for_all(planes: int) -> None:
    # a GPU feeds what is summed over two of 18 NVLinks for each number of switches that meet
    at = f"nvswitch=0..{planes - 1}"
    cut = f'down: ["nvswitch[rack=0,{at}] - nvswitch[rack=1,{at}]"]\n'
    whole, some = asked(PAIR, "all_reduce"), asked(PAIR + cut, "all_reduce")
    gone = asked(PAIR + f'down: ["nvswitch[rack=0,{at}]"]\n', "all_reduce")
    assert whole.algorithm == some.algorithm == "nvls"
    assert some.busbw_GBps == pytest.approx((whole.busbw_GBps or 0) * (9 - planes) / 9, rel=0.05)
    if gone.algorithm == "nvls":
        assert some.busbw_GBps == pytest.approx(gone.busbw_GBps, rel=1e-3)
    # a sum inside each rack, an exchange of parts, and a copy to all take no more than before
    assert some.bound_with_reduction_GBps == pytest.approx(whole.bound_with_reduction_GBps)
    (trunk,) = [one for one in some.limits if "rack other" in one.link]
    # the sums cross once, over 36 cables of each number that meets
    assert trunk.load_GBps * 36 * (9 - planes) == pytest.approx(some.algbw_GBps)


def test_where_no_switches_of_one_number_all_meet_rings_run() -> None:
    ends = (
        f"nvswitch[rack={a},nvswitch={s}] - nvswitch[rack={b},nvswitch={s}]"
        for s, (a, b) in enumerate(((0, 1), (0, 2), (1, 2)))
    )
    cut = ", ".join(f'"{one}"' for one in ends)
    three = PAIR.replace("{rack: 2}", "{rack: 3}").replace("cables: 36", "cables: 4")
    three = three.replace("tray, per: [rack], count: 9", "tray, per: [rack], count: 2")
    three = three.replace("count: 9", "count: 3")
    assert asked(three, "all_reduce").algorithm == "nvls"
    found = asked(three + f"down: [{cut}]\n", "all_reduce")
    assert found.algorithm == "ring"
    assert found.busbw_GBps is not None


def test_a_switch_tray_that_is_down_takes_two_of_18_links_of_its_rack() -> None:
    found = asked(PAIR + 'down: ["nvswitch[rack=0,nvswitch=3]"]\n', "all_gather")
    assert found.bound_busbw_GBps == pytest.approx(800)


def test_racks_whose_cables_are_all_down_have_no_figure_and_say_so() -> None:
    gone = 'down: ["nvswitch[pair=1,rack=0] - nvswitch[pair=1,rack=1]"]\n'
    found = asked(PAIRS + gone, "all_reduce")
    assert found.busbw_GBps is None
    (said,) = [one for one in found.findings if one.code == "no-nvlink-up"]
    assert (
        said.text
        == "no cable joins nvswitch at pair=1,rack=1 to those of another rack of its domain"
    )


def test_the_bill_has_162_cables_of_two_ports() -> None:
    bill = make_bill(planned(PAIR), CATALOG)
    lines = {line.part: line.quantity for line in bill.lines}
    assert lines == {
        "gb200-nvl36-tray": 18,
        "nvlink5-switch-tray-nvl36": 18,
        "nvlink5-acc-1600": 162,
    }
    assert bill.listed


def test_trays_and_cables_fail_like_others() -> None:
    done = sweep(planned(PAIR), CATALOG, Request(), collectives=("all_to_all",))
    kinds = {one.failures[0].kind: one for one in done.singles}
    tray, cable = kinds["NVLink switch tray"], kinds["cable"]
    assert (tray.failures[0].members, cable.failures[0].members) == (18, 324)
    assert tray.kept[0].modelled_share == pytest.approx(8 / 9, rel=5e-3)
    assert cable.kept[0].modelled_share == pytest.approx(1)  # half of what the cables carry is used


def test_both_racks_hold_their_trays() -> None:
    stands = place(planned(PAIR + "placement: {units: 48, max_power_w: 132000}\n"), CATALOG)
    for rack in (0, 1):
        trays = {stands.rack_of["tray"][9 * rack + each] for each in range(9)}
        switches = {stands.rack_of["nvswitch"][9 * rack + each] for each in range(9)}
        assert trays == switches
        assert len(trays) == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rack: other", "rack: next", "write along: {rack: other}"),
        ("tray-nvl36, per", "tray, per", "no cages for cables to another rack"),
        ("rack: other", "rack: other, nvswitch: any", "write along: {rack: other}"),
    ],
)
def test_racks_that_cannot_be_joined_so_are_refused(old: str, new: str, words: str) -> None:
    plan = planned(PAIR.replace(old, new))
    said = [one.text for one in plan.findings if one.code == "bad-nvlink-link"]
    assert any(words in text for text in said), said
    assert analyse(plan, CATALOG, Request()).nvlink_domains == 0


def test_racks_are_joined_along_the_axis_next_to_the_trays() -> None:
    text = PAIRS.replace("per: [pair, rack]", "per: [rack, pair]")
    (said,) = [one for one in planned(text).findings if one.severity == "error"]
    assert "the last axis in per:" in said.text


def test_more_cables_than_cages_are_an_error() -> None:
    (said,) = port_findings(planned(PAIR.replace("cables: 36", "cables: 38")))
    assert said.code == "ports-overused"


def test_the_schedule_names_the_cages_of_both_racks() -> None:
    plan = planned(PAIR)
    rows = list(Schedule(plan, CATALOG, place(plan, CATALOG)))
    assert len(rows) == 324
    assert len({(row.a.node, row.a.port) for row in rows}) == 324
    assert {row.a.port for row in rows} == {f"{c}/{p}" for c in range(1, 19) for p in (1, 2)}


def test_the_saved_pair_has_its_published_counts() -> None:
    saved = find_saved("gb200-nvl36x2-pair")
    assert saved is not None
    plan = plan_design(load_file(saved.path).design, CATALOG)
    lines = {line.part: line.quantity for line in make_bill(plan, CATALOG).lines}
    assert lines["nvlink5-acc-1600"] == 162
    assert analyse(plan, CATALOG, Request()).gpus == 72


def test_the_cables_between_racks_are_no_network_that_is_not_looked_at() -> None:
    assert other_networks(ComputeNetwork(planned(PAIR))) == ()


def test_the_template_joins_racks_by_twos() -> None:
    values = {"racks": 4, "nodes": 9, "node": "gb200-nvl36-tray", "joined": 2}
    drawn = new_design("nvlink-racks", values, catalog=CATALOG)
    plan = plan_design(drawn, CATALOG)
    assert not [one for one in plan.findings if one.severity == "error"]
    found = analyse(plan, CATALOG, Request())
    assert (found.gpus, found.nvlink_domains) == (144, 2)
    assert {link.cables_per_pair for link in plan.links if link.protocol == "nvlink"} == {36}


@pytest.mark.parametrize("values", [{"racks": 3, "joined": 2}, {"racks": 4, "joined": 2}])
def test_the_template_joins_no_racks_that_do_not_go_up_or_have_no_cages(
    values: dict[str, int],
) -> None:
    node = "gb200-nvl36-tray" if values["racks"] == 3 else "gb200-nvl72-tray"
    with pytest.raises(EditError):
        new_design("nvlink-racks", {**values, "node": node}, catalog=CATALOG)


def test_racks_that_cannot_be_joined_name_the_trays_that_can() -> None:
    with pytest.raises(EditError, match=r"take node=gb200-nvl36-tray$"):
        new_design("nvlink-racks", {"racks": 2, "joined": 2}, catalog=CATALOG)
    with pytest.raises(EditError, match="nvswitches=0 draws none"):
        new_design("nvlink-racks", {**NVL36, "nvswitches": 0}, catalog=CATALOG)


def test_joined_racks_of_the_template_are_bought_as_the_saved_pair_is() -> None:
    saved = find_saved("gb200-nvl36x2-pair")
    assert saved is not None
    known = load_file(saved.path).design
    drawn = new_design("nvlink-racks", NVL36, catalog=CATALOG)
    assert drawn.placement == known.placement
    assert [one.length for one in drawn.links] == [one.length for one in known.links]
    assert drawn.axes == known.axes
    bills = [make_bill(plan_design(each, CATALOG), CATALOG) for each in (drawn, known)]
    assert "no-cable" not in {one.code for one in bills[0].findings}
    wanted = {line.part: line.quantity for line in bills[1].lines}
    assert {line.part: line.quantity for line in bills[0].lines} == wanted
    assert len(place(plan_design(drawn, CATALOG), CATALOG).racks) == 2


def test_trunks_measured_too_long_are_told_the_length_that_would_do() -> None:
    # the cables that fit reach 2 m
    far = PAIR.replace(", length: 1.5", "")
    (finding,) = [one for one in reviewed(far) if one.code == "no-cable"]
    assert finding.fix is not None
    assert finding.fix.startswith("set `length:` on the link where its ends are within 2 m of")


def test_the_template_draws_no_network_for_one_nvlink_domain_unless_asked() -> None:
    alone = new_design("nvlink-racks", {"racks": 1}, catalog=CATALOG)
    assert set(alone.groups) == {"node", "nvswitch"}
    for asked in ({"leaf": "qm9700"}, {"spines": 2}, {"rails": 4}, {"oversubscription": 2}):
        drawn = new_design("nvlink-racks", {"racks": 1, **asked}, catalog=CATALOG)
        assert {"leaf", "spine"} < set(drawn.groups), asked


@pytest.mark.parametrize(
    ("node", "trays", "switch"),
    [
        ("gb200-nvl36-tray", 9, "nvlink5-switch-tray-nvl36"),
        ("gb300-nvl72-tray", 18, "nvlink5-switch-tray"),
    ],
)
def test_a_rack_of_the_template_has_the_trays_and_switches_of_its_node(
    node: str, trays: int, switch: str
) -> None:
    drawn = new_design("nvlink-racks", {"racks": 2, "node": node}, catalog=CATALOG)
    assert drawn.groups["node"].count == trays
    assert drawn.groups["nvswitch"].part == switch
    fewer = new_design("nvlink-racks", {"racks": 2, "node": node, "nodes": 4}, catalog=CATALOG)
    assert fewer.groups["nvswitch"].part == switch
