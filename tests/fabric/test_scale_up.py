"""Scale-up switches of other makers: an AMD Helios rack by its public figures.

72 GPUs of 3.6 TB/s in both directions, 260 TB/s a rack; in lanes of 200 Gb/s that are 72 of 25 GB/s
one way (electronicdesign.com, awesomeagents.ai). A Tomahawk 6 has 102.4 Tb/s, 512 such lanes.
"""

from __future__ import annotations

import re

import pytest

from tests.review.reviewing import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.bill.bill import make_bill
from toposmith.catalog import Gpu, NvlinkSwitch
from toposmith.command.reports.analysis import analysis_report
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.review.failures.sweep import sweep

RACK = """\
toposmith: 1
groups:
  tray:  {part: helios-mi455x-tray, count: 18}
  scale: {part: tomahawk-6-scale-up, count: 12}
links:
  - {between: [tray.nvlink, scale]}
"""


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def test_parts_have_the_printed_rates() -> None:
    gpu, switch = CATALOG["mi455x"], CATALOG["tomahawk-6-scale-up"]
    assert isinstance(gpu, Gpu) and gpu.nvlink is not None
    assert isinstance(switch, NvlinkSwitch)
    assert 2 * gpu.nvlink.GBps == 3600
    assert 72 * 2 * gpu.nvlink.GBps / 1000 == pytest.approx(260, rel=0.005)
    assert switch.ports * switch.GBps_per_link * 8 / 1000 == 102.4


@pytest.mark.parametrize(
    ("gone", "GBps"), [("", 1800), ('down: ["scale[scale=0]"]\n', 1800 * 11 / 12)]
)
def test_a_rack_is_bound_by_the_lanes_of_a_gpu_that_are_up(gone: str, GBps: float) -> None:
    found = analyse(planned(RACK + gone), CATALOG, Request("all_gather", 2**33))
    assert (found.gpus, found.nvlink_domains) == (72, 1)
    assert found.bound_busbw_GBps == pytest.approx(GBps)


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "all_to_all"])
def test_what_nobody_published_is_not_predicted(collective: str) -> None:
    found = analyse(planned(RACK), CATALOG, Request(collective, 2**33))
    assert found.busbw_GBps is None
    (said,) = [one for one in found.findings if one.code == "scale-up-not-modelled"]
    assert "scale-up Ethernet" in said.text


@pytest.mark.parametrize(
    ("tray", "switch"),
    [
        ("gb200-nvl72-tray", "tomahawk-6-scale-up"),
        ("helios-mi455x-tray", "nvlink5-switch-tray"),
    ],
)
def test_unlike_protocols_do_not_meet(tray: str, switch: str) -> None:
    text = RACK.replace("helios-mi455x-tray", tray).replace("tomahawk-6-scale-up", switch)
    (said,) = [one for one in planned(text).findings if one.severity == "error"]
    assert said.code == "bad-nvlink-link"
    assert "NVLink" in said.text and "scale-up Ethernet" in said.text


def test_its_switches_are_bought_racked_and_fail() -> None:
    plan = planned(RACK + "placement: {units: 100, max_power_w: 1000000}\n")
    lines = {line.part: line.quantity for line in make_bill(plan, CATALOG).lines}
    assert lines == {"helios-mi455x-tray": 18, "tomahawk-6-scale-up": 12}
    stands = place(plan, CATALOG)
    assert len({*stands.rack_of["tray"], *stands.rack_of["scale"]}) == 1
    done = sweep(plan, CATALOG, Request(), collectives=("all_to_all",))
    (lost,) = [one for one in done.singles if one.failures[0].kind == "scale-up switch"]
    assert lost.failures[0].members == 12
    assert (lost.kept[0].share, lost.gpus_cut_off) == (None, 0)


def test_nothing_is_called_by_the_names_of_nvidia() -> None:
    # 8 lanes of each of 72 GPUs to each of 9 switches are 576 of 512
    text = RACK.replace("count: 12", "count: 9")
    (said,) = [one for one in planned(text).findings if one.code == "bad-nvlink-link"]
    assert said.text.startswith("72 GPUs with 8 links to each of scale take 576 of its 512 ports")
    assert "NVL72" not in said.fix and "NVLink" not in said.fix
    undrawn = RACK.partition("  scale")[0]
    for each in (RACK, undrawn, text, RACK.replace("18}", "17}"), RACK.replace("18}", "19}")):
        plan = planned(each)
        found = analyse(plan, CATALOG, Request("all_reduce", 2**33))
        bill = make_bill(plan, CATALOG)
        findings = (*plan.findings, *found.findings, *bill.findings)
        for words in (analysis_report(found, Request("all_reduce", 2**33)), *(
            f"{one.text} {one.fix}" for one in findings)):  # fmt: skip
            assert not re.search("NVLink|NVSwitch|NVL72|NCCL [0-9r]", words), words


def test_a_rack_that_is_sold_is_named_by_its_own_trays() -> None:
    text = RACK.replace("helios-mi455x-tray", "gb200-nvl36-tray")
    text = text.replace("tomahawk-6-scale-up", "nvlink5-switch-tray-nvl36")
    (said,) = [one for one in planned(text).findings if one.code == "bad-nvlink-link"]
    assert "9 switch trays and 9 trays a rack" in said.fix
