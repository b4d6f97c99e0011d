"""What makers print on the pages that people order from. Values by hand, from there."""

from __future__ import annotations

import pytest

from bench.orderable import DRAWING, NETWORK, count_orderable, how_known
from tests.every import for_every
from toposmith.bill.bill import make_bill, placed_bill
from toposmith.catalog import Cable, Fibre, Node, Switch, load_catalog
from toposmith.catalog.card import part_card
from toposmith.catalog.part_numbers import is_doubtful, second_number, whole_number
from toposmith.catalog.part_power import power_range
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("part", "length_m", "number", "second"),
    [
        # NVIDIA DGX SuperPOD reference architecture, DGX H100, tables 7 and 8
        ("qm9700", None, "MQM9700-NS2F", "920-9B210-00FN-0M0"),
        ("mma4z00-ns-flt", None, "MMA4Z00-NS-FLT", "980-9I51A-00NS00"),
        ("mfp7e10", 30, "MFP7E10-N030", "980-9I570-00N030"),
        # QM97xx user manual, interfaces
        ("mma4z00-ns", None, "MMA4Z00-NS", "980-9I510-00NS00"),
        ("mms4x00-ns", None, "MMS4X00-NS", "980-9I30H-00NM00"),
        ("mms4x00-ns400", None, "MMS4X00-NS400", "980-9I31N-00NM00"),
        # MCP7Y00 ordering information
        ("mcp7y00-n", 1.5, "MCP7Y00-N01A", "980-9I926-00N01A"),
        ("mcp7y00-n", 3, "MCP7Y00-N003", "980-9I92N-00N003"),
        ("mcp7y00-n-flt", 2, "MCP7Y00-N002-FLT", "980-9I925-00N002"),
        # NVIDIA's interconnect pages of September 2026
        ("mcp4y10-n", 0.5, "MCP4Y10-N00A", "980-9IA0K-00N00A"),
        ("mca4j80-n", 4, "980-9I601-00N004", "MCA4J80-N004"),
        ("mfs1s00-v", 100, "980-9I44H-00H100", None),
        ("mfa7u10-h", 15, "980-9I113-00H015", None),
        ("mma1z00-ns400", None, "MMA1Z00-NS400", "980-9I693-00NS00"),
        ("mma1z00-ns400-t", None, "MMA1Z00-NS400-T", "980-9I693-F4NS00"),
        ("mms4x00-nm", None, "MMS4X00-NM", "980-9I30G-00NM00"),
        ("dr4-800g-xdr", None, "980-9IAT0-00XM00", "MMS4A20-XM800"),
        ("mma1b00-c100d", None, "MMA1B00-C100D", "980-9I149-00CS00"),
        ("mms1v70-cm", None, "MMS1V70-CM", "980-9I042-00C000"),
        ("mms1v00-wm", None, "MMS1V00-WM", "980-9I16Y-00W000"),
        ("mms4x00-nm-t", None, "MMS4X00-NM-T", "980-9I30G-F4NM00"),
        ("mms4x00-nm-flt", None, "MMS4X00-NM-FLT", "980-9I301-00NM00"),
        ("mca4k50-x", 1, "980-9IAM5-00X001", None),
        ("mca4k50-x", 3, "980-9IAM3-00X003", None),
        ("mca7k10-x", 1.5, "980-9IAO5-00X01A", None),
        ("mcp4y10-n-flt", 1, "980-9IA0G-00N001", None),
        ("mca4j80-n-ftf", 3, "980-9I601-00N003", None),
        ("mfa7u10-h-flt", 10, "980-9I112-00H010", None),
        # the same of October 2026: MMS4C10 with a finned heat sink, with a flat one; MMS4C11
        ("mms4c10-xm", None, "980-9IAU0-00XM01", None),
        ("mms4c10-xm-flt", None, "980-9IAU0-00XM00", None),
        ("mms4c11-xm", None, "980-9IAU1-00XM01", None),
        ("mms4c10-xm800", None, "MMS4C10-XM800", "980-9IAY0-00XM00"),
        # MMS4A50, 2 x FR4
        ("mms4a50-xm", None, "980-9IAS0-00XM00", None),
        # NVIDIA's SONiC tests name the cables of 100GbE; store.nvidia.com sells the last one as 3 m
        ("mcp1600-c", 1, "MCP1600-C001E30N", None),
        ("mcp1600-c", 3, "MCP1600-C003E26N", None),
        # MFP7E10 and MFP7E30 ordering information
        ("mfp7e10", 25, "MFP7E10-N025", None),
        ("mfp7e30", 150, "MFP7E30-N150", None),
        # MFS1S50-V0xxE ordering information
        ("mfs1s50-v", 15, "MFS1S50-V015E", None),
        # Quantum-X800 clusters, tested and supported switches
        ("q3400-ra", None, "920-9B36F-00RX-8S0", None),
        ("q3401-rd", None, "920-9B36P-00RX-8S0", None),
        # ConnectX-8 hardware user manual: C8180 and C8240
        ("connectx-8-xdr", None, "900-9X81E-00EX-ST0", None),
        ("connectx-8-400-2p", None, "900-9X81Q-00CN-ST0", None),
        # ConnectX-6 EN and ConnectX-6 VPI for OCP 3.0, introductions; DPDK's tested adapters
        ("connectx-6-200gbe-2p", None, "MCX613106A-VDAT", "900-9X6AF-0058-MT1"),
        ("connectx-6-hdr-ocp3", None, "MCX653435A-HDAI", "900-9X657-0018-SI0"),
        ("connectx-6-dx-100gbe-2p", None, "MCX623106AN-CDAT", "900-9X6AG-0056-ST1"),
        # NVIDIA's adapter catalogue of October 2026; NVIDIA's simulators of hosts
        ("connectx-9-xdr", None, "900-9X91E-00EB-ST0", None),
        ("connectx-9-400-2p", None, "900-9X91Q-00CN-ST0", None),
        # SN4000 ordering information
        ("sn4700d", None, "MSN4700-WSARC", "920-9N301-00RB-NC0"),
        # HPE Juniper Networking, articles on the switches of 2026
        ("qfx5250-64oe-l", None, "QFX5250-64OE-L", None),
        ("qfx5140-24cd8o", None, "QFX5140-24CD8O-AO", None),
        # Broadcom Thor reference guide
        ("broadcom-p1400gd", None, "BCM957608-P1400GDF00", None),
        ("broadcom-p2200g", None, "BCM957608-P2200GQF00", None),
        # NVIDIA's price list for partners of September 2026
        ("dgx-b200", None, "DGXB-G1440+P1CMI36", None),
        ("dgx-gb200", None, "DGXG-0072F+P1CMI36", None),
        # NetBox device types of one airflow each
        ("7060dx5-64s", None, "DCS-7060DX5-64S-F", None),
        ("qfx5130-32cd", None, "QFX5130-32CD-AFO", None),
        ("as9817-64d", None, "AS9817-64D-O-AC-F", None),
        ("sr685a-v3", None, "7DHCCTO1WW", None),
    ],
)
def test_a_part_is_ordered_by_the_number_that_its_maker_prints(
    part: str, length_m: float | None, number: str, second: str | None
) -> None:
    known = CATALOG[part]
    assert (whole_number(known, length_m), second_number(known, length_m)) == (number, second)
    assert not is_doubtful(known, length_m)


@pytest.mark.parametrize(
    ("switch", "airflow", "other"),
    [
        # NVIDIA's SONiC code: F blows from the fans to the ports, R the other way
        ("sn2700", "power to port", "MSN2700-CS2R"),
        ("qm9700", "power to port", "MQM9700-NS2R"),
        ("qm8790", "power to port", "MQM8790-HS2R"),
        # Arista's F and Juniper's AFO are front to rear
        ("7060cx-32s", "port to power", "DCS-7060CX-32S-R"),
        ("qfx5200-32c", "port to power", "QFX5200-32C-AFI2"),
    ],
)
def test_a_switch_has_a_number_for_each_way_that_it_blows(
    switch: str, airflow: str, other: str
) -> None:
    part = CATALOG.switch(switch)
    assert (part.airflow, part.other_airflow_number) == (airflow, other)


@pytest.mark.parametrize(
    ("part", "most_w", "typical_w", "weight_kg"),
    [
        # NVIDIA hardware user manuals, specifications
        ("qm9700", 1720, 747, 14.8),
        ("qm9790", 1610, 640, 14.8),
        ("sn5600", None, 940, 23.5),
        ("sn5610", 2080, 900, 26.9),
        ("sn4600c", None, 466, 14.64),
        ("sn4600", None, 600, 14.64),
        ("sn2201", None, 98, 7.41),
        ("sn4700", None, 630, None),
        # NVIDIA ConnectX-7 user manual: typical power with passive cables, PCIe Gen 5
        ("connectx-7-ndr", None, 24.9, None),
        ("connectx-7-ndr200", None, 16.7, None),
        # Arista data sheets, 25 degrees
        ("7050cx3-32s", 343, 168, 9.07),
        ("7060cx-32s", 333, 187, 9.53),
        ("7060dx5-64s", 1716, 489, 21.95),
        ("7280cr3-32d4", 851, 535, 12.25),
        ("7280cr3-96", 1803, 1003, 23.59),
        ("7280dr3-24", 1100, 650, 12.7),
        # Juniper data sheets, at 40 degrees with SR optics
        ("qfx5120-32c", 365, 191, 9.58),
        ("qfx5130-32cd", 839, 323, 11.11),
        ("qfx5200-32c", 312, 184, 10.8),
        ("qfx5210-64c", 655, 389, None),
        # HPE Juniper Networking, articles on the switches of 2026
        ("qfx5250-64oe-l", 3435, 3375, 48),
        ("qfx5140-24cd8o", 883, None, None),
        # Cisco data sheets
        ("n9364e-sg2-o", 2270, 995, None),
        ("n9364e-sp2r-q", 5100, 2500, None),
        # NVIDIA DGX user guides
        ("dgx-a100", 6500, None, 123.16),
        ("dgx-h100", 10_200, None, 130.45),
        ("dgx-h200", 10_200, None, 130.45),
        ("dgx-b200", 14_300, None, 142.4),
        ("dgx-b300", 14_500, None, 168),
        ("dgx-b300-ethernet", 14_500, None, 168),
        # NVIDIA Domain Power Service
        ("gb200-nvl72-tray", 6667, None, None),
        # NetBox device types of VAST
        ("vast-cbox-gen6", 775, 550, 11.3),
    ],
)
def test_power_and_weight_are_those_of_the_page(
    part: str, most_w: float | None, typical_w: float | None, weight_kg: float | None
) -> None:
    known = CATALOG[part]
    assert (known.power_w, known.power_typical_w, known.weight_kg) == (most_w, typical_w, weight_kg)


@pytest.mark.parametrize(
    ("node", "count", "rating_w", "spare", "units"),
    [
        ("dgx-a100", 6, 3000, 3, 6),
        ("dgx-h100", 6, 3300, 2, 8),
        ("dgx-b200", 6, 3300, 1, 10),
        ("dgx-b300", 12, 3200, 6, 10),
        ("xe9680-h200", 6, 2800, 1, 6),
        ("sys-822gs-nb3rt", 6, 6600, 3, 8),
        ("sys-422gs-nbrt-lcc", 4, 6600, 2, 4),
        ("as-8126gs-tnmr", 6, 5250, 3, 8),
        ("as-4126gs-nmr-lcc", 4, 6600, 2, 4),
        ("asus-esc-a8a-e12u", 6, 3000, 1, 7),
        ("g894-sd3-aax7", 12, 3000, None, 8),
        ("sr685a-v3", 8, 2600, None, 8),
    ],
)
def test_power_supplies_and_heights_of_servers(
    node: str, count: int, rating_w: float, spare: int | None, units: int
) -> None:
    part = CATALOG.node(node)
    supplies = part.power_supplies
    assert supplies is not None
    assert (supplies.count, supplies.rating_w, supplies.spare) == (count, rating_w, spare)
    assert part.rack_units == units


@pytest.mark.parametrize(
    ("switch", "rating_w"), [("sn2700", 460), ("qm8700", 1100), ("qm8790", 1100)]
)
def test_supplies_of_a_switch_bound_what_it_can_draw(switch: str, rating_w: float) -> None:
    supplies = CATALOG.switch(switch).power_supplies
    assert supplies is not None
    assert (supplies.count, supplies.rating_w) == (2, rating_w)
    assert power_range(CATALOG[switch], CATALOG).most_w is not None


@pytest.mark.parametrize(
    ("node", "cooling", "airflow"),
    [
        ("gb200-nvl72-tray", "liquid", None),
        ("gb300-nvl72-tray", "liquid", None),
        ("sys-422gs-nbrt-lcc", "liquid", None),
        ("proliant-xd685-mi355x", "liquid", None),
        # 6U with air, 5U with liquid
        ("proliant-xd685-h200", "air", None),
        # NetBox device types
        ("sr685a-v3", "air", None),
        ("sr680a-v3", None, "front to rear"),
        ("dgx-h100", None, None),
    ],
)
def test_a_node_is_cooled_as_its_page_says(
    node: str, cooling: str | None, airflow: str | None
) -> None:
    part = CATALOG.node(node)
    assert (part.cooling, part.airflow) == (cooling, airflow)
    rows = {label: value for label, value, _ in part_card(part, CATALOG)}
    assert (rows.get("Cooled by"), rows.get("Air blows")) == (cooling, airflow)


def test_three_makers_and_more_sell_eight_gpu_servers_of_each_generation_from_hopper_on() -> None:
    for gpus in ({"h100-sxm5", "h200-sxm5"}, {"b300-sxm"}, {"mi300x", "mi325x", "mi355x"}):
        nodes = [part for part in CATALOG if isinstance(part, Node) and part.gpu in gpus]
        makers = {node.vendor for node in nodes if node.gpus == 8} - {"generic"}
        assert len(makers & {"Supermicro", "Dell", "ASUS", "Gigabyte", "Lenovo", "HPE"}) >= 3, gpus


def test_lengths_on_sale_are_those_of_nvidia_s_ordering_pages() -> None:
    assert CATALOG["mfp7e10"].lengths_m == (3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50)
    assert CATALOG["mfp7e30"].lengths_m == (3, 5, 7, 10, 15, 20, 30, 50, 100, 150)
    assert CATALOG["mfs1s00-v"].lengths_m == (3, 5, 10, 15, 20, 30, 50, 100)
    assert CATALOG["mca4k50-x"].lengths_m == (1, 1.5, 2, 2.5, 3)
    assert CATALOG["mca7k10-x"].lengths_m == (1, 1.5, 2)


def test_infiniband_and_ethernet_of_cables_are_nvidia_s() -> None:
    assert CATALOG["mca4j80-n"].protocols == ("infiniband",)
    assert CATALOG["mfs1s00-v"].protocols == ("infiniband", "ethernet")
    assert CATALOG["mma1z00-ns400-t"].protocols == ("ethernet",)
    assert CATALOG["mca4k50-x"].protocols == ("infiniband",)
    assert CATALOG["mca7k10-x"].protocols == ("infiniband", "ethernet")
    assert CATALOG["mms4c11-xm"].protocols == ("ethernet",)


@pytest.mark.parametrize(
    "part", [part for part in CATALOG if isinstance(part, Cable | Fibre)], ids=lambda part: part.id
)
def test_every_length_with_a_number_is_one_that_is_sold(part: Cable | Fibre) -> None:
    numbered = {*part.part_numbers, *part.ordering_numbers}
    assert not part.lengths_m or numbered <= set(part.lengths_m)


@for_every([part for part in CATALOG if isinstance(part, Switch)], named=lambda part: part.id)
def test_a_switch_draws_no_more_typically_than_at_most(switch: Switch) -> None:
    if switch.power_w is not None and switch.power_typical_w is not None:
        assert switch.power_typical_w < switch.power_w


DESIGNS = {saved.name: load_file(saved.path).design for saved in saved_designs()}
DESIGNS |= {
    f"new {name}": new_design(name, catalog=CATALOG) for name in TEMPLATES if name != "empty"
}

# Its cores stand so far apart that fibres are trunks made to measure, which nobody numbers.
MADE_TO_MEASURE = {"b200-131072gpu-fabric-per-rail"}


# Of Slingshot, of nodes built around it and of an NVL36x2 no order number was found.
WITHOUT_NUMBERS = {"dragonfly-74x32-slingshot", "gb200-nvl36x2-pair"}


@pytest.mark.parametrize("name", sorted(DESIGNS.keys() - WITHOUT_NUMBERS))
def test_nine_of_ten_network_lines_can_be_ordered_and_three_of_four_of_all(name: str) -> None:
    bill = placed_bill(plan_design(DESIGNS[name], CATALOG), CATALOG)
    lines = list(bill.lines)
    if name in MADE_TO_MEASURE:
        lines = [one for one in lines if (one.kind, one.manufacturer) != ("fibre", "generic")]
    found = count_orderable(name, lines, CATALOG)
    assert found.network_orderable >= 0.9 * found.network
    assert found.orderable >= 0.75 * found.lines
    by_hand = [line for line in lines if line.kind in NETWORK and line.part_number]
    assert found.network_orderable <= len(by_hand)


# Of these no page says how much they draw, or only what their supplies deliver.
OF_UNKNOWN_POWER = {
    "as-4124go-nart",
    "connectx-6-200gbe",
    "connectx-6-dx-100gbe",
    "gb200-nvl36-tray",
    "gh200-quad",
    "qm8790",
    "slingshot-64p",
    "sn2700",
    "sn3700",
}


def test_power_of_all_that_designs_use_is_known_within_a_factor_of_three_or_named() -> None:
    unknown = {
        line.part
        for design in DESIGNS.values()
        for line in make_bill(plan_design(design, CATALOG), CATALOG).lines
        if line.kind in DRAWING and how_known(line, CATALOG) == "unknown"
    }
    assert unknown == OF_UNKNOWN_POWER
