"""Wrong data is caught: each test seeds one slip that people make."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from toposmith.catalog import (
    Cages,
    Catalog,
    PcieBranch,
    Pipelines,
    PortMode,
    check_part,
    load_catalog,
    part_warnings,
)
from toposmith.catalog.part_checks import CAGE_LANES
from toposmith.catalog.part_text import pcie_gbit
from toposmith.catalog.parts import Pcie

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


@pytest.mark.parametrize(
    ("gpu", "both_ways"),
    [
        ("v100-sxm2-32gb", 300),
        ("a100-sxm4-80gb", 600),
        ("h100-sxm5", 900),
        ("b200-sxm", 1800),
        ("mi300x", 896),
    ],
)
def test_links_that_add_both_directions_are_caught(gpu: str, both_ways: int) -> None:
    port = CATALOG.gpu(gpu).nvlink
    assert port is not None
    (fault,) = faults(gpu, nvlink=nested(port, GBps_per_link=both_ways / port.links))
    assert fault.startswith(f"nvlink.GBps_per_link: {both_ways / port.links:g} GB/s")
    assert "are both directions added?" in fault
    (fault,) = faults(gpu, nvlink=nested(port, links=2 * port.links))
    assert fault.startswith(f"nvlink.links: {2 * port.links} give {both_ways} GB/s")
    assert "are both directions added?" in fault


def test_nvlink_is_of_a_generation_that_exists_and_of_one_maker() -> None:
    xgmi = nested(CATALOG.gpu("mi300x").nvlink, generation=5)
    assert faults("mi300x", nvlink=xgmi) == [
        "nvlink.generation: no xGMI 5 is known (only 2, 3, 4)",
    ]
    nvlink = nested(CATALOG.gpu("mi300x").nvlink, kind="nvlink", GBps_per_link=25)
    assert faults("mi300x", nvlink=nvlink) == [
        "nvlink.kind: NVLink is NVIDIA's, the vendor is AMD",
    ]


@pytest.mark.parametrize("speed_gbit", [12, 20, 48, 500, 3200])
def test_a_port_runs_at_a_rate_that_exists(speed_gbit: int) -> None:
    fault = faults("amd-pollara-400", speed_gbit=speed_gbit)[0]
    assert fault.startswith(f"speed_gbit: {speed_gbit} Gb/s is no line rate")


@pytest.mark.parametrize(
    ("nic", "gbit"), [("connectx-6-hdr", 200), ("connectx-7-ndr", 400), ("connectx-5-edr", 100)]
)
def test_a_port_speed_in_bytes_is_caught_and_named(nic: str, gbit: int) -> None:
    found = faults(nic, speed_gbit=gbit // 8)  # HDR as 25 GB/s, NDR as 50, EDR as 12(.5)
    assert any("lanes is" in fault and "which none runs at" in fault for fault in found)
    if gbit > 100:
        assert any(f"is it in GB/s ({gbit} Gb/s)?" in fault for fault in found)


def test_a_plug_and_a_module_run_at_rates_that_exist() -> None:
    end = nested(CATALOG["mcp1650-h"].a, speed_gbit=250)  # type: ignore[union-attr]
    (rate, cage, *_) = faults("mcp1650-h", a=end, b=end)
    assert rate.startswith("a.speed_gbit: 250 Gb/s is no line rate")
    assert cage == "a.speed_gbit: 250 Gb/s is more than the 4 x 50 Gb/s of a QSFP56 cage"
    (rate,) = faults("sr4-100g-qsfp28", speed_gbit=12)
    assert rate.startswith("speed_gbit: 12 Gb/s is no line rate")


def test_a_module_is_not_faster_than_its_cage() -> None:
    assert faults("dr4-400g-qsfp-dd", ports=2) == [
        "speed_gbit: 800 Gb/s is more than the 8 x 50 Gb/s of a QSFP-DD cage",
    ]


def test_a_nic_has_no_more_lanes_and_no_faster_ones_than_its_cage() -> None:
    assert faults("connectx-7-400-qsfp112", lanes=8) == [
        "lanes: 8 lanes, but a QSFP112 cage has 4",
    ]
    assert faults("connectx-7-400-qsfp112", cage="qsfp56") == [
        "speed_gbit: 400 Gb/s is more than the 4 x 50 Gb/s of a QSFP56 cage",
    ]


@pytest.mark.parametrize("shared_gbit", [50, 200, 400])
def test_what_ports_share_lies_between_one_of_them_and_all(shared_gbit: int) -> None:
    assert faults("intel-e810-cqda2", shared_gbit=shared_gbit) == [
        f"shared_gbit: {shared_gbit} Gb/s of all ports together; expected between the 100 Gb/s of "
        "one port and the 200 of all",
    ]
    assert faults("connectx-6-hdr", shared_gbit=200) != []


@pytest.mark.parametrize(
    ("cage", "gbit"),
    [
        ("sfp28", 25), ("qsfp28", 100), ("qsfp56", 200), ("qsfp112", 400), ("qsfp-dd", 400),
        ("qsfp-dd800", 800), ("osfp", 1600),
    ],
)  # fmt: skip
def test_a_cage_carries_what_its_form_is_named_for(cage: str, gbit: int) -> None:
    lanes, each = CAGE_LANES[cage]  # type: ignore[index]
    assert lanes * each == gbit


def test_a_cage_of_a_switch_has_the_lanes_of_its_form() -> None:
    cages = nested(CATALOG.switch("sn2700").cages, lanes=8)
    assert faults("sn2700", cages=cages) == ["cages.lanes: 8 lanes, but a QSFP28 cage has 4"]


def test_a_mode_is_not_faster_than_its_cage() -> None:
    cages = nested(CATALOG.switch("sn2700").cages, modes=(PortMode(ports=1, speed_gbit=200),))
    (fault,) = faults("sn2700", cages=cages, capacity_gbit=6_400)
    assert fault == "cages.modes: 200 Gb/s is more than the 4 x 25 Gb/s of a QSFP28 cage"


def test_a_mode_takes_whole_lanes() -> None:
    modes = (PortMode(ports=1, speed_gbit=100), PortMode(ports=2, speed_gbit=40))
    cages = nested(CATALOG.switch("sn2700").cages, modes=modes)
    assert faults("sn2700", cages=cages) == [
        "cages.modes: 40 Gb/s does not divide into whole lanes; a port has at most 2",
    ]


def test_a_mode_is_listed_once() -> None:
    modes = (PortMode(ports=1, speed_gbit=100), PortMode(ports=1, speed_gbit=100))
    cages = nested(CATALOG.switch("sn2700").cages, modes=modes)
    assert faults("sn2700", cages=cages) == ["cages.modes: 1 x 100 twice"]


def test_other_cages_are_checked_and_count_in_the_capacity() -> None:
    more = Cages(count=4, cage="qsfp28", lanes=4, modes=(PortMode(ports=1, speed_gbit=400),))
    found = faults("sn2201", more_cages=(more,))
    assert found == [
        "more_cages.0.modes: 400 Gb/s is more than the 4 x 25 Gb/s of a QSFP28 cage",
        "capacity_gbit: 448, but 48 ports x 1 Gb/s and the other cages is 1648",
    ]


def test_a_switch_runs_its_native_ports_within_its_limits() -> None:
    assert faults("qm9700", max_ports=63) == ["max_ports: 63, but the native mode has 64"]
    assert faults("qm9700", pipelines=Pipelines(cages=4, max_ports=7)) == [
        "pipelines.max_ports: 7, but the native mode has 8 on 4 cages",
    ]
    assert faults("qm9700", pipelines=Pipelines(cages=5, max_ports=16)) == [
        "pipelines.cages: 32 cages do not divide into runs of 5",
    ]


def test_sharp_belongs_to_infiniband() -> None:
    assert faults("sn5600", sharp=True) == ["sharp: is InfiniBand's, the switch is Ethernet"]


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


def test_a_400_gbit_nic_in_a_pcie_4_slot_is_warned_of_and_not_refused() -> None:
    slots = CATALOG.node("nd96isr-h100-v5").slots
    slow = {"compute": nested(slots["compute"], pcie=Pcie(generation=4))}
    assert faults("nd96isr-h100-v5", slots=slow) == []
    part = CATALOG["nd96isr-h100-v5"].model_copy(update={"slots": slow})
    assert part_warnings(part, CATALOG) == [
        "slots.compute: a port of 400 Gb/s gets no more than the 252 Gb/s of PCIe 4 x16",
    ]
    assert part_warnings(CATALOG["nd96isr-h100-v5"], CATALOG) == []


def test_ports_that_together_outrun_their_slot_are_warned_of() -> None:
    assert part_warnings(CATALOG["connectx-6-hdr-2p"], CATALOG) == [
        "pcie: 2 ports of 200 Gb/s share 252 Gb/s of PCIe 4 x16",
    ]
    assert part_warnings(CATALOG["connectx-6-hdr"], CATALOG) == []
    assert part_warnings(CATALOG["qm9700"], CATALOG) == []


def joined(node: str, **wrong: Any) -> list[str]:
    return faults(node, nvlink=nested(CATALOG.node(node).nvlink, **wrong))


def test_gpus_do_not_use_more_links_than_they_have() -> None:
    assert joined("hgx-a100-4", links_per_pair=5) == [
        f"nvlink.pairs: GPU {gpu} uses 15 links and has 12" for gpu in range(4)
    ]
    fabric = CATALOG.node("dgx-1-v100").nvlink
    assert fabric is not None
    pairs = ((0, 1, 2), *fabric.pairs[1:])
    assert joined("dgx-1-v100", pairs=pairs) == [
        "nvlink.pairs: GPU 0 uses 7 links and has 6",
        "nvlink.pairs: GPU 1 uses 7 links and has 6",
    ]


def test_pairs_are_of_two_gpus_of_the_node_and_named_once() -> None:
    assert joined("a100-pcie-4-bridged", pairs=((0, 1), (1, 0))) == [
        "nvlink.pairs: 0-1 twice",
        "nvlink.pairs: GPU 0 uses 24 links and has 12",
        "nvlink.pairs: GPU 1 uses 24 links and has 12",
    ]
    assert "nvlink.pairs: GPU 2 with itself" in joined("a100-pcie-4-bridged", pairs=((2, 2),))
    assert "nvlink.pairs: no GPU 4" in joined("a100-pcie-4-bridged", pairs=((3, 4),))


def test_a_shape_says_what_it_needs() -> None:
    assert joined("hgx-a100-4", links_per_pair=None) == ["nvlink.links_per_pair: a mesh needs it"]
    assert joined("a100-pcie-4-bridged", pairs=()) == [
        "nvlink.pairs: bridges need them",
        *(f"nvlink.pairs: GPU {gpu} uses 36 links and has 12" for gpu in range(4)),
    ]
    assert joined("dgx-a100", pairs=((0, 1),)) == ["nvlink.pairs: NVSwitches join all GPUs"]
    assert joined("gb200-nvl72-tray", domain_gpus=2) == [
        "nvlink.domain_gpus: 2, but the node has 4",
    ]


def test_gpus_without_links_are_not_joined_by_them() -> None:
    fabric = CATALOG.node("hgx-a100-4").nvlink
    assert faults("l40s-8", nvlink=fabric) == ["nvlink: 'l40s' has no links to other GPUs"]


def test_storage_names_nics_that_exist() -> None:
    slots = CATALOG["ddn-ai400x2"].slots  # type: ignore[union-attr]
    wrong = {"storage": nested(slots["storage"], nic="nothing", fitted=9)}
    assert faults("ddn-ai400x2", slots=wrong) == [
        "slots.storage.fitted: 9 NICs in 4 slots",
        "slots.storage.nic: 'nothing' is no NIC of the catalog",
    ]


def test_both_ends_of_a_cable_carry_the_same() -> None:
    wrong = nested(CATALOG["mcp7h50-h"].b, speed_gbit=200)  # type: ignore[union-attr]
    assert faults("mcp7h50-h", b=wrong) == ["b: 400 Gb/s, but end a has 200 Gb/s"]


def test_no_cable_is_sold_longer_than_it_reaches() -> None:
    (fault,) = faults("mcp7y00-n", lengths_m=(1.0, 5.0), part_numbers={}, ordering_numbers={})
    assert fault == "lengths_m: 5 m, but reach_m is 3"


def test_a_doubt_or_a_source_is_about_a_figure_that_is_given() -> None:
    assert faults("sn2700", unverified=("power_w",)) == [
        "unverified: 'power_w' is no field that this part gives"
    ]
    assert faults("sn2100", conflicts={"power_w": "elsewhere 90"}) == [
        "conflicts: 'power_w' is no field that this part gives"
    ]
    assert faults("sn2700", sources={"wieght_kg": "somewhere"}, source=" ") == [
        "source: is empty",
        "sources: 'wieght_kg' is no field that this part gives",
    ]


def test_checks_need_no_catalog_but_for_nodes() -> None:
    assert check_part(CATALOG["qm9700"], Catalog([])) == []


def hanging(*below: int | None, **first: Any) -> list[str]:
    """Faults of a machine of two sockets whose four switches hang below these."""
    node = CATALOG.node("dgx-a100")
    branches = [
        branch.model_copy(update={"below": upper, **(first if number == 0 else {})})
        for number, (branch, upper) in enumerate(zip(node.branches[:4], below, strict=True))
    ]
    return faults("dgx-a100", branches=(*branches, *node.branches[4:]))


def test_a_switch_may_hang_below_another_of_its_socket() -> None:
    assert hanging(None, 0, None, 2) == []
    assert hanging(1, None, None, None) == []


@pytest.mark.parametrize(
    ("below", "fault"),
    [
        ((9, None, None, None), "branches.0.below: there is no branch 9, the last is 5"),
        ((2, None, None, None), "branches.0.below: branch 2 is no PCIe switch of socket 0"),
        ((4, None, None, None), "branches.0.below: branch 4 is no PCIe switch of socket 0"),
        ((0, None, None, None), "branches.0.below: branch 0 would hang below itself"),
        ((1, 0, None, None), "branches.0.below: branch 0 would hang below itself"),
    ],
)
def test_a_switch_hangs_where_one_gets_to_the_socket(
    below: tuple[int | None, ...], fault: str
) -> None:
    assert hanging(*below)[0] == fault


def test_root_ports_hang_on_the_socket() -> None:
    assert hanging(1, None, None, None, switch=False) == [
        "branches.0.below: root ports hang on the socket, below nothing"
    ]


def test_a_ring_of_switches_that_leads_nowhere_is_caught_from_outside_too() -> None:
    node = CATALOG.node("dgx-a100")
    switch = PcieBranch(socket=0)
    ring = (switch.model_copy(update={"below": 7}), switch.model_copy(update={"below": 6}))
    outside = node.branches[0].model_copy(update={"below": 6})
    found = faults("dgx-a100", branches=(outside, *node.branches[1:], *ring))
    assert "branches.0.below: branch 0 would hang below itself" in found


def test_links_of_gpus_and_slots_that_do_not_exist_are_caught() -> None:
    narrow = Pcie(generation=4, width=8)
    assert faults("dgx-a100", gpu_links={7: narrow, 8: narrow}) == [
        "gpu_links: GPU 8 does not exist"
    ]
    node = CATALOG.node("dgx-a100")
    slots = {**node.slots, "compute": nested(node.slots["compute"], links={8: narrow})}
    assert faults("dgx-a100", slots=slots) == ["slots.compute.links: slot 8 does not exist"]


def test_single_slow_links_are_true_and_cost_something() -> None:
    node = CATALOG.node("dgx-a100")
    narrow = Pcie(generation=4, width=8)
    compute = nested(node.slots["compute"], links={3: narrow})
    part = node.model_copy(
        update={"gpu_links": {5: narrow}, "slots": {**node.slots, "compute": compute}}
    )
    assert check_part(part, CATALOG) == []
    assert part_warnings(part, CATALOG) == [
        "gpu_links: GPU 5 gets no more than the 126 Gb/s of PCIe 4 x8",
        "slots.compute.links.3: a port of 200 Gb/s gets no more than the 126 Gb/s of PCIe 4 x8",
    ]


def test_a_nic_that_nobody_has_looked_at_may_have_any_lanes() -> None:
    assert faults("connectx-7-ndr", cage="unknown", lanes=3) == []


def test_the_most_links_of_an_mi100_are_those_of_its_die() -> None:
    port = nested(CATALOG.gpu("mi300x").nvlink, generation=2, links=6, GBps_per_link=46)
    assert faults("mi300x", nvlink=port) == []
    assert "at most 6 = 276 GB/s" in faults("mi300x", nvlink=nested(port, links=7))[0]
