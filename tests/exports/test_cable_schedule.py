"""The cable schedule: published counts, labels of ports by their manuals, and every port once."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from tests.expansion import expand
from tests.racks.fabrics import CATALOG, designs, planned
from tests.racks.test_lengths import number_of
from toposmith.bill.bill import make_bill
from toposmith.design.document import Design
from toposmith.exports.cable_schedule.schedule_csv import (
    COLUMNS,
    point_to_point_csv,
)
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Schedule
from toposmith.fabric.port_use import port_findings
from toposmith.racks.lengths import runs
from toposmith.racks.locked_devices import device_names
from toposmith.racks.placement import place
from toposmith.templates import new_design


def schedule_of(design: Design | dict[str, Any]) -> Schedule:
    plan = planned(design)
    return Schedule(plan, CATALOG, place(plan, CATALOG))


def superpod(su: int = 1) -> Design:
    return new_design("leaf-spine", {"su": su, "empty_slots": 1}, catalog=CATALOG)


def between(design: Design | dict[str, Any], node: str) -> dict[str, CableRow]:
    return {row.a.port: row for row in schedule_of(design) if row.a.node == node}


def ports_of(rows: list[CableRow]) -> list[tuple[str, str]]:
    """Every port that a row takes, those of a second fibre of the same ports left out."""
    first = [row for row in rows if row.fibre in (None, 1)]
    return [(end.node, end.port) for row in first for end in (row.a, row.z)]


@pytest.mark.parametrize(
    ("su", "node_leaf", "leaf_spine"),
    [(1, 248, 256), (2, 504, 512), (3, 760, 768), (4, 1016, 1024)],
)
def test_dgx_h100_superpods_have_the_published_connections(
    su: int, node_leaf: int, leaf_spine: int
) -> None:
    # RA-11333-001, table 4, less the 4 cables of the fabric manager.
    rows = Counter(row.a.kind for row in schedule_of(superpod(su)))
    assert rows == {"Host": node_leaf, "Switch": leaf_spine}


def test_cages_of_a_dgx_h100_bear_the_names_of_its_manual() -> None:
    # User guide, table of network ports: OSFP1 P1 is GPU 7, OSFP4 P2 is GPU 0; GPU n is rail n.
    rows = between(superpod(), "node-su0-0")
    gpus = {port: row.rail for port, row in rows.items()}
    assert gpus == {
        "OSFP1 P1": 7,
        "OSFP1 P2": 4,
        "OSFP2 P1": 6,
        "OSFP2 P2": 5,
        "OSFP3 P1": 2,
        "OSFP3 P2": 1,
        "OSFP4 P1": 3,
        "OSFP4 P2": 0,
    }
    assert list(rows) == sorted(rows)
    assert rows["OSFP4 P2"].z.node == "leaf-su0-rail0"


def test_rows_follow_racks_then_units_then_ports() -> None:
    rows = list(schedule_of(superpod()))
    places = [(row.a.rack or "", row.a.unit or 0) for row in rows]
    assert places == sorted(places)
    assert [row.label for row in rows if not row.label.endswith("-2")][:2] == ["C0001", "C0002"]


@pytest.mark.parametrize(
    ("node", "switch", "speed", "first"),
    [
        ("connectx-7-ndr", "qm9700", 400, ["1/1", "1/2", "2/1", "2/2"]),
        ("connectx-7-ndr", "qm9700", 200, ["1/1/1", "1/1/2", "1/2/1", "1/2/2"]),
        ("connectx-6-hdr", "qm8700", 200, ["1", "2", "3", "4"]),
        ("connectx-6-hdr100", "qm8700", 100, ["1/1", "1/2", "2/1", "2/2"]),
        ("connectx-6-200gbe", "sn3700", 200, ["swp1", "swp2", "swp3", "swp4"]),
    ],
)
def test_ports_of_switches_are_labelled_as_the_device_labels_them(
    node: str, switch: str, speed: int, first: list[str]
) -> None:
    design = {
        "groups": {
            "node": {
                "part": "hgx-a100-8",
                "count": 4,
                "nics": {"compute": {"part": node, "count": 1}},
            },
            "leaf": {"part": switch},
        },
        "links": [{"between": ("node.compute", "leaf"), "speed": speed, "length": 30}],
    }
    assert [row.z.port for row in schedule_of(design)][:4] == first


def test_a_splitter_is_one_cable_with_a_row_for_each_leg() -> None:
    design = {
        "groups": {
            "node": {
                "part": "hgx-a100-4",
                "count": 3,
                "nics": {"compute": {"part": "connectx-6-hdr100", "count": 1}},
            },
            "leaf": {"part": "qm8700"},
        },
        "links": [{"between": ("node.compute", "leaf"), "length": 1}],
    }
    schedule = schedule_of(design)
    assert [row.label for row in schedule] == ["C0001-1", "C0001-2", "C0002-1"]
    assert [row.z.port for row in schedule] == ["1/1", "1/2", "2/1"]
    assert schedule.cables == 2


def test_links_of_another_speed_begin_with_a_cage_of_their_own() -> None:
    design = {
        "groups": {
            "node": {
                "part": "hgx-h100-8",
                "nics": {"compute": {"part": "connectx-7-ndr", "count": 1}},
            },
            "old": {
                "part": "hgx-h100-8",
                "nics": {"compute": {"part": "connectx-7-ndr", "count": 1}},
            },
            "leaf": {"part": "qm9700"},
        },
        "links": [
            {"between": ("node.compute", "leaf"), "speed": 400},
            {"between": ("old.compute", "leaf"), "speed": 200},
        ],
    }
    assert {row.a.node: row.z.port for row in schedule_of(design)} == {
        "node-0": "1/1",
        "old-0": "2/1/1",
    }


@settings(max_examples=30)
@given(designs(length=True))
def test_the_schedule_joins_what_the_expanded_fabric_joins(design: Design) -> None:
    plan = planned(design)
    names = {name: device_names(plan, name) for name in plan.groups}
    wanted: Counter[frozenset[str]] = Counter()
    for u, v, data in expand(plan, without_down=False).edges(data=True):
        if data["link"] is not None:
            ends = [number_of(plan, u), number_of(plan, v)]
            wanted[frozenset(names[name](number) for name, number in ends)] += 1
    rows = list(Schedule(plan, CATALOG, place(plan, CATALOG)))
    joined = [row for row in rows if row.fibre in (None, 1)]
    assert Counter(frozenset((row.a.node, row.z.node)) for row in joined) == wanted


@settings(max_examples=30)
@given(designs(length=True))
def test_every_port_is_used_once_and_is_one_that_the_device_has(design: Design) -> None:
    plan = planned(design)
    schedule = Schedule(plan, CATALOG, place(plan, CATALOG))
    rows = list(schedule)
    assert len(rows) == len(schedule)
    ports = ports_of(rows)
    assert max(Counter(ports).values(), default=1) == 1
    short = any(one.code == "cages-short" for one in schedule.findings)
    if not port_findings(plan) and not short:
        assert not any(port.startswith("!") for _, port in ports)


@settings(max_examples=30)
@given(designs(length=True))
def test_cables_of_the_schedule_are_those_of_the_bill(design: Design) -> None:
    plan = planned(design)
    placement = place(plan, CATALOG)
    bill = make_bill(plan, CATALOG, runs=runs(plan, placement), placement=placement)
    schedule = Schedule(plan, CATALOG, placement)
    rows = list(schedule)
    labels = {row.label.split("-")[0] for row in rows}
    assert len(labels) == schedule.cables
    mixed = any(one.code == "mixed-parts" for one in bill.findings)
    built = {row.label.split("-")[0] for row in rows if row.part is not None}
    if not mixed:
        assert len(built) == bill.quantity("cable") + bill.quantity("fibre")
        bought = Counter(
            {
                (line.part, line.length_m): line.quantity
                for line in bill.lines
                if line.kind in ("cable", "fibre")
            }
        )
        laid = {row.cable: (row.part, row.length_m) for row in rows if row.part is not None}
        assert Counter(laid.values()) == bought


def test_the_sheet_has_the_columns_of_the_unified_point_to_point_file() -> None:
    # Cable Validation Tool 1.7.1: required columns of the sheet Links, in this order first.
    assert COLUMNS[:5] == ("A-Node", "A-Port", "Z-Node", "Z-Port", "Protocol")
    lines = list(csv.DictReader(io.StringIO("".join(point_to_point_csv(schedule_of(superpod()))))))
    assert len(lines) == 504
    first = lines[0]
    assert (first["A-Rack"], first["A-U"], first["A-Type"]) == ("A01", "1", "Host")
    assert (first["Protocol"], first["Speed-Gbps"], first["Rail"]) == ("ib", "400", "7")


def test_unknown_lengths_and_racks_are_empty_cells() -> None:
    design = {
        "groups": {
            "node": {
                "part": "hgx-a100-8",
                "nics": {"compute": {"part": "connectx-6-hdr", "count": 1}},
            },
            "leaf": {"part": "qm8700"},
        },
        "links": [{"between": ("node.compute", "leaf")}],
        "placement": {"units": 7, "heights": {"node": 8}},  # too tall for its rack
    }
    (line,) = csv.DictReader(io.StringIO("".join(point_to_point_csv(schedule_of(design)))))
    assert (line["A-Rack"], line["A-U"], line["Length-m"]) == ("", "", "")


def test_one_of_several_cables_that_is_absent_is_one_row_less() -> None:
    whole = new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG)
    cut = "3 of leaf[su=0,rail=2] - spine[spine=1]"
    design = whole.model_copy(update={"absent": (*whole.absent, cut)})
    rows = Counter((row.a.node, row.z.node) for row in schedule_of(design))
    # RA-11333-001, table 4: 8 cables from each leaf to each spine
    assert rows["leaf-su0-rail2", "spine-1"] == 8 - 3
    assert sum(rows.values()) == 504 - 3


def test_what_no_cable_reaches_is_a_finding_and_stays_in_the_schedule() -> None:
    design = superpod().model_copy(
        update={
            "links": tuple(link.model_copy(update={"length": 9_000.0}) for link in superpod().links)
        }
    )
    schedule = schedule_of(design)
    assert {one.code for one in schedule.findings} == {"no-cable"}
    rows = list(schedule)
    assert len(rows) == 504
    assert {(row.part, row.length_m) for row in rows} == {(None, 9_000.0)}


def test_progress_ends_with_all_rows() -> None:
    told: list[tuple[int, int]] = []
    rows = list(schedule_of(superpod()).rows(lambda done, total: told.append((done, total))))
    assert told[-1] == (len(rows), len(rows))


def test_names_stay_apart_where_one_group_begins_like_another() -> None:
    plan = planned(
        {"groups": {"node": {"part": "dgx-h100", "count": 2}, "node-1": {"part": "dgx-h100"}}}
    )
    assert device_names(plan, "node")(1) == "node.1"
    assert device_names(plan, "node-1")(0) == "node-1-0"


SLOWED = {
    "toposmith": 2,
    "groups": {
        "node": {"part": "dgx-h100", "count": 2},
        "leaf": {"part": "qm9700"},
        "spine": {"part": "qm9700"},
    },
    "links": [
        {"between": ("node.compute", "leaf"), "length": 5},
        {"between": ("leaf", "spine"), "cables": 4, "length": 5},
    ],
}


def sheet(design: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(point_to_point_csv(schedule_of(design))))))


def test_each_row_says_what_it_runs_at_where_something_is_slow() -> None:
    marks = {
        "slow": {"node[node=1].compute[2]": "50 %", "2 of leaf - spine": 100},
        "down": ["1 of leaf - spine"],
    }
    rows = sheet({**SLOWED, **marks})
    at = {(row["A-Node"], row["A-Port"]): row["Runs-Gbps"] for row in rows}
    assert Counter(at[key] for key in at if key[0] == "node-0") == {"400": 8}
    assert Counter(at[key] for key in at if key[0] == "node-1") == {"400": 7, "200": 1}
    # of four cables the last is down, and the two before it are slow
    assert [row["Runs-Gbps"] for row in rows if row["A-Node"] == "leaf-0"] == [
        "400",
        "100",
        "100",
        "",
    ]
    assert {row["Speed-Gbps"] for row in rows} == {"400"}


def test_a_design_without_slow_cables_has_no_column_for_it() -> None:
    gpu = {"slow": {"node[node=1].gpu[2]": "50 %"}}
    assert all("Runs-Gbps" not in row for row in sheet(SLOWED) + sheet({**SLOWED, **gpu}))
