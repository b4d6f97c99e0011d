"""Designs out of proportion: a clear word instead of millions of boxes and cables one by one."""

from __future__ import annotations

import pytest

from tests.racks.fabrics import CATALOG, planned
from toposmith.bill.bill import placed_bill
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import Plan
from toposmith.racks.lengths import runs
from toposmith.racks.placement import TooManyDevicesError, place
from toposmith.review.failures.sweep import sweep


def huge() -> Plan:
    """10^6 SU of 10^6 nodes of 8 GPUs, and 8 leaves to each."""
    return planned(
        {
            "axes": {"su": 1_000_000, "rail": 8},
            "groups": {
                "node": {"part": "dgx-h100", "per": ("su",), "count": 1_000_000},
                "leaf": {"part": "qm9700", "per": ("su", "rail")},
            },
            "links": [{"between": ("node.compute", "leaf")}],
            "absent": ("node[su=0..999999,node=0]",),
        }
    )


def test_racks_of_a_design_out_of_proportion_are_not_filled_and_that_is_said() -> None:
    placement = place(huge(), CATALOG)
    assert [finding.code for finding in placement.findings] == ["rack-too-many"]
    assert "1,000,008,000,000 devices" in placement.findings[0].text
    assert not placement.racks
    assert runs(huge(), placement) == ()


def test_its_bill_is_counted_and_says_that_racks_are_incomplete() -> None:
    bill = placed_bill(huge(), CATALOG)
    # 10^6 x 10^6, less the first node of every SU.
    assert bill.quantity("node") == 1_000_000 * 999_999
    assert bill.racks is not None and not bill.racks.complete
    assert "rack-too-many" in [finding.code for finding in bill.findings]


def test_its_cables_racks_and_report_are_refused() -> None:
    handover = EvaluatedDesign(huge().design, CATALOG)
    for wanted in ("schedule", "elevations", "all_findings"):
        with pytest.raises(TooManyDevicesError, match=r"1,000,008,000,000 devices"):
            getattr(handover, wanted)


def test_failures_are_not_looked_at_and_its_gpus_are_counted() -> None:
    assert sweep(huge(), CATALOG).gpus == 8 * 1_000_000 * 999_999


def test_many_cables_between_few_devices_are_too_many_as_well() -> None:
    groups = {"leaf": {"part": "qm9700", "count": 4000}, "spine": {"part": "qm9700", "count": 4000}}
    plan = planned({"groups": groups, "links": [{"between": ("leaf", "spine")}]})
    assert "16,000,000 cables" in place(plan, CATALOG).findings[0].text
