"""What a reviewer says at first sight: shared switches, networks that lack or choke, no cable."""

from __future__ import annotations

import pytest

from tests.every_design import EVERY, planned
from tests.review.mistakes.seeded import RAILS
from tests.review.reviewing import CATALOG, reviewed
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.templates import new_design


def of_code(text: str, code: str, policy: str = "") -> list[Finding]:
    return [one for one in reviewed(text, policy) if one.code == code]


STORE = RAILS.replace("  spine:", "  store: {part: ddn-ai400x2, count: 2}\n  spine:")


@pytest.mark.parametrize("switches", ["leaf", "spine"])
def test_storage_on_switches_of_the_compute_network_is_a_warning(switches: str) -> None:
    text = STORE + f"  - {{between: [store.storage, {switches}], length: 20}}\n"
    (one,) = of_code(text, "compute-switches-shared")
    assert (one.severity, one.where) == ("warning", switches)
    assert "storage network" in one.text and one.figure == "1 of 2 groups of compute switches"


def test_management_that_ends_at_a_compute_leaf_is_a_warning() -> None:
    text = """\
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: sn5600, count: 2}
  oob: {part: sn2201}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [node.management, oob], length: 5}
  - {between: [oob.uplink, leaf], length: 5}
"""
    found = of_code(text, "compute-switches-shared")
    assert [one.where for one in found] == ["leaf"]
    assert "management network" in found[0].text


def test_a_leaf_that_is_managed_over_its_own_port_is_not_shared() -> None:
    settings = {"node": "dgx-h100", "su": 2, "nodes": 16, "storage": 4}
    settings |= {"in_band": "sn5600", "out_of_band": "sn2201", "out_of_band_core": "sn4600c"}
    design = new_design("leaf-spine", settings, catalog=CATALOG)
    codes = {one.code for one in EvaluatedDesign(design, CATALOG).findings}
    assert not codes & {"compute-switches-shared", "network-not-drawn"}


def test_no_network_of_management_is_a_remark_and_not_said_where_it_is_drawn() -> None:
    (one,) = of_code(RAILS, "network-not-drawn")
    assert one.severity == "info"
    assert one.text.startswith("no management or storage network is drawn")
    with_storage = STORE.replace("  spine:", "  store-leaf: {part: qm9700}\n  spine:")
    with_storage += "  - {between: [node.storage, store-leaf], length: 20}\n"
    with_storage += "  - {between: [store.storage, store-leaf], length: 20}\n"
    (one,) = of_code(with_storage, "network-not-drawn")
    assert one.text.startswith("no management network is drawn")
    assert one.fix == "links to node.management"
    managed = with_storage.replace("  spine:", "  oob: {part: sn2201}\n  spine:")
    managed += "  - {between: [node.management, oob], length: 5}\n"
    assert of_code(managed, "network-not-drawn") == []


def test_management_of_a_provider_s_machines_is_the_provider_s() -> None:
    text = "groups: {node: {part: nd96isr-h100-v5, count: 2}}\n"
    assert of_code(text, "network-not-drawn") == []


def tapered(cables: int, policy: str = "") -> Finding:
    """What is said of a storage leaf with two ports of each of 32 nodes below, and so many up."""
    text = STORE.replace("count: 4}", "count: 32}").replace("count: 2}", "count: 4}")
    text = text.replace(
        "  spine:", "  store-leaf: {part: qm9700}\n  store-spine: {part: qm9700}\n  spine:"
    )
    text += "  - {between: [node.storage, store-leaf], length: 20}\n"
    text += f"  - {{between: [store-leaf, store-spine], cables: {cables}, length: 20}}\n"
    text += "  - {between: [store.storage, store-spine], length: 20}\n"
    codes = ("network-tapered", "network-starved")
    found = [one for one in reviewed(text, policy) if one.code in codes]
    return next(one for one in found if one.where == "store-leaf")


# 32 nodes x 2 ports x 400 Gb/s are 25,600 Gb/s; eight cables of 400 Gb/s carry an eighth of that
@pytest.mark.parametrize(
    ("cables", "code"), [(2, "network-starved"), (7, "network-starved"), (8, "network-tapered")]
)
def test_more_than_eight_to_one_is_a_warning_and_less_a_remark(cables: int, code: str) -> None:
    one = tapered(cables)
    assert one.code == code
    assert one.severity == ("warning" if code == "network-starved" else "info")


def test_a_policy_sets_how_far_another_network_may_taper() -> None:
    assert tapered(2, "limits: {network_taper: 40}\n").code == "network-tapered"
    (starved,) = [tapered(8, "limits: {network_taper: 4}\n")]
    assert starved.code == "network-starved" and starved.figure == "8:1, policy 4:1"


def test_what_no_part_reaches_is_an_error_and_what_nobody_measured_a_warning() -> None:
    far = RAILS.replace("cables: 2, length: 20", "cables: 2, length: 5000")
    assert [one.severity for one in of_code(far, "no-cable")] == ["error"]


@pytest.mark.parametrize("name", EVERY)
def test_designs_that_come_along_have_cables_and_switches_of_their_own(name: str) -> None:
    design = EvaluatedDesign(EVERY[name], CATALOG, shared=planned(name))
    codes = {one.code for one in design.findings}
    shared = {"compute-switches-shared"} if name == "storage on the leaf" else set()
    assert codes & {"compute-switches-shared", "network-starved", "no-cable"} == shared
