"""A fix can be built: every switch has the ports that it asks for, by hand or by trying all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every import for_every
from tests.review.mistakes.seeded import but
from tests.review.reviewing import CATALOG, counting, reviewed
from toposmith.design.edits import set_part
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.review.findings.tiers import AS_IS, Rewiring, growing, lacking

ROCE = """\
axes: {su: 2, rail: 8}
groups:
  node:
    part: hgx-h100-8
    per: [su]
    count: 16
    nics: {compute: {part: connectx-7-400-qsfp112, count: 8}}
  leaf: {part: sn5400, per: [su, rail]}
  spine: {part: sn5400, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 4, length: 20}
"""
"""16 leaves with 16 cables down and 8 up, on two spines whose 64 ports are all taken."""


def fix(text: str, code: str, policy: str = "") -> str:
    return next(f.fix or "" for f in reviewed(text, policy) if f.code == code)


def test_spines_without_a_free_port_want_more_spines() -> None:
    # 16 leaves x 16 uplinks are 256 cables, and 4 spines x 64 ports are 256: 4 to each pair.
    assert fix(ROCE, "oversubscribed") == (
        "128 uplinks more; spine with count: 4 instead of 2 and leaf - spine with cables: 4 as now"
    )


def test_spines_with_free_ports_get_more_cables() -> None:
    # 8 leaves x 8 cables are 64 ports of each spine.
    assert fix(but(ROCE, ("su: 2", "su: 1")), "oversubscribed") == (
        "64 uplinks more; leaf - spine with cables: 8 instead of 4"
    )


def test_more_spines_are_no_way_out_where_cores_have_no_port_for_them() -> None:
    # A core of 64 ports takes 32 from each of two spines, and none from a third.
    cored = but(
        ROCE,
        ("links:", "  core: {part: sn5600, count: 1}\nlinks:"),
        ("sn5400, count: 2", "sn5600, count: 2"),
        ("cables: 4, length", "cables: 4, speed: 400, length"),
    )
    cored += "  - {between: [spine, core], cables: 32, speed: 800, length: 20}\n"
    # A spine of 64 cages: 32 up at 800, and 64 ports of 400 for leaves on the other 32.
    assert fix(cored, "oversubscribed") == (
        "128 uplinks more; leaf - spine with cables: 8 instead of 4, on spine with 64 ports more"
        # 128 ports of 400 and 32 of 800: 48 of its 64 cages of two ports of 800 each
        " (such as Spectrum-6 SN6600)"
    )


UNEVEN = """\
axes: {su: 4, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 12}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""


def test_fewer_spines_are_named_only_where_they_have_the_ports() -> None:
    # 32 uplinks over 8 spines are 4 to each: 32 leaves x 4 = 128 of 64 ports. Over 16 they fit.
    # A third cable to each is 96 of 64 ports.
    assert fix(UNEVEN, "uneven-uplinks", TO_2) == "16 of spine with 2 cables to each"


def test_the_nearest_multiple_is_named_where_the_spines_have_its_ports() -> None:
    # 20 uplinks over 6 spines are 3 1/3 to each; 8 leaves x 4 are 32 of 64 ports. Nobody buys 20.
    text = but(UNEVEN, ("su: 4", "su: 1"), ("count: 32", "count: 20"), ("count: 12", "count: 6"))
    assert fix(but(text, ("cables: 2", "cables: 3")), "uneven-uplinks", TO_2) == (
        "4 cables to each spine instead of 3, or 5 of spine with 4 cables to each, "
        "or 10 of spine with 2 cables to each"
    )


@pytest.mark.parametrize(("nodes", "spines", "cables"), [(17, 2, 8), (18, 4, 4), (20, 6, 3)])
def test_uplinks_that_are_too_few_are_one_warning(nodes: int, spines: int, cables: int) -> None:
    text = but(
        UNEVEN,
        ("su: 4", "su: 1"),
        ("count: 32", f"count: {nodes}"),
        ("count: 12", f"count: {spines}"),
        ("cables: 2", f"cables: {cables}"),
    )
    assert counting(reviewed(text)) == [("oversubscribed", "leaf")]


TO_2 = "limits: {oversubscription: {leaf: 2}}\n"


def fabric(leaves: int, spines: int, cables: int, core: int = 0) -> Plan:
    # qm8700: 40 ports of HDR
    cored = "  core: {part: qm8700}\n" if core else ""
    uplink = f"  - {{between: [spine, core], cables: {core}}}\n" if core else ""
    text = (
        "toposmith: 1\ngroups:\n"
        f"  leaf: {{part: qm8700, count: {leaves}}}\n"
        f"  spine: {{part: qm8700, count: {spines}}}\n{cored}"
        f"links:\n  - {{between: [leaf, spine], cables: {cables}}}\n{uplink}"
    )
    return plan_design(parse_design(text, "test"), CATALOG)


@settings(max_examples=30)
@given(st.integers(1, 24), st.integers(1, 6), st.integers(1, 8), st.integers(0, 12))
def test_ports_lack_after_a_change_as_in_the_changed_design(
    leaves: int, spines: int, cables: int, core: int
) -> None:
    sound = fabric(1, 1, 1, min(core, 1))
    changed = Rewiring(
        {"leaf": leaves, "spine": spines}, {0: cables, 1: core} if core else {0: cables}
    )
    overused = {finding.where for finding in port_findings(fabric(leaves, spines, cables, core))}
    assert set(lacking(sound, changed)) == overused


@settings(max_examples=15)
@given(
    st.integers(1, 24),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 8),
    st.sampled_from([1.5, 2.0, 3.0]),
)
def test_the_spines_to_take_are_the_fewest_that_can_be_built(
    leaves: int, spines: int, cables: int, core: int, factor: float
) -> None:
    plan = fabric(leaves, spines, cables, core)
    if port_findings(plan):
        return
    uplinks = factor * spines * cables

    def buildable() -> Iterator[int]:
        for count, each in product(range(spines, 41), range(1, 41)):
            if count * each >= uplinks and not port_findings(fabric(leaves, count, each, core)):
                yield count

    fewest = next(buildable(), None)
    if fewest is None:
        with pytest.raises(ValueError, match="no number of spine"):
            growing(plan, AS_IS, "spine", {0: factor})
        return
    grown = growing(plan, AS_IS, "spine", {0: factor})
    assert grown.counts.get("spine", spines) == fewest
    assert fewest * grown.cables[0] >= uplinks


LEAVES = ("sn2700", "sn3700", "sn4600", "sn4700", "sn5400", "sn5600", "sn6600")
TOO_MANY = """\
groups:
  node: {{part: dgx-b200, count: 16}}
  leaf: {{part: {leaf}, count: 8}}
  spine: {{part: {spine}, count: 1}}
links:
  - {{between: [node.compute, leaf], cables: 1, length: 2}}
  - {{between: [leaf, spine], cables: {cables}, length: 20}}
"""


@for_every(tuple(product(LEAVES, LEAVES, (13, 18, 27))))
def test_a_switch_to_take_is_another_one_and_has_the_ports(case: tuple[str, str, int]) -> None:
    leaf, spine, cables = case
    text = TOO_MANY.format(leaf=leaf, spine=spine, cables=cables)
    for finding in reviewed(text):
        if finding.code != "ports-overused" or finding.values.get("larger") is None:
            continue
        name, part = finding.place.group, finding.values.text("larger")
        own = {"leaf": leaf, "spine": spine}[name]
        assert part != own, finding.fix
        design = parse_design(f"toposmith: 1\n{text}", "test")
        with_it = set_part(design, name, part).design
        assert name not in {f.place.group for f in port_findings(plan_design(with_it, CATALOG))}


RACKS = """\
axes: {rack: 5}
groups:
  node: {part: dgx-b200, per: [rack], count: 13}
  leaf: {part: sn6600, per: [rack]}
  spine: {part: sn6600}
links:
  - {between: [node.compute, leaf], length: 3}
  - {between: [leaf, spine], cables: 18, length: 20}
"""


def test_a_leaf_that_lacks_ports_is_not_told_to_be_what_it_is() -> None:
    # 104 ports of 400 and 52 uplinks of 800, both two to a cage: 78 of 64 cages. A spine of
    # 5 x 52 = 260 ports of 800 is not to be had.
    said = fix(RACKS, "oversubscribed")
    assert "on leaf with 28 ports more" in said
    assert "SN6600" not in said, said
    assert "132 ports more (no other switch in this catalog has them)" in said
    assert said.endswith("; or fewer devices below each, which need fewer uplinks")
    full = next(
        found
        for found in reviewed(but(RACKS, ("cables: 18", "cables: 52")))
        if (found.code, found.where) == ("ports-overused", "leaf")
    )
    assert full.figure == "78 of 64 cages"
    assert "sn6600" not in (full.fix or "")
