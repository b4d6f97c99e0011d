"""Wrong data is caught: each test seeds one slip that people make."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from catalog import Catalog, PortMode, check_part, load_catalog
from catalog.checks import pcie_gbit
from catalog.parts import Pcie

CATALOG = load_catalog()


def faults(part_id: str, **wrong: Any) -> list[str]:
    """Check a part of the catalog after changing some of its fields."""
    return check_part(CATALOG[part_id].model_copy(update=wrong), CATALOG)


def nested(record: BaseModel | None, **wrong: Any) -> BaseModel:
    assert record is not None
    return record.model_copy(update=wrong)


def test_a_switch_capacity_that_adds_both_directions_is_caught() -> None:
    (fault,) = faults("qm9700", capacity_gbit=51_200)
    assert fault.startswith("capacity_gbit: 51200")
    assert "both directions" in fault


def test_a_cage_cannot_split_into_more_ports_than_lanes() -> None:
    cages = nested(
        CATALOG.switch("qm8700").cages,
        modes=(PortMode(ports=1, speed_gbit=200), PortMode(ports=8, speed_gbit=25)),
    )
    (fault,) = faults("qm8700", cages=cages)
    assert "8 ports from a cage of 4 lanes" in fault


def test_a_split_cage_cannot_be_faster_than_a_whole_one() -> None:
    cages = nested(
        CATALOG.switch("qm8700").cages,
        modes=(PortMode(ports=1, speed_gbit=200), PortMode(ports=2, speed_gbit=200)),
    )
    (fault,) = faults("qm8700", cages=cages)
    assert "2 x 200 Gb/s is more than the 200 Gb/s" in fault


def test_an_nvlink_that_adds_both_directions_is_caught() -> None:
    # 1,800 GB/s over 18 links, as B200 is advertised
    nvlink = nested(CATALOG.gpu("b200-sxm").nvlink, GBps_per_link=100)
    (fault,) = faults("b200-sxm", nvlink=nvlink)
    assert fault.startswith("nvlink.GBps_per_link: 100")


def test_a_400_gbit_port_does_not_fit_through_pcie_4() -> None:
    (fault,) = faults("connectx-7-ndr", pcie=Pcie(generation=4))
    assert "400 Gb/s does not fit through PCIe 4 x16 (252 Gb/s)" in fault


def test_two_ports_may_together_outrun_their_slot() -> None:
    assert faults("connectx-6-hdr-2p") == []  # 2 x 200 Gb/s behind 252 Gb/s is sold like that


@pytest.mark.parametrize(
    ("generation", "width", "gbit"),
    [(3, 16, 126), (4, 16, 252), (5, 16, 504), (6, 16, 968), (4, 8, 126)],
)
def test_pcie_carries_its_usable_rate_one_way(generation: int, width: int, gbit: float) -> None:
    assert pcie_gbit(Pcie(generation=generation, width=width)) == gbit


def test_every_gpu_of_a_node_hangs_on_one_branch() -> None:
    node = CATALOG.node("dgx-a100")
    first, second, *rest = node.branches
    swapped = (nested(first, gpus=(0, 2)), second, *rest)
    found = faults("dgx-a100", branches=swapped)
    assert "branches: GPU 1 is missing" in found
    assert "branches: GPU 2 occurs 2 times" in found


def test_every_slot_of_a_node_hangs_on_one_branch() -> None:
    node = CATALOG.node("dgx-h100")
    first, *rest = node.branches
    found = faults("dgx-h100", branches=(nested(first, slots={"compute": (8,)}), *rest))
    assert found == [
        "branches: compute slot 0 is missing",
        "branches: compute slot 8 does not exist",
    ]


def test_a_branch_needs_a_socket_and_a_slot_group_that_exist() -> None:
    node = CATALOG.node("hgx-h100-8")
    first, *rest = node.branches
    wrong = nested(first, socket=2, slots={"compute": (0,), "stroage": (0,)})
    found = faults("hgx-h100-8", branches=(wrong, *rest))
    assert found == ["branches: socket 2 of 2", "branches: 'stroage' is no slot group"]


def test_a_node_names_a_gpu_and_nics_that_exist() -> None:
    assert faults("dgx-h100", gpu="h1000") == ["gpu: 'h1000' is no GPU of the catalog"]
    slots = CATALOG.node("dgx-h100").slots
    wrong = {**slots, "compute": nested(slots["compute"], nic="qm9700")}
    assert faults("dgx-h100", slots=wrong) == [
        "slots.compute.nic: 'qm9700' is no NIC of the catalog"
    ]


def test_a_node_cannot_hold_more_nics_than_slots_or_nics_without_a_name() -> None:
    slots = CATALOG.node("hgx-a100-8").slots
    wrong = {"compute": nested(slots["compute"], fitted=9)}
    found = faults("hgx-a100-8", slots=wrong)
    assert found == [
        "slots.compute.fitted: 9 NICs in 8 slots",
        "slots.compute.nic: 9 are fitted, but not said which",
    ]


def test_a_cage_map_covers_each_nic_once() -> None:
    slots = CATALOG.node("dgx-h100").slots
    cages = {**slots["compute"].cages, "OSFP4": (3, 1)}
    found = faults("dgx-h100", slots={**slots, "compute": nested(slots["compute"], cages=cages)})
    assert found == [
        "slots.compute.cages: slot 0 is missing",
        "slots.compute.cages: slot 1 occurs 2 times",
    ]


def test_both_ends_of_a_cable_carry_the_same() -> None:
    wrong = nested(CATALOG["mcp7h50-h"].b, speed_gbit=200)  # type: ignore[union-attr]
    assert faults("mcp7h50-h", b=wrong) == ["b: 400 Gb/s, but end a has 200 Gb/s"]


def test_no_cable_is_sold_longer_than_it_reaches() -> None:
    (fault,) = faults("mcp7y00-n", lengths_m=(1.0, 5.0))
    assert fault == "lengths_m: 5 m, but reach_m is 3"


def test_a_doubt_or_a_source_is_about_a_figure_that_is_given() -> None:
    assert faults("sn2700", unverified=("power_w",)) == [
        "unverified: 'power_w' is no field that this part gives"
    ]
    assert faults("sn2700", sources={"wieght_kg": "somewhere"}, source=" ") == [
        "source: is empty",
        "sources: 'wieght_kg' is no field that this part gives",
    ]


def test_checks_need_no_catalog_but_for_nodes() -> None:
    assert check_part(CATALOG["qm9700"], Catalog([])) == []
