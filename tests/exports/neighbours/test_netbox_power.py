"""What NetBox's device type library calls ports and inlets, and what feeds every inlet."""

from __future__ import annotations

import csv
import io
from collections import Counter
from math import ceil
from typing import Any

import pytest
import yaml

from tests.exports.neighbours.written import CATALOG, design_of, made, saved_text
from toposmith.catalog import Node, Pdu, Switch
from toposmith.errors import ExportError
from toposmith.exports.neighbours.netbox_library import LISTED_TYPES, pdu_type

Row = dict[str, str]

POD = saved_text("dgx-h100-superpod-1su")


def one_node(part: str, feeds: str, count: int = 1) -> str:
    return (
        f"toposmith: 1\ngroups: {{node: {{part: {part}, count: {count}}}}}\n"
        f"placement: {{feeds: {feeds}}}\n"
    )


def inventory(text: str) -> tuple[dict[str, list[Row]], list[dict[str, Any]], list[str]]:
    """The tables by name, the device types, and what was not carried."""
    folder = made(design_of(text), "netbox")
    assert folder.files is not None
    files = {name: b"".join(pieces).decode() for name, pieces in folder.files}
    tables = {
        name.partition("-")[2].removesuffix(".csv"): list(csv.DictReader(io.StringIO(text)))
        for name, text in files.items()
        if name.endswith(".csv")
    }
    types = next(text for name, text in files.items() if name.endswith(".yaml"))
    return tables, list(yaml.safe_load_all(types)), list(folder.lost)


@pytest.mark.parametrize(
    "part,slug,first,last",
    [  # github.com/netbox-community/devicetype-library, device-types/MAKER/MODEL.yaml
        ("sb7890", "mellanox-sb7890", "IB1/1", "IB1/36"),
        ("qm8790", "mellanox-qm8790", "swp1", "swp40"),
        ("q3400-ra", "nvidia-q3400-ra", "sw1p1", "sw72p2"),
        ("sn2100", "mellanox-sn2100", "swp1", "swp16"),
        ("sn2201", "mellanox-sn2201", "swp1", "swp48"),
        ("sn2700", "sn2700", "swp1", "swp32"),
        ("sn3700c", "sn3700c", "swp1", "swp32"),
        ("sn4600", "mellanox-sn4600", "swp1", "swp64"),
        ("sn4600c", "sn4600c", "swp1", "swp64"),
        ("sn4700", "sn4700", "swp1", "swp32"),
        ("sn5610", "nvidia-sn5610", "swp1", "swp64"),
        ("7060dx5-64s", "arista-dcs-7060dx5-64s-f", "Ethernet1/1", "Ethernet64/1"),
        ("n9k-c9364c", "cisco-n9k-c9364c", "Ethernet1/1", "Ethernet1/64"),
        ("z9432f-on", "dell-powerswitch-z9432f-on", "Ethernet 1/1/1", "Ethernet 1/1/32"),
        ("qfx5220-128c", "juniper-qfx5220-128c", "et-0/0/0", "et-0/0/127"),
        ("as9817-64o", "edgecore-as9817-64o-o-ac-f", "Port 1", "Port 64"),
        ("dx010", "celestica-dx010", "1/1", "32/1"),
    ],
)
def test_ports_are_called_as_in_the_device_type_library(
    part: str, slug: str, first: str, last: str
) -> None:
    _, (one,), _ = inventory(f"toposmith: 1\ngroups: {{leaf: {{part: {part}, count: 1}}}}\n")
    names = [port["name"] for port in one["interfaces"]]
    assert (one["slug"], names[0], names[-1]) == (slug, first, last)
    assert len(set(names)) == len(names)


def test_every_listed_device_is_a_switch_of_the_catalog_under_a_slug_of_its_own() -> None:
    assert all(isinstance(CATALOG.get(one), Switch) for one in LISTED_TYPES)
    slugs = [(one.manufacturer, one.slug) for one in LISTED_TYPES.values()]
    assert len(set(slugs)) == len(slugs)


def test_every_pdu_has_the_outlets_that_its_part_counts() -> None:
    for pdu in CATALOG.of_kind("pdu"):
        assert isinstance(pdu, Pdu)
        outlets = pdu_type(pdu).outlets
        assert len({one.name for one in outlets}) == len(outlets)
        found = Counter(one.type.removeprefix("iec-60320-").upper() for one in outlets)
        assert found == pdu.outlets, pdu.id


def test_outlets_of_pdus_are_called_as_in_the_library() -> None:
    # APC/AP8888.yaml, APC/AP8858.yaml
    large, small = (CATALOG.get(one) for one in ("apc-ap8888", "apc-ap8858"))
    assert isinstance(large, Pdu) and isinstance(small, Pdu)
    assert [pdu_type(large).outlets[at].name for at in (0, 5, 6, 41)] == [
        "L1 Bank 1 C13 01",
        "L1 Bank 1 C19 02",
        "L1 Bank 2 C13 05",
        "L3 Bank 6 C19 4",
    ]
    assert [one.name for one in pdu_type(small).outlets if one.type.endswith("19")] == [
        "Power Outlet 7",
        "Power Outlet 14",
    ]


def test_six_supplies_of_each_dgx_h100_and_two_of_each_switch_are_cabled() -> None:
    # 31 x 6 + 12 x 2; 3.3 kW at 415 V between phases is 13.8 A: a C19
    tables, types, lost = inventory(
        POD + "placement: {feeds: {pdu: raritan-px3-5878i2r, count: 3}}\n"
    )
    cables = tables["power-cables"]
    assert len(cables) == 31 * 6 + 12 * 2
    assert not any("power" in words for words in lost)
    nodes = [row for row in cables if row["side_a_device"].startswith("node")]
    assert all(row["side_b_name"].startswith("C19") for row in nodes)
    feeds = Counter((row["side_a_device"], row["side_b_device"][-1]) for row in nodes)
    assert set(feeds.values()) == {2}
    assert len(tables["feed-cables"]) == len(tables["power-feeds"]) == 3 * len(tables["racks"])
    held = {one["model"]: one for one in types}
    model = {row["name"]: row["device_type"] for row in tables["devices"]}
    racks = {row["name"]: row["rack"] for row in tables["devices"]}
    inlets = {
        (name, one["name"]) for name in model for one in held[model[name]].get("power-ports", [])
    }
    outlets = {
        (name, one["name"]) for name in model for one in held[model[name]].get("power-outlets", [])
    }
    ends = [(row["side_a_device"], row["side_a_name"]) for row in cables]
    taken = [(row["side_b_device"], row["side_b_name"]) for row in cables]
    assert len(set(ends)) == len(ends) and set(ends) <= inlets
    assert len(set(taken)) == len(taken) and set(taken) <= outlets
    assert all(racks[row["side_a_device"]] == racks[row["side_b_device"]] for row in cables)
    fed = {(row["side_b_device"], row["side_b_name"]) for row in tables["feed-cables"]}
    assert fed <= inlets and fed.isdisjoint(ends)


def test_inlets_that_the_library_has_no_ports_for_are_made_for_each_device() -> None:
    # device-types/Nvidia/SN5610.yaml has four bays for supplies; 2.08 kW at 240 V is 8.7 A
    text = (
        "toposmith: 1\ngroups: {leaf: {part: sn5610, count: 2}}\n"
        "placement: {feeds: {pdu: apc-ap8888}}\n"
    )
    tables, _, lost = inventory(text)
    assert [(row["device"], row["name"]) for row in tables["power-ports"]] == [
        (f"leaf-{n}", f"PSU{supply}") for n in range(2) for supply in range(1, 5)
    ]
    cables = tables["power-cables"]
    assert len(cables) == 8 and all(" C13 " in row["side_b_name"] for row in cables)
    assert not any("power cables" in words for words in lost)


@pytest.mark.parametrize(
    "part,feeds,count,cables,words",
    [
        # 6.6 kW at 240 V is 27.5 A
        ("sys-822gs-nb3rt", "{pdu: apc-ap8888}", 1, 0, "more than 16 A"),
        # 3.3 kW at 230 V is 14.3 A; two PDUs with two C19 each
        ("dgx-h100", "{pdu: apc-ap8858}", 1, 4, "2 power cables for which the PDUs of 1 rack"),
        ("mi300x-8", "{pdu: apc-ap8888}", 1, 0, "its supplies are not in this catalog"),
        # neither plug nor rating, nor the most that it draws
        ("sn2100", "{pdu: apc-ap8888}", 2, 0, "SN2100: its supplies are not in this catalog"),
        # 2.4 kW at 230 V is 10.4 A: no C13
        ("xe8545", "{pdu: apc-ap8858, count: 1}", 1, 2, "2 power cables for which"),
    ],
)
def test_inlets_without_an_outlet_are_said(
    part: str, feeds: str, count: int, cables: int, words: str
) -> None:
    tables, _, lost = inventory(one_node(part, feeds, count))
    assert len(tables["power-cables"]) == cables
    assert any(words in one for one in lost), lost


def test_a_device_that_has_the_name_of_a_pdu_is_refused() -> None:
    text = one_node("dgx-h100", "{pdu: apc-ap8888}").replace("node:", "A01-pdu:")
    with pytest.raises(ExportError, match="A01-pdu-1"):
        inventory(text.replace("count: 1", "count: 2"))


SUPPLIED = [
    part for part in CATALOG if isinstance(part, Node | Switch) and part.power_supplies is not None
]


@pytest.mark.parametrize("part", SUPPLIED, ids=lambda part: part.id)
def test_the_inlets_of_a_device_draw_together_what_it_draws_at_most(part: Node | Switch) -> None:
    tables, types, _ = inventory(f"toposmith: 1\ngroups: {{one: {{part: {part.id}}}}}\n")
    ports = [port for each in types for port in each.get("power-ports", ())]
    ports += tables.get("power-ports", [])
    inlets = [
        {key: int(port[key]) for key in ("maximum_draw", "allocated_draw") if port.get(key)}
        for port in ports
    ]
    supplies = part.power_supplies
    assert inlets and supplies is not None
    together = sum(one["maximum_draw"] for one in inlets)
    if part.power_w is not None:
        assert together == ceil(part.power_w)
        assert all(one["allocated_draw"] == one["maximum_draw"] for one in inlets)
    else:  # what its supplies deliver bounds it; what nobody knows is not budgeted
        assert together <= supplies.count * supplies.rating_w
        assert not any("allocated_draw" in one for one in inlets)
    assert all(one["maximum_draw"] <= supplies.rating_w for one in inlets)
