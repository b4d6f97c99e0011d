"""Feeds that fail: a rack goes dark where those that are left cannot carry it."""

from __future__ import annotations

from tests.said import texts
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.shared_modules import NOT_SAID, FeedLosses, feed_failures
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import survival_notes

CATALOG = load_catalog(user=False)
POD = """toposmith: 1
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""


def plan_with(block: str):  # type: ignore[no-untyped-def]
    return plan_design(parse_design(POD + block, "test"), CATALOG)


def test_feeds_that_the_design_does_not_say_are_said_not_to_be_looked_at() -> None:
    assert feed_failures(plan_with(""), CATALOG) == FeedLosses(said=(NOT_SAID,))


def test_a_rack_of_two_nodes_stays_up_on_one_feed_of_22_kw() -> None:
    # two DGX H100 draw 20.4 kW, APC's AP8886 carries 22 kW
    block = "placement: {nodes_per_rack: 2, feeds: {pdu: apc-ap8886, count: 2}}\n"
    failures = feed_failures(plan_with(block), CATALOG).dark
    assert not [one for one in failures if any("node" in text for text in one.selectors)]


def test_a_rack_of_three_nodes_goes_dark_with_one_of_two_feeds() -> None:
    # three draw 30.6 kW: two feeds carry them, one does not; the fourth stands alone
    block = "placement: {nodes_per_rack: 3, feeds: {pdu: apc-ap8886, count: 2}}\n"
    plan = plan_with(block)
    failures = feed_failures(plan, CATALOG).dark
    dark = [one for one in failures if any("node[" in text for text in one.selectors)]
    assert [one.selectors for one in dark] == [("node[node=0]", "node[node=1]", "node[node=2]")]
    assert dark[0].members == 2
    found = sweep(plan, CATALOG)
    outcome = next(one for one in found.singles if one.failures[0].kind == "feed")
    assert outcome.gpus_cut_off == 24
    assert any("any one feed" in line for line in texts(survival_notes(found)))


def test_feeds_of_unknown_rating_are_said() -> None:
    losses = feed_failures(plan_with("placement: {feeds: {pdu: no-such-pdu}}\n"), CATALOG)
    assert not losses.dark
    assert losses.said == ("power feeds: the rating of no-such-pdu is not known",)


def test_a_cluster_whose_racks_all_stand_the_loss_of_a_feed_says_so() -> None:
    # 4 DGX H100 in two racks, the switches beside them: 2 x 22 kW in each, 20.4 kW at most drawn.
    block = "placement: {nodes_per_rack: 2, switches: in-row, feeds: {pdu: apc-ap8886, count: 2}}\n"
    plan = plan_with(block)
    losses = feed_failures(plan, CATALOG)
    assert (losses.dark, losses.survived) == ((), losses.racks)
    assert "survives any one feed at 100 %" in texts(survival_notes(sweep(plan, CATALOG)))


def test_racks_of_unknown_power_are_not_counted_among_those_that_stay_up() -> None:
    # two HGX H100 boards draw 2 x 5.6 kW at least, and at most nobody knows what, beside 22 kW
    block = "placement: {nodes_per_rack: 2, switches: in-row, feeds: {pdu: apc-ap8886, count: 2}}\n"
    pod = POD.replace("dgx-h100", "hgx-h100-8") + block
    pod = pod.replace(
        "node: {part: hgx-h100-8,",
        "node: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}},",
    )
    losses = feed_failures(plan_design(parse_design(pod, "test"), CATALOG), CATALOG)
    assert (losses.dark, losses.racks - losses.survived) == ((), 2)
    assert losses.said == ("power feeds of 2 racks with devices of unknown power, in full",)
