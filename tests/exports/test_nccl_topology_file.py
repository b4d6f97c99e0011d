"""NCCL topology files that are written, and the same inside of a node read back from them.

Two insides are the same when the same GPUs, slots, sockets and NVSwitches are joined at the same
rates; PCIe switches have no names, so each goes by what hangs on it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.catalog.test_nccl_xml import FILES, IMPORTED
from toposmith.catalog import Catalog, Gpu, Nic, Node, Pcie, PcieBranch, Slots, load_catalog
from toposmith.catalog.nccl_xml import import_nccl_xml
from toposmith.catalog.own_part import Imported
from toposmith.catalog.part_text import (
    PCIE_LANE_GBIT,
    gpu_link,
    pcie_gbit,
    slot_link,
    slot_room,
    uplink,
)
from toposmith.design.parser import parse_design
from toposmith.exports.nccl_topology_file import (
    ExportError,
    Fitted,
    design_xml,
    group_xml,
    node_xml,
)
from toposmith.fabric.inside import PCIE_LANE_GBPS, InsideEdge, inside_edges, nvlink_pairs
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
UNWRITTEN = "helios-mi455x-tray"
"""Its GPUs are joined by what no public topology file has."""

NODES = [part.id for part in CATALOG.of_kind("node") if part.id != UNWRITTEN]

Graph = Counter[tuple[object, object, float]]


def planned(part: str, catalog: Catalog = CATALOG, **nics: tuple[str, int]) -> Plan:
    fitted = ", ".join(f"{name}: {{part: {nic}, count: {n}}}" for name, (nic, n) in nics.items())
    text = f"toposmith: 1\ngroups: {{node: {{part: {part}, nics: {{{fitted}}}}}}}\n"
    return plan_design(parse_design(text, "test"), catalog)


def read_back(folder: Path, text: str, catalog: Catalog = CATALOG) -> tuple[Node, Catalog]:
    """The node that an exported text gives, in a catalog with everything it names."""
    (folder / "machine.xml").write_text(text, encoding="utf-8")
    found = import_nccl_xml(folder / "machine.xml", catalog)
    return node_of(found), with_parts(found, catalog)


def node_of(found: Imported) -> Node:
    assert isinstance(found.main, Node)
    return found.main


def with_parts(found: Imported, catalog: Catalog = CATALOG) -> Catalog:
    return Catalog([*catalog, *catalog.facility, *found.parts])


def inside(plan: Plan, catalog: Catalog) -> Graph:
    """The fabric's graph of a node, each PCIe switch named by what hangs on it."""
    return named(inside_edges(plan.groups["node"], catalog))


def named(edges: tuple[InsideEdge, ...]) -> Graph:
    hangs: dict[object, list[str]] = {}
    for edge in edges:
        for switch, other in ((edge.a, edge.b), (edge.b, edge.a)):
            if switch[0] == "pcie" and other[0] != "pcie":
                hangs.setdefault(switch, []).append(repr(other))

    def name(vertex: tuple[str | int, ...]) -> object:
        return ("pcie", *sorted(hangs.get(vertex, []))) if vertex[0] == "pcie" else vertex

    ends = ((sorted((name(e.a), name(e.b)), key=repr), e.GBps) for e in edges)
    return Counter((a, b, round(rate, 6)) for (a, b), rate in ends)


def links_of(node: Node, gpu: Gpu, fitted: dict[str, Fitted]) -> Counter[object]:
    """Every PCIe link of a node with where it hangs, by the catalog's own account."""
    found: Counter[object] = Counter()
    for branch in node.branches:
        place = what_hangs(node, branch)
        for number in branch.gpus:
            found["gpu", number, place, gpu_link(node, gpu, number)] += 1
        for group, slots in branch.slots.items():
            for slot in slots:
                nic = fitted.get(group)
                held = nic is not None and slot < nic.count
                room = slot_room(node, group, slot)
                link = slot_link(node, nic.nic, group, slot) if nic and held else room
                found["slot", group, slot, held, place, link] += 1
        if branch.switch:
            above = node.branches[branch.below] if branch.below is not None else None
            where = what_hangs(node, above) if above else branch.socket
            found["switch", place, where, uplink(node, gpu, branch)] += 1
    return found


def what_hangs(node: Node, branch: PcieBranch) -> object:
    if not branch.switch:
        return branch.socket
    slots = sorted((group, slot) for group, held in branch.slots.items() for slot in held)
    return (branch.socket, tuple(sorted(branch.gpus)), tuple(slots))


def bare(node: Node, catalog: Catalog = CATALOG) -> dict[str, Fitted]:
    return {
        name: Fitted(catalog.nic(slots.nic), slots.fitted)
        for name, slots in node.slots.items()
        if slots.nic
    }


def elements(text: str, *path: str) -> list[dict[str, str]]:
    return [found.attrib for found in ElementTree.fromstring(text).iterfind(".//" + "/".join(path))]


@pytest.mark.parametrize("part", NODES)
def test_a_node_reads_back_with_the_same_inside(tmp_path: Path, part: str) -> None:
    node = CATALOG.node(part)
    back, catalog = read_back(tmp_path, node_xml(node, CATALOG))
    assert inside(planned(back.id, catalog), catalog) == inside(planned(part), CATALOG)
    gpu = CATALOG.gpu(node.gpu)
    assert back.gpu == gpu.id
    assert links_of(back, gpu, bare(back, catalog)) == links_of(node, gpu, bare(node))
    assert sorted(nvlink_pairs(back, gpu)) == sorted(nvlink_pairs(node, gpu))
    assert (back.sockets, back.cpu_vendor, back.gpus) == (node.sockets, node.cpu_vendor, node.gpus)
    if node.sockets > 1:
        assert back.inter_socket_GBps == node.inter_socket_GBps


@pytest.mark.parametrize("part", NODES)
def test_what_no_file_says_is_not_lost_between_two_writings(tmp_path: Path, part: str) -> None:
    text = node_xml(CATALOG.node(part), CATALOG)
    back, catalog = read_back(tmp_path, text)
    again = node_xml(back, catalog)
    assert again.partition("-->")[2].count("<") == text.partition("-->")[2].count("<")
    third, _ = read_back(tmp_path, again, catalog)
    assert third.branches == back.branches
    assert third.slots == back.slots


def test_a_group_is_written_with_the_nics_that_the_design_fits(tmp_path: Path) -> None:
    plan = planned("hgx-h100-8", compute=("connectx-7-ndr", 4))
    text = group_xml(plan.groups["node"], CATALOG)
    assert len(elements(text, "net")) == 4
    back, catalog = read_back(tmp_path, text)
    assert (back.slots["compute"].count, back.slots["compute"].fitted) == (8, 4)
    assert back.slots["compute"].nic == "connectx-7-ndr"
    assert inside(planned(back.id, catalog), catalog) == inside(plan, CATALOG)


def test_a_slow_nic_reads_back_at_its_own_rate(tmp_path: Path) -> None:
    plan = planned("dgx-h100", compute=("connectx-6-hdr", 8), storage=("connectx-6-hdr-2p", 1))
    back, catalog = read_back(tmp_path, group_xml(plan.groups["node"], CATALOG))
    assert inside(planned(back.id, catalog), catalog) == inside(plan, CATALOG)


FITTING = [
    part.id
    for part in CATALOG.of_kind("nic")
    if isinstance(part, Nic) and part.pcie.generation <= 5 and part.cage != "virtual"
]


@settings(max_examples=30)
@given(
    part=st.sampled_from(["hgx-a100-8", "hgx-h100-8", "mi300x-8", "a100-pcie-8-bridged", "l40s-8"]),
    nic=st.sampled_from(FITTING),
    count=st.integers(1, 8),
)
def test_any_nics_in_any_number_read_back(
    tmp_path_factory: pytest.TempPathFactory, part: str, nic: str, count: int
) -> None:
    plan = planned(part, compute=(nic, count))
    text = group_xml(plan.groups["node"], CATALOG)
    back, catalog = read_back(tmp_path_factory.mktemp("xml"), text)
    assert inside(planned(back.id, catalog), catalog) == inside(plan, CATALOG)


LINKS = st.builds(Pcie, generation=st.integers(1, 6), width=st.sampled_from([1, 2, 4, 8, 16]))


@st.composite
def odd_nodes(draw: st.DrawFn) -> Node:
    """Nodes with switches below switches, and with links that are slower here and there."""
    base = CATALOG.node("l40s-8")
    # The first two switches hold devices of their own, the others hang below them.
    uplinks = draw(st.lists(st.none() | LINKS, min_size=4, max_size=4))
    below = [None, None, draw(st.sampled_from([0, None])), draw(st.sampled_from([1, None]))]
    sockets = [0, 1, 0, 1]
    branches = tuple(
        PcieBranch(
            socket=sockets[n],
            gpus=(2 * n, 2 * n + 1),
            slots={"compute": (n,)},
            uplink=uplinks[n],
            below=below[n],
        )
        for n in range(4)
    )
    slots = Slots(
        count=4,
        pcie=Pcie(generation=5),
        nic="connectx-6-hdr",
        fitted=draw(st.integers(1, 4)),
        links=draw(st.dictionaries(st.integers(0, 3), LINKS, max_size=4)),
    )
    update: dict[str, Any] = {
        "branches": branches,
        "slots": {"compute": slots},
        "gpu_links": draw(st.dictionaries(st.integers(0, 7), LINKS, max_size=8)),
        "inter_socket_GBps": draw(st.sampled_from([None, 6.0, 10.0, 22.0, 40.0, 33.5])),
        "cpu_vendor": draw(st.sampled_from(["intel", "amd", "arm"])),
    }
    return base.model_copy(update=update)


@settings(max_examples=25)
@given(node=odd_nodes())
def test_links_that_are_slower_here_and_there_read_back(
    tmp_path_factory: pytest.TempPathFactory, node: Node
) -> None:
    gpu = CATALOG.gpu(node.gpu)
    back, catalog = read_back(tmp_path_factory.mktemp("xml"), node_xml(node, CATALOG))
    assert links_of(back, gpu, bare(back, catalog)) == links_of(node, gpu, bare(node))
    assert back.inter_socket_GBps == node.inter_socket_GBps


def test_every_pcie_generation_has_a_rate() -> None:
    rates = [pcie_gbit(Pcie(generation=g)) for g in PCIE_LANE_GBIT]
    assert rates == sorted(rates)
    assert rates[:3] == [32, 64, 126]


def test_the_file_is_what_nccl_reads() -> None:
    text = node_xml(CATALOG.node("dgx-h100"), CATALOG)
    (system,) = [ElementTree.fromstring(text)]
    assert (system.tag, system.attrib) == ("system", {"version": "1"})
    assert elements(text, "cpu")[0] == {
        "numaid": "0",
        "arch": "x86_64",
        "vendor": "GenuineIntel",
        "familyid": "6",
        "modelid": "143",  # Sapphire Rapids, 22 GB/s between sockets
    }
    gpus = [e for e in elements(text, "pci") if e["class"] == "0x030200"]
    assert len(gpus) == 8
    assert {"vendor": "0x10de", "device": "0x2330"}.items() <= gpus[0].items()
    assert {"link_speed": "32.0 GT/s PCIe", "link_width": "16"}.items() <= gpus[0].items()
    assert elements(text, "gpu")[3]["sm"] == "90"
    assert elements(text, "gpu")[3]["dev"] == elements(text, "gpu")[3]["rank"] == "3"
    links = elements(text, "gpu", "nvlink")
    assert sum(int(link["count"]) for link in links) == 8 * 18
    assert {link["tclass"] for link in links} == {"0x068000"}
    assert len({link["target"] for link in links}) == 4
    nets = elements(text, "net")
    assert [net["speed"] for net in nets[:2]] == ["400000", "400000"]
    assert len({net["guid"] for net in nets}) == len(nets) == 8 + 2 * 2
    buses = [e["busid"] for e in elements(text, "pci")]
    assert len(set(buses)) == len(buses)


def test_the_file_of_amd_gpus_is_what_rccl_reads() -> None:
    text = node_xml(CATALOG.node("mi300x-8"), CATALOG)
    assert ElementTree.fromstring(text).get("version") == "2"
    assert elements(text, "gpu")[0]["gcn"] == "gfx942"
    assert "sm" not in elements(text, "gpu")[0]
    assert len(elements(text, "gpu", "xgmi")) == 8 * 7


def test_gpus_of_a_rack_lead_to_switches_that_the_node_does_not_see() -> None:
    text = node_xml(CATALOG.node("gb200-nvl72-tray"), CATALOG)
    links = elements(text, "gpu", "nvlink")
    assert {link["target"] for link in links} == {"fffffff:ffff:ff"}
    assert elements(text, "gpu", "c2c")[0] == {"bw": "450000", "count": "1"}


def test_a_name_cannot_end_the_comment_that_it_stands_in() -> None:
    node = CATALOG.node("dgx-h100").model_copy(update={"name": "x ---><evil/> \x1b[2J"})
    text = node_xml(node, CATALOG)
    assert ElementTree.fromstring(text).tag == "system"
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "group", "said"),
    [
        ("leaf: {part: qm9700}", None, "the design has no nodes; name one: none"),
        (
            "a: {part: dgx-h100}, b: {part: dgx-a100}",
            None,
            "the design has several groups of nodes; name one: a, b",
        ),
        ("a: {part: dgx-h100}", "b", "no group 'b'; groups of nodes are: a"),
        (
            "a: {part: dgx-h100}, leaf: {part: qm9700}",
            "leaf",
            "leaf: no nodes, and only nodes have an inside to write",
        ),
    ],
)
def test_what_cannot_be_written_is_said(text: str, group: str | None, said: str) -> None:
    design = parse_design(f"toposmith: 1\ngroups: {{{text}}}\n", "test")
    with pytest.raises(ExportError) as refused:
        design_xml(plan_design(design, CATALOG), CATALOG, group)
    assert str(refused.value) == said


def test_the_only_group_of_nodes_needs_no_name() -> None:
    design = parse_design(
        "toposmith: 1\ngroups: {a: {part: dgx-h100}, leaf: {part: qm9700}}\n", "test"
    )
    plan = plan_design(design, CATALOG)
    assert design_xml(plan, CATALOG) == node_xml(CATALOG.node("dgx-h100"), CATALOG)
    assert design_xml(plan, CATALOG, "a") == design_xml(plan, CATALOG)


@pytest.mark.skipif(1 not in PCIE_LANE_GBPS, reason="the fabric knows PCIe from generation 3 on")
@pytest.mark.parametrize("file", ["oci/H100-topology.xml", "rccl/topo_8p_90a.xml"])
def test_a_machine_with_old_links_has_an_inside(tmp_path: Path, file: str) -> None:
    found = import_nccl_xml(FILES / file, CATALOG)
    catalog = with_parts(found)
    back, again = read_back(tmp_path, node_xml(node_of(found), catalog), catalog)
    first = inside(planned(found.main.id, catalog), catalog)
    assert inside(planned(back.id, again), again) == first


@pytest.mark.parametrize(("file", "gpu_id"), [(file, gpu) for file, gpu, *_ in IMPORTED])
def test_a_real_machine_is_written_and_read_back(
    tmp_path: Path, file: str, gpu_id: str | None
) -> None:
    found = import_nccl_xml(FILES / file, CATALOG, gpu=gpu_id)
    catalog, node = with_parts(found), node_of(found)
    gpu = catalog.gpu(node.gpu)
    back, again = read_back(tmp_path, node_xml(node, catalog), catalog)
    assert back.gpu == node.gpu
    assert links_of(back, gpu, bare(back, again)) == links_of(node, gpu, bare(node, catalog))
    assert sorted(nvlink_pairs(back, gpu)) == sorted(nvlink_pairs(node, gpu))
    assert back.inter_socket_GBps == node.inter_socket_GBps


def test_links_that_no_public_file_has_are_not_written() -> None:
    with pytest.raises(ExportError, match="scale-up Ethernet of MI455X 432GB is not public"):
        design_xml(planned(UNWRITTEN), CATALOG)
