"""Cables and modules that a switch or NIC is not known to take: none without a finding.

What is known is read from the part files themselves, with rules written out here.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.bill.test_policies import DAY
from tests.oracle.parts import parts
from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import Cable, Catalog, Nic, Switch, load_catalog, part_card
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design

WRITTEN = parts()
CATALOG = load_catalog()
SWITCHES = [part for part in CATALOG if isinstance(part, Switch) and part.cages.cage != "rj45"]
NICS = [part for part in CATALOG if isinstance(part, Nic) and part.cage not in ("virtual", "rj45")]
CODES = {"optics-generic", "optics-not-listed"}
LENGTHS = (1, 4, 30, 400)


def known(plug: str, device: str, end: str) -> bool | None:
    """Whether a page says that the device takes the plug; False where one says that it does not."""
    entry, host = WRITTEN[plug], WRITTEN[device]
    if entry.get("medium") == "twisted pair":
        return True
    listed = entry.get(end, {}).get("platforms") or entry.get("platforms", ())
    if host["platform"] in listed:
        return True
    only = entry.get("only_for")
    if only == "platforms" or (only == "adapters" and host["kind"] == "switch"):
        return False
    return True if host.get("optics") == "any maker" else None


def bill_of(
    data: dict[str, Any], prices: PriceList | None = None, catalog: Catalog = CATALOG
) -> Bill:
    plan = plan_design(Design.model_validate(data), catalog)
    return make_bill(plan, catalog, prices=prices)


def between_switches(switch: str, length: float) -> dict[str, Any]:
    ends = {"a": {"part": switch}, "b": {"part": switch}}
    return {"groups": ends, "links": [{"between": ["a", "b"], "cables": 2, "length": length}]}


def to_nics(nic: str, switch: str, length: float) -> dict[str, Any]:
    node = {"part": "hgx-h100-8", "count": 2, "nics": {"compute": {"part": nic, "count": 2}}}
    groups = {"a": node, "b": {"part": switch}}
    return {"groups": groups, "links": [{"between": ["a.compute", "b"], "length": length}]}


def plugged(bill: Bill, a: str, b: str) -> Iterator[tuple[str, str, str]]:
    """Every plug of the bill with the device that it goes into, and its end of a cable."""
    for line in bill.lines_of("transceiver"):
        for end in line.used_by:
            yield line.part, a if end.startswith("a") else b, ""
    for line in bill.lines_of("cable"):
        entry = WRITTEN[line.part]
        splits = entry["b"].get("plugs", 1) > 1
        yield line.part, b, "a" if splits else "b"
        yield line.part, a, "b" if splits else "a"


def told(bill: Bill) -> set[tuple[str, str]]:
    """Which plugs findings say are not known to be taken by which devices."""
    return {
        (one.values.text("part"), device)
        for one in bill.findings
        if one.code in CODES
        for device in one.values.texts("devices")
    }


def hold(bill: Bill, a: str, b: str) -> None:
    plugs = list(plugged(bill, a, b))
    assert not [plug for plug in plugs if known(*plug) is False]
    assert told(bill) == {(part, at) for part, at, end in plugs if known(part, at, end) is None}


@pytest.mark.parametrize("switch", [part.id for part in SWITCHES])
def test_between_switches_what_is_not_known_to_be_taken_is_told(switch: str) -> None:
    for length in LENGTHS:
        hold(bill_of(between_switches(switch, length)), switch, switch)


@pytest.mark.parametrize("nic", [part.id for part in NICS])
def test_at_nics_what_is_not_known_to_be_taken_is_told(nic: str) -> None:
    speeds = {CATALOG.nic(nic).speed_gbit}
    protocols = CATALOG.nic(nic).protocols
    for switch in SWITCHES[len(nic) % 3 :: 3]:  # a third of the switches, another one by NIC
        modes = {mode.speed_gbit for mode in switch.cages.modes}
        if switch.protocol in protocols and speeds & modes:
            hold(bill_of(to_nics(nic, switch.id, 30)), nic, switch.id)


def test_a_module_that_its_page_rules_out_is_not_bought_whatever_it_costs() -> None:
    cabling = [part for kind in ("cable", "fibre", "transceiver") for part in CATALOG.of_kind(kind)]
    ruled_out = {part.id for part in cabling if "only_for" in WRITTEN[part.id]}
    assert "mma4z00-ns" in ruled_out
    cheap = ruled_out | {part.id for part in CATALOG.of_kind("fibre")}
    costs = {part.id: Decimal(1 if part.id in cheap else 1000) for part in cabling}
    prices = PriceList({id: Price(cost, "USD", DAY, "offer") for id, cost in costs.items()})
    for switch in ("7060x6-64pe", "qfx5241-64od", "z9864f-on", "ds5000", "sn5640"):
        bill = bill_of(between_switches(switch, 30), prices)
        assert not {line.part for line in bill.lines} & ruled_out, switch
    spectrum = bill_of(between_switches("sn5600", 30), prices)
    assert {line.part for line in spectrum.lines} & ruled_out


def test_between_nvidia_s_own_nothing_is_to_be_told() -> None:
    pairs = (
        *(("connectx-7-ndr", "qm9700"), ("connectx-7-ndr", "sn5600")),
        *(("bluefield-3-b3140h", "sn5600"), ("connectx-6-hdr", "qm8700")),
        *(("connectx-6-200gbe", "sn3700"), ("connectx-8-xdr", "q3400-ra")),
    )
    for nic, switch in pairs:
        for length in (2, 20):
            bill = bill_of(to_nics(nic, switch, length))
            assert not told(bill), (nic, switch, length)
            assert not any(line.part.startswith(("dac-", "sr4-", "dr4-4")) for line in bill.lines)


def test_a_finding_says_how_many_where_and_what_settles_it() -> None:
    bill = bill_of(to_nics("amd-pollara-400", "ds5000", 1.5))
    (line,) = bill.lines_of("cable")
    (finding,) = (one for one in bill.findings if one.code in CODES)
    assert (line.part, line.quantity) == ("dac-800g-osfp-2x400g-qsfp112", 2)
    assert finding.severity == "info"
    assert finding.text.startswith("2 x dac-800g-osfp-2x400g-qsfp112 not known to be taken at ")
    assert "b (ds5000)" in finding.text and "a.compute (amd-pollara-400)" in finding.text
    assert finding.fix is not None and "`platforms: [celestica, pollara]`" in finding.fix
    assert line.notes[-1] == (
        "not known to be taken by ds5000, amd-pollara-400; order it coded for these"
    )


def test_a_linear_module_is_never_chosen(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "- {kind: transceiver, id: own-lpo, name: LPO, vendor: Acme, cage: osfp, ports: 2,\n"
        "   fibre: singlemode, connector: MPO-12/APC, speed_gbit: 400, reach_m: 100,\n"
        "   protocols: [ethernet], platforms: [celestica], linear: LINEAR, source: a page}\n"
    )
    text = file.read_text()
    for linear in (False, True):
        file.write_text(text.replace("LINEAR", str(linear).lower()))
        catalog = load_catalog(file)
        assert not catalog.faults
        bill = bill_of(between_switches("ds5000", 30), catalog=catalog)
        assert any(line.part == "own-lpo" for line in bill.lines) is not linear


def test_a_platform_that_nothing_is_of_is_told_by_line_with_near_names(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "- kind: transceiver\n  id: own\n  name: Own\n  vendor: Acme\n  cage: osfp\n"
        "  fibre: singlemode\n  speed_gbit: 400\n  reach_m: 100\n  protocols: [ethernet]\n"
        "  platforms: [spectrun-4]\n  source: a page\n"
    )
    catalog = load_catalog(file)
    (fault,) = catalog.faults
    assert f"{file.name}:10: part 'own': platforms: " in fault.replace(f"{tmp_path}/", "")
    assert "no switch or NIC is of a platform 'spectrun-4'; did you mean 'spectrum-4'" in fault
    assert "own" not in catalog


def test_a_part_of_one_s_own_settles_it(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "- {kind: cable, id: own-dac, name: DAC, vendor: Acme, part_number: A1, medium: dac,\n"
        "   protocols: [ethernet], reach_m: 2, source: a list of the maker,\n"
        "   a: {cage: osfp, speed_gbit: 800, platforms: [celestica]},\n"
        "   b: {plugs: 2, cage: qsfp112, speed_gbit: 400, platforms: [pollara]}}\n"
    )
    bill = bill_of(to_nics("amd-pollara-400", "ds5000", 1.5), catalog=load_catalog(file))
    assert [line.part for line in bill.lines_of("cable")] == ["own-dac"]
    assert not [one for one in bill.findings if one.code in CODES]


def test_the_coding_of_each_end_counts(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "- {kind: cable, id: own-dac, name: DAC, vendor: Acme, medium: dac, reach_m: 2,\n"
        "   protocols: [ethernet], source: a list of the maker,\n"
        "   a: {cage: osfp, speed_gbit: 800, platforms: [pollara]},\n"
        "   b: {plugs: 2, cage: qsfp112, speed_gbit: 400, platforms: [celestica]}}\n"
    )
    bill = bill_of(to_nics("amd-pollara-400", "ds5000", 1.5), catalog=load_catalog(file))
    assert [line.part for line in bill.lines_of("cable")] != ["own-dac"]


def test_a_misspelt_platform_of_a_switch_of_one_s_own_is_told_on_its_card(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "- {kind: switch, id: own, name: Own, vendor: Acme, protocol: ethernet, source: a page,\n"
        "   platform: spectrun-4,\n"
        "   cages: {count: 4, cage: osfp, lanes: 8, modes: [{ports: 2, speed_gbit: 400}]}}\n"
    )
    catalog = load_catalog(file)
    minded = [value for label, value, _ in part_card(catalog["own"], catalog) if label == "Mind"]
    assert minded == [
        "platform: no cable or module is for 'spectrun-4'; did you mean 'spectrum-4'?"
    ]
    for part in (*SWITCHES, *NICS):
        card = part_card(part, CATALOG)
        assert not [value for label, value, _ in card if "is for" in value and label == "Mind"]


def test_cards_say_which_platforms_take_what() -> None:
    def said(part: str) -> dict[str, str]:
        return {label: value for label, value, _ in part_card(CATALOG[part], CATALOG)}

    assert said("qm9700")["Optics platform"] == "quantum-2"
    assert said("mma4z00-ns")["For platforms"] == "quantum-2, spectrum-4, no others"
    assert said("mms4x00-ns400")["For platforms"] == "connectx-7, no switches"
    assert said("mcp7y00-n")["End b for"] == "connectx-7"
    assert said("dac-800g-osfp")["For platforms"] == "coded to order"
    assert said("sf-nnd1j")["For platforms"] == "unknown"
    assert said("lpo-800g-2dr4")["Linear (LPO)"].endswith("a bill never chooses it")


def test_a_switch_of_no_known_platform_may_be_the_one_that_a_module_is_for(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    switch = (
        "- {kind: switch, id: own, name: Own, vendor: Acme, protocol: infiniband, source: a page,\n"
        "   PLATFORM cages: {count: 4, cage: osfp, lanes: 8, heat_sink: finned,\n"
        "   modes: [{ports: 2, speed_gbit: 400}]}}\n"
    )
    found = {}
    for platform in ("", "platform: own,", "platform: quantum-2,"):
        file.write_text(switch.replace("PLATFORM", platform))
        bill = bill_of(between_switches("own", 20), catalog=load_catalog(file))
        lines = {line.part for line in bill.lines_of("transceiver")}
        found[platform] = (lines, [one for one in bill.findings if one.code in CODES])
    assert found["platform: quantum-2,"] == ({"mma4z00-ns"}, [])
    lines, (finding,) = found[""]
    assert lines == {"mma4z00-ns"} and finding.code == "optics-not-listed"
    assert finding.fix is not None and finding.fix.startswith("say `platform:` in the part of own")
    lines, (finding,) = found["platform: own,"]
    assert "mma4z00-ns" not in lines and finding.code == "optics-not-listed"


def test_uplink_cages_of_a_switch_are_of_its_platform() -> None:
    def between(*parts: Cable) -> Bill:
        data = {
            "groups": {"low": {"part": "sn2201"}, "core": {"part": "sn4600c"}},
            "links": [{"between": ["low.uplink", "core"], "cables": 1, "length": 2}],
        }
        catalog = Catalog((*CATALOG, *parts))
        return make_bill(plan_design(Design.model_validate(data), catalog), catalog)

    (doubt,) = [one for one in between().findings if one.code == "optics-generic"]
    assert "low.uplink (sn2201)" in doubt.text and "in the part of uplink" not in doubt.fix
    other = CATALOG["fs-q28-pc"]
    assert isinstance(other, Cable)
    listed = {"id": "own-dac", "platforms": ("spectrum", "spectrum-3"), "coded_to_order": False}
    bill = between(other.model_copy(update=listed))
    assert [line.part for line in bill.lines_of("cable")] == ["own-dac"]
    assert not [one for one in bill.findings if one.code.startswith("optics")]
