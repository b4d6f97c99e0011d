"""Figures and fixes are worked out for the design; the figures here are reckoned by hand."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from tests.every import for_every
from tests.review.mistakes.seeded import HDR, MISTAKES, OPEN, RAILS, ROCE, TWO_KINDS, but
from tests.review.reviewing import CATALOG, counting, reviewed
from toposmith.catalog import Catalog, PowerSupplies, Switch
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.parts import fact_words
from toposmith.findings.finding import Finding
from toposmith.review.findings.assumptions import RESTS_ON
from toposmith.review.findings.routing import overload
from toposmith.review.findings.tiers import nearest_divisors


def one(text: str, code: str, policy: str = "") -> Finding:
    return next(f for f in reviewed(text, policy) if f.code == code)


def seeded(name: str) -> Finding:
    mistake = next(m for m in MISTAKES if m.name == name)
    return one(mistake.wrong, mistake.code, mistake.policy)


DESIGNS = {"RAILS": RAILS, "HDR": HDR}
REMEDIES = yaml.safe_load(Path(__file__).with_name("remedies.yaml").read_text(encoding="utf-8"))


@for_every(REMEDIES)
def test_a_finding_has_the_figure_and_the_fix_that_are_reckoned_by_hand(case: dict) -> None:
    if "mistake" in case:
        finding = seeded(case["mistake"])
    else:
        text = DESIGNS[case["design"]].replace(*case.get("with", ("", ""))) + case.get("plus", "")
        finding = one(text, case["code"])
        assert case.get("lacks") not in {found.code for found in reviewed(text)}
    for field in ("where", "severity", "figure", "fix"):
        said = str(getattr(finding, field))
        assert fnmatchcase(said, case.get(field, "*")), said


@pytest.mark.parametrize(
    ("uplinks", "spines", "near"), [(32, 12, [8, 16]), (32, 3, [2, 4]), (20, 16, [10, 20])]
)
def test_the_nearest_counts_of_spines_divide_the_uplinks(
    uplinks: int, spines: int, near: list[int]
) -> None:
    assert nearest_divisors(uplinks, spines) == near


def test_a_job_without_the_weak_nodes_has_the_figure_of_the_strong_ones() -> None:
    finding = seeded("A100 nodes among H100")
    strong = reviewed(but(RAILS, ("count: 4", "count: 2"), ("cables: 2", "cables: 1")))
    assert counting(strong) == []
    assert finding.figure is not None
    assert finding.fix is not None
    assert float(finding.fix.split()[0]) > float(finding.figure.split()[0])


def test_two_flows_over_two_uplinks_meet_every_other_time() -> None:
    # apart: 1 each; together: 2; each with a chance of one half
    assert overload(2, 2) == pytest.approx(1.5)


def test_an_unknown_part_leaves_the_rest_reviewed() -> None:
    found = reviewed(
        but(
            RAILS,
            ("dgx-h100", "gone"),
            ("spine: {part: qm9700, count: 2}", "spine: {part: sn5600, count: 2}"),
        )
    )
    codes = {finding.code for finding in found}
    assert {"unknown-part", "protocol-mismatch"} <= codes


def test_a_doubtful_fact_is_named_in_words_beside_its_field() -> None:
    fields = ("power_w", "slots.compute.pcie", "cages.modes", "inter_socket_GBps")
    doubtful = CATALOG["qm9700"].model_copy(update={"unverified": fields})
    parts = Catalog([doubtful if part.id == "qm9700" else part for part in CATALOG])
    found = [f for f in reviewed(RAILS, catalog=parts) if f.code == "unverified-fact"]
    (text,) = [f.text for f in found if f.where == "leaf + spine"]
    for words in (
        "power (power_w)",
        "PCIe of the compute slots (slots.compute.pcie)",
        "port modes (cages.modes)",
        "bandwidth between sockets (inter_socket_GBps)",
    ):
        assert words in text


def test_every_fact_that_figures_rest_on_has_words_for_people() -> None:
    fields = {field for part in CATALOG for field in (*part.unverified, *part.conflicts)}
    known = {one for one in fields if one.partition(".")[0] in RESTS_ON}
    assert len(known) > 20
    for field in (*known, *RESTS_ON):
        words = fact_words(field)
        assert words
        assert not {"_", "."} & set(words)
        assert words != field or field in {"cages", "protocol", "pipelines"}


def test_a_fact_that_sources_disagree_on_is_unverified() -> None:
    doubtful = CATALOG["qm9700"].model_copy(update={"unverified": ("power_w",)})
    parts = Catalog([doubtful if part.id == "qm9700" else part for part in CATALOG])
    found = [f for f in reviewed(RAILS, catalog=parts) if f.code == "unverified-fact"]
    assert {f.where: f.figure for f in found} == {"leaf + spine": "power"}


def test_a_switch_that_needs_all_its_supplies_has_none_to_spare() -> None:
    switch = CATALOG["qm9700"]
    assert isinstance(switch, Switch)
    bare = switch.model_copy(
        update={"power_supplies": PowerSupplies(count=2, rating_w=1000, spare=0)}
    )
    parts = Catalog([bare if part.id == "qm9700" else part for part in CATALOG])
    found = [f for f in reviewed(RAILS, catalog=parts) if f.code == "no-spare-supply"]
    assert [(f.where, f.figure) for f in found] == [
        ("leaf", "0 of 2 spare"),
        ("spine", "0 of 2 spare"),
    ]
    assert "no-spare-supply" not in {f.code for f in reviewed(RAILS)}


def test_lengths_along_racks_that_the_design_describes_are_not_assumed() -> None:
    placed = RAILS.replace(", length: 20", "") + "placement: {nodes_per_rack: 2}\n"
    assert {f.code for f in reviewed(placed)} & {"length-assumed", "length-unknown"} == set()


def test_a_share_of_the_bound_can_be_asked_for() -> None:
    assert "far-from-bound" in dict(counting(reviewed(RAILS, "limits: {share_of_bound: 0.99}\n")))
    assert counting(reviewed(RAILS, "limits: {share_of_bound: 0.5}\n")) == []


@pytest.mark.parametrize("text", [RAILS, OPEN, HDR, ROCE, TWO_KINDS])
def test_the_sound_fabrics_are_sound(text: str) -> None:
    assert counting(reviewed(text)) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_every_code_that_comes_up_is_registered(mistake: object) -> None:
    found = reviewed(mistake.wrong, mistake.policy)  # type: ignore[attr-defined]
    assert {finding.code for finding in found} <= RECORDS.keys()


BROKEN_OUT = """groups:
  node: {part: as-4124go-nart, count: 8, nics: {compute: {part: connectx-6-200gbe, count: 8}}}
  leaf: {part: sn4700}
  leaf2: {part: sn3700}
links:
  - {between: [node.compute, leaf], length: 3}
  - {between: [leaf, leaf2], cables: 2, speed: 200, length: 3}
"""


def test_the_cables_that_fit_a_switch_are_counted_as_its_cages_are_broken_out() -> None:
    # 32 cages of 2 x 200 Gb/s are 64 ports; 64 to the nodes and 2 up take 33 cages.
    finding = one(BROKEN_OUT, "ports-overused")
    assert finding.figure == "33 of 32 cages"
    assert finding.fix is not None and finding.fix.endswith("at most 64 cables")


def test_ports_that_uplinks_lack_are_those_asked_for_beyond_the_cages() -> None:
    # 62 uplinks more, and 2 cables are too many already; leaf2 has 32 ports for 64. More of leaf2
    # do not help: the leaf itself has no port left.
    # 128 ports of 200: 64 cages of 400, two of 200 each; 64: as many cages of 200.
    leaf = "leaf with 64 ports more (such as Spectrum-4 SN5400)"
    lacks = f"{leaf} and leaf2 with 32 ports more (such as Spectrum-3 SN4600)"
    assert (one(BROKEN_OUT, "oversubscribed").fix or "").endswith(f", on {lacks}")


ONE_LEAF = """groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700}
links: [{between: [node.compute, leaf], length: 20}]
"""


@pytest.mark.parametrize(
    ("faults", "lost"),
    [("", "56 GPUs"), ("absent: ['node[node=0]']\ndown: ['node[node=1]']\n", "40 GPUs")],
)
def test_a_leaf_cuts_off_the_gpus_that_are_there_but_those_of_one_node(
    faults: str, lost: str
) -> None:
    # 8 nodes of 8 GPUs, or 6 of them; one goes on by itself.
    assert one(ONE_LEAF + faults, "single-leaf").figure == lost


def test_a_leaf_of_one_rack_cuts_off_its_own_nodes() -> None:
    # 2 racks of 4 nodes of 8 GPUs, joined by a spine: the other rack goes on.
    uplink = "{between: [leaf, spine], length: 5}, "
    text = ONE_LEAF.replace("count: 8}", "per: [rack], count: 4}").replace(
        "{part: qm9700}", "{part: qm9700, per: [rack]}\n  spine: {part: qm9700}"
    )
    text = text.replace("links: [", "axes: {rack: 2}\nlinks: [" + uplink)
    assert one(text, "single-leaf").figure == "32 GPUs"


def test_marks_of_all_kinds_are_said_with_the_figures() -> None:
    finding = one(
        f"toposmith: 2\n{RAILS}"
        'down: ["spine[spine=1]"]\n'
        'slow: {"node[node=1].compute[0]": 50 %, "node[node=0].gpu[3]": 50 %}\n'
        'absent: ["node[node=2]"]\n',
        "has-faults",
    )
    assert (finding.where, finding.figure) == ("down", "3 marks")
    assert finding.text == (
        "the figures are without what is down: spine[spine=1]; with what is slow: "
        "node[node=1].compute[0], node[node=0].gpu[3]; without 1 entry of absent:"
    )
    assert finding.fix == "remove down: and slow: once it is repaired"


def test_a_leaf_cuts_off_none_of_those_that_are_apart_already() -> None:
    # 2 racks of 4 nodes of 8 GPUs that nothing joins: of the 32 in its rack one node goes on
    text = ONE_LEAF.replace("count: 8}", "per: [rack], count: 4}").replace(
        "{part: qm9700}", "{part: qm9700, per: [rack]}"
    )
    text = text.replace("links: [", "axes: {rack: 2}\nlinks: [")
    assert one(text, "single-leaf").figure == "24 GPUs"


def test_a_switch_of_three_islands_takes_the_gpus_on_it_alone() -> None:
    # 3 rows of 4 switches, joined within rows; a node of 8 GPUs on each: 8 of a row's 32 go
    text = """toposmith: 2
axes: {x: 4, y: 3}
groups:
  node: {part: dgx-h100, per: [x, y]}
  leaf: {part: qm9700, per: [x, y]}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, leaf], along: {x: other}, cables: 2, length: 20}
"""
    assert one(text, "single-leaf").figure == "8 GPUs"


def test_uplinks_that_are_down_are_mended_not_made_up_for() -> None:
    text = (
        "toposmith: 1\naxes: {rail: 8}\ngroups:\n  node: {part: dgx-h100, count: 32}\n"
        "  leaf: {part: qm9700, per: [rail]}\n  spine: {part: qm9700, count: 8}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 4}]\n"
        'down: ["spine[spine=0..5]"]\n'
    )
    finding = one(text, "oversubscribed")
    assert finding.text.startswith("leaf tier oversubscribed 4:1 with what is down or slow, 1:1 as")
    assert finding.fix == "mend what is down or slow"
    # at 2:1 as cabled twice the uplinks are wanted besides
    thin = one(text.replace("cables: 4", "cables: 2"), "oversubscribed")
    assert (thin.fix or "").startswith("mend what is down or slow; 128 uplinks more; ")
    assert "cables: 4 instead of 2" in (thin.fix or "")
