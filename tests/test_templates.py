"""Templates against the tables of NVIDIA's DGX SuperPOD reference architectures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from toposmith.catalog import Nic, Node, load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.synthesis.search_state import nics_for
from toposmith.templates import TEMPLATES, SettingValue, new_design

CATALOG = load_catalog()


def make(template: str, **values: SettingValue) -> Design:
    return new_design(template, values, catalog=CATALOG)


def counts(design: Design) -> tuple[int, ...]:
    plan = plan_design(design, CATALOG)
    return (*device_counts(plan).values(), *cable_counts(plan).values())


@pytest.mark.parametrize(
    ("su", "row"),
    [
        # RA-11333-001 Table 4: nodes, leaves, spines, node cables (less 4 of UFM), spine cables
        (1, (31, 8, 4, 248, 256)),
        (2, (63, 16, 8, 504, 512)),
        (3, (95, 24, 16, 760, 768)),
        (4, (127, 32, 16, 1016, 1024)),
    ],
)
def test_leaf_spine_gives_the_dgx_h100_table(su: int, row: tuple[int, ...]) -> None:
    assert counts(make("leaf-spine", su=su, empty_slots=1)) == row


@pytest.mark.parametrize(
    ("su", "row"),
    [
        (2, (64, 16, 8, 512, 512)),
        (4, (128, 32, 16, 1024, 1024)),
        (8, (256, 64, 32, 2048, 2048)),
    ],
)
def test_leaf_spine_gives_the_two_tier_rows_of_the_dgx_b200_table(
    su: int, row: tuple[int, ...]
) -> None:
    assert counts(make("leaf-spine", su=su, node="dgx-b200")) == row


@pytest.mark.parametrize(
    ("su", "row"),
    [
        (16, (512, 128, 128, 64, 4096, 4096, 4096)),
        (32, (1024, 256, 256, 128, 8192, 8192, 8192)),
        (64, (2048, 512, 512, 256, 16384, 16384, 16384)),
    ],
)
def test_three_tier_gives_the_three_tier_rows_of_the_dgx_b200_table(
    su: int, row: tuple[int, ...]
) -> None:
    assert counts(make("three-tier", su=su, node="dgx-b200")) == row


def test_every_leaf_has_the_same_whole_number_of_links_to_every_spine() -> None:
    # A plain ceil would give 12 spines for 3 SU; 32 uplinks cannot be dealt over 12.
    design = make("leaf-spine", su=3)
    assert design.groups["spine"].count == 16
    assert design.links[1].cables == 2


def test_oversubscription_takes_uplinks_away() -> None:
    plan = plan_design(make("leaf-spine", su=4, oversubscription=2), CATALOG)
    assert cable_counts(plan) == {0: 1024, 1: 512}


@pytest.mark.parametrize(
    ("ratio", "uplinks"), [(2, 16), ("2:1", 16), ("8:4", 16), (2.0, 16), (1.6, 20), ("8:5", 20)]
)
def test_oversubscription_may_be_written_as_a_ratio(ratio: SettingValue, uplinks: int) -> None:
    # 32 nodes bring 32 x 400 Gb/s to a leaf of their rail
    design = make("leaf-spine", su=2, oversubscription=ratio)
    assert design.groups["spine"].count * (design.links[1].cables or 1) == uplinks


@pytest.mark.parametrize("template", ["leaf-spine", "three-tier", "top-of-rack", "dual-plane"])
@pytest.mark.parametrize("ratio", [-1, "-7:3", 0, "1e9", "nan", "3:0"])
def test_an_impossible_oversubscription_is_refused(template: str, ratio: SettingValue) -> None:
    with pytest.raises(EditError, match="oversubscription is a ratio"):
        make(template, node="dgx-a100", oversubscription=ratio)


def test_oversubscription_is_of_capacity_where_speeds_differ() -> None:
    # 20 nodes of HDR100 bring 2,000 Gb/s to a leaf: 10 uplinks of HDR.
    values = {"node": "hgx-a100-4", "nic": "connectx-6-hdr100", "nics": 4, "nodes": 20, "su": 2}
    design = make("leaf-spine", leaf="qm8700", spine="qm8700", **values)
    assert counts(design) == (40, 8, 2, 160, 80)


def test_the_tiers_above_are_of_the_part_of_the_leaves_where_nothing_else_is_said() -> None:
    for name, template in TEMPLATES.items():
        tiers = {one.name for one in template.parameters} & {"leaf", "spine", "core"}
        if tiers:
            made = make(name, leaf="qm9790")
            assert {made.groups[tier].part for tier in tiers} == {"qm9790"}
    mixed = make("three-tier", spine="qm9790")
    assert [mixed.groups[tier].part for tier in ("leaf", "spine", "core")] == [
        "qm9700",
        "qm9790",
        "qm9700",
    ]


@pytest.mark.parametrize(
    ("spine", "spines"),
    # 32 leaves with 16 uplinks of 200G are 512: 16 switches of 32 such ports, or 8 of 32 cages
    # of 400G that split in two.
    [("sn3700", 16), ("sn4700", 8)],
)
def test_faster_spines_are_fewer(spine: str, spines: int) -> None:
    values = {"node": "dgx-a100", "nodes": 16, "leaf": "sn3700"}
    design = make("leaf-spine", spine=spine, **values)
    assert counts(design) == (64, 32, spines, 512, 512)


def test_top_of_rack_has_one_leaf_a_rack() -> None:
    # 8 racks of 4 nodes with 8 ports: 32 down and 32 up at each leaf, 256 uplinks on 4 spines.
    assert counts(make("top-of-rack", racks=8)) == (32, 8, 4, 256, 256)


def test_single_switch_has_only_one() -> None:
    assert counts(make("single-switch", nodes=8)) == (8, 1, 64)


def test_the_leaves_of_a_rail_meet_at_spines_of_their_own() -> None:
    # 4 SU: the 4 leaves of a rail have 32 uplinks each, 128 ports are 2 spines of 64, for 8 rails.
    design = make("rail-only", su=4)
    assert counts(design) == (128, 32, 16, 1024, 1024)
    assert design.groups["spine"].per == ("rail",)
    assert design.links[1].cables == 16


@pytest.mark.parametrize(("planes", "rails"), [(2, 4), (4, 2), (8, 1)])
def test_every_plane_takes_its_share_of_the_ports_of_a_node(planes: int, rails: int) -> None:
    # the ports of 128 nodes are 1,024 whatever the planes: 32 leaves of 32 down and 32 up
    design = make("dual-plane", planes=planes)
    assert counts(design) == (128, 32, 16, 1024, 1024)
    assert design.axes == {"su": 4, "rail": rails, "plane": planes}


def test_what_is_asked_is_a_setting() -> None:
    for template in TEMPLATES.values():
        assert all(template.parameter(name).help for name in template.asks)
        assert bool(template.asks) == (template.name != "empty")


@pytest.mark.parametrize(
    ("values", "spines", "cables"),
    [
        # 32 ports below at 3:1 take 11 uplinks; 32 leaves with 12 fill 6 spines of 64 ports
        ({"oversubscription": 3}, 6, 2),
        # 40 below at 3:1 take 14, which two spines divide: 8 leaves with 7 cables to each
        ({"su": 1, "nodes": 40, "oversubscription": 3, "spines": 2}, 2, 7),
        # 2:1 comes out with 16 uplinks: they are not rounded up, though 10 spines of 2 had ports
        ({"oversubscription": 2}, 8, 2),
    ],
)
def test_a_ratio_is_the_most_and_uplinks_are_rounded_up_to_spines(
    values: dict[str, SettingValue], spines: int, cables: int
) -> None:
    design = new_design("leaf-spine", values, catalog=CATALOG)
    assert (design.groups["spine"].count, design.links[1].cables) == (spines, cables)
    down, ratio = design.groups["node"].count, Fraction(str(values["oversubscription"]))
    assert Fraction(down, spines * cables) <= ratio


def test_where_ports_do_not_suffice_the_nearest_that_fit_are_offered() -> None:
    """32 below on 40 ports leave 8 up, at 4:1; at 3:1 there is room for 30 below and 10 up."""
    values = {
        "node": "hgx-a100-8", "nic": "connectx-6-hdr", "nics": 8, "leaf": "qm8700",
        "nodes": 32, "oversubscription": 3,
    }  # fmt: skip
    with pytest.raises(EditError, match=r"take nodes=30 or oversubscription=4 \(8 uplinks\)"):
        new_design("leaf-spine", values, catalog=CATALOG)
    for right in ({"nodes": 30}, {"oversubscription": 4}):
        new_design("leaf-spine", {**values, **right, "su": 2}, catalog=CATALOG)


def test_switches_and_nodes_follow_from_the_node_that_is_chosen() -> None:
    """The scalable unit of DGX A100 has 20 nodes below leaves of 40 HDR ports, half of them up."""
    design = new_design("leaf-spine", {"node": "dgx-a100"}, catalog=CATALOG)
    assert design.groups["node"].count == 20
    assert {design.groups[tier].part for tier in ("leaf", "spine")} == {"qm8700"}


def is_providers(node: Node) -> bool:
    """Whether the network of a node is its provider's, who designs it."""
    parts = [CATALOG.get(room.nic) for room in node.slots.values() if room.nic]
    return any(isinstance(part, Nic) and part.cage == "virtual" for part in parts)


OWN_NETWORK = [
    part
    for part in CATALOG.of_kind("node")
    if isinstance(part, Node) and part.slots and not is_providers(part)
]


@pytest.mark.parametrize("node", OWN_NETWORK, ids=lambda node: node.id)
def test_no_default_is_refused_whatever_node_is_chosen(node: Node) -> None:
    """Two ports for two planes, a tray for an NVLink rack: what is refused else is a template's."""
    slots = "compute" if "compute" in node.slots else next(iter(node.slots))
    values: dict[str, SettingValue] = {"node": node.id, "slots": slots}
    room = node.slots[slots]
    if room.nic is None:
        nics = nics_for(CATALOG, slots, node.slots, None, "infiniband")
        usual = [one for one in nics if one.speed_gbit in (100, 200, 400)]
        values |= {"nic": usual[0].id, "nics": room.count}
    for name in ("single-switch", "leaf-spine", "three-tier", "rail-only", "top-of-rack", "torus"):
        new_design(name, values, catalog=CATALOG)
    new_design("dragonfly", values, catalog=CATALOG)


def test_empty_is_empty() -> None:
    assert make("empty", name="mine") == Design(name="mine")


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_makes_a_sound_design_that_a_file_keeps(template: str) -> None:
    design = make(template)
    plan = plan_design(design, CATALOG)
    assert [f for f in (*plan.findings, *port_findings(plan)) if f.severity == "error"] == []
    assert parse_design(design_text(design), "new") == design


def test_every_setting_has_help() -> None:
    for template in TEMPLATES.values():
        assert template.help
        assert all(parameter.help for parameter in template.parameters)


@pytest.mark.parametrize(
    ("template", "values", "says"),
    [
        ("leef-spine", {}, "did you mean leaf-spine"),
        ("leaf-spine", {"leafs": 3}, "did you mean leaf"),
        ("leaf-spine", {"su": "four"}, "su is a whole number, found 'four'"),
        ("leaf-spine", {"su": 0}, "su is a whole number from 1 to 4,096, found 0"),
        ("leaf-spine", {"su": 2.5}, "su is a whole number, found 2.5"),
        ("leaf-spine", {"su": True}, "su is a whole number, found True"),
        ("leaf-spine", {"oversubscription": "x"}, "is a ratio such as 2, 3:1 or 1.5, found 'x'"),
        ("leaf-spine", {"oversubscription": "1:0"}, "is a ratio such as 2"),
        ("leaf-spine", {"oversubscription": "1:2"}, "is a ratio from 1 to 64, found 1:2"),
        ("leaf-spine", {"leaf": "qm970"}, "did you mean qm9790 or qm9700"),
        ("leaf-spine", {"leaf": "dgx-h100"}, "is a node, not a switch"),
        ("leaf-spine", {"node": "hgx-h100-8"}, "fit some with nic=PART and nics=N"),
        ("leaf-spine", {"nics": 8}, "say nic=PART too"),
        ("leaf-spine", {"slots": "fast"}, "it has: compute, storage"),
        (
            "leaf-spine",
            {"nodes": 40},
            "40 cages of 32; take nodes=32 or oversubscription=1.67 (24 uplinks)",
        ),
        ("leaf-spine", {"rails": 3}, "1 or 2 or 4 or 8 peers work"),
        ("leaf-spine", {"spines": 7}, "1 or 2 or 4 or 8 or 16 or 32 work"),
        ("leaf-spine", {"su": 9}, "at most 64 switches fit below"),
        ("leaf-spine", {"leaf": "sn5600", "spine": "qm9700"}, "cannot be joined"),
        ("three-tier", {"core": "qm970"}, "core: 'qm970' is not in the catalog"),
        ("leaf-spine", {"empty_slots": 32}, "empty_slots can be at most 31"),
        ("three-tier", {"su": 17}, "take a multiple of 4"),
        ("single-switch", {"nodes": 9}, "links ask for 36 cages"),
        ("dual-plane", {"planes": 3}, "8 ports of a node cannot be dealt over 3 planes"),
        ("empty", {"su": 1}, "empty has no setting 'su' (known: name)"),
    ],
)
def test_a_wrong_value_is_told_what_would_be_right(
    template: str, values: dict[str, SettingValue], says: str
) -> None:
    with pytest.raises(EditError) as refused:
        new_design(template, values, catalog=CATALOG)
    assert says in str(refused.value)


def test_several_empty_slots_are_the_last_ones() -> None:
    design = make("leaf-spine", su=2, empty_slots=3)
    assert design.absent == ("node[su=1,node=29..31]",)


def test_ports_of_nodes_and_uplinks_share_no_cage() -> None:
    # 63 ports down take 32 cages of two, and the one uplink a 33rd
    with pytest.raises(EditError, match="33 cages of 32"):
        make("leaf-spine", su=2, nodes=63, oversubscription=63)
