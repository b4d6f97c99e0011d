"""Counts that vendors publish, to the unit."""

from __future__ import annotations

import pytest

from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.templates import new_design

CATALOG = load_catalog()
UFM_CABLES = 4  # the fabric manager's own; the table counts them with those of the nodes


def bill_of(design: Design) -> Bill:
    return make_bill(plan_design(design, CATALOG), CATALOG)


def used(bill: Bill, group: str, design: Design) -> int:
    """Devices of a group, which shares its line with others of the same part."""
    alone = design.model_copy(
        update={
            "groups": {group: design.groups[group]},
            "links": (),
            "absent": tuple(s for s in design.absent if s.startswith(group)),
        }
    )
    return sum(line.quantity for line in bill_of(alone).lines)


@pytest.mark.parametrize(
    ("su", "nodes", "leaves", "spines", "node_leaf_and_ufm", "spine_leaf"),
    [
        (1, 31, 8, 4, 252, 256),
        (2, 63, 16, 8, 508, 512),
        (3, 95, 24, 16, 764, 768),
        (4, 127, 32, 16, 1020, 1024),
    ],
)
def test_dgx_h100_superpods(
    su: int, nodes: int, leaves: int, spines: int, node_leaf_and_ufm: int, spine_leaf: int
) -> None:
    # RA-11333-001, Table 4: larger SuperPOD component counts; all switches are QM9700.
    design = new_design("leaf-spine", {"su": su, "empty_slots": 1}, catalog=CATALOG)
    bill = bill_of(design)
    assert bill.listed
    assert bill.quantity("node") == nodes
    assert (used(bill, "leaf", design), used(bill, "spine", design)) == (leaves, spines)
    assert [(line.part, line.quantity) for line in bill.lines_of("switch")] == [
        ("qm9700", leaves + spines)
    ]
    assert [link.cables for link in bill.links] == [node_leaf_and_ufm - UFM_CABLES, spine_leaf]
    # NVIDIA's recipe: 4 flat twin modules in a node; 2 ports of a switch in a finned one.
    modules = {line.part: line.quantity for line in bill.lines_of("transceiver")}
    assert modules["mma4z00-ns-flt"] == 4 * nodes
    last_su = 8 * 16  # 31 ports of a leaf take 16 modules
    assert modules["mma4z00-ns"] == (su - 1) * 8 * 16 + last_su + 2 * spine_leaf // 2


@pytest.mark.parametrize(
    ("su", "nodes", "leaves", "spines", "cores", "cables"),
    [
        (2, 64, 16, 8, 0, (512, 512)),
        (4, 128, 32, 16, 0, (1024, 1024)),
        (8, 256, 64, 32, 0, (2048, 2048)),
        (16, 512, 128, 128, 64, (4096, 4096, 4096)),
        (32, 1024, 256, 256, 128, (8192, 8192, 8192)),
        (64, 2048, 512, 512, 256, (16384, 16384, 16384)),
    ],
)
def test_dgx_b200_superpods(
    su: int, nodes: int, leaves: int, spines: int, cores: int, cables: tuple[int, ...]
) -> None:
    # DGX SuperPOD B200 reference architecture, network fabrics: component counts of 2 to 64 SU.
    template = "three-tier" if cores else "leaf-spine"
    design = new_design(template, {"su": su, "node": "dgx-b200"}, catalog=CATALOG)
    bill = bill_of(design)
    assert bill.listed
    assert bill.quantity("node") == nodes
    assert (used(bill, "leaf", design), used(bill, "spine", design)) == (leaves, spines)
    assert not cores or used(bill, "core", design) == cores
    assert bill.quantity("switch") == leaves + spines + cores
    assert tuple(link.cables for link in bill.links) == cables
    assert bill.quantity("fibre") == sum(cables)


@pytest.mark.parametrize(
    ("su", "nodes", "leaves", "spines", "cables"),
    [
        (1, 72, 8, 4, 576),
        (2, 144, 16, 8, 1152),
        (4, 288, 32, 18, 2304),
        (8, 576, 64, 36, 4608),
        (18, 1296, 144, 72, 10368),
    ],
)
def test_dgx_b300_superpods_on_xdr(
    su: int, nodes: int, leaves: int, spines: int, cables: int
) -> None:
    # DGX SuperPOD B300 with XDR, reference architecture, Table 3: example compute fabric
    # components (docs.nvidia.com/dgx-superpod/reference-architecture/
    # scalable-infrastructure-b300-xdr). Its 18 SU row gives 9,216 GPUs to 1,296 nodes of 8.
    settings = {"su": su, "node": "dgx-b300", "nodes": 72, "leaf": "q3400-ra", "spine": "q3400-ra"}
    design = new_design("leaf-spine", settings, catalog=CATALOG)
    bill = bill_of(design)
    assert bill.quantity("node") == nodes
    assert (used(bill, "leaf", design), used(bill, "spine", design)) == (leaves, spines)
    assert [link.connections for link in bill.links] == [cables, cables]


def test_a_gb200_nvl72_rack_has_72_ports_of_400_gbit_on_18_compute_trays() -> None:
    # NVIDIA GB200 NVL72 user guide: 18 compute trays of 4 GPUs; 72 ConnectX-7 400 Gb/s ports.
    design = Design.model_validate(
        {
            "groups": {
                "tray": {"part": "gb200-nvl72-tray", "count": 18},
                "leaf": {"part": "qm9700", "count": 4},
            },
            "links": [{"between": ("tray.compute", "leaf"), "length": 20}],
        }
    )
    bill = bill_of(design)
    (rack,) = bill.lines_of("rack-system")
    held = {one.name: one.quantity for one in rack.includes}
    assert rack.quantity == 1 and held["GB200 NVL72 compute tray"] == 18
    assert held["NVLink switch tray"] == 9
    assert [(link.connections, link.speed_gbit) for link in bill.links] == [(72, 400)]
    assert bill.listed
