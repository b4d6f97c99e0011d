"""A kind of part that the program does not have, added from outside: one model and one record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

import toposmith
from tests.command.shell import Shell
from toposmith.catalog import Catalog, Part, check_part, load_catalog, one_line, part_card
from toposmith.catalog.kinds import KINDS, CardRow, PartKind, add_kind
from toposmith.catalog.kinds.record import body_rows, number_rows, power_rows
from toposmith.catalog.search import find_parts


class Appliance(Part):
    """A management server: no port of the fabric, but height, power and a price."""

    kind: Literal["appliance"] = "appliance"
    cores: Annotated[int, Field(gt=0)]
    sockets: Annotated[int, Field(gt=0)] = 1


def _rows(appliance: Appliance, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(appliance)
    yield "cores", "Cores", str(appliance.cores)
    yield from body_rows(appliance)
    yield from power_rows(appliance)


def _faults(appliance: Appliance, _catalog: Catalog) -> Iterator[str]:
    if appliance.cores % appliance.sockets:
        yield f"cores: {appliance.cores} do not divide over {appliance.sockets} sockets"


APPLIANCES = PartKind(
    Appliance,
    "Appliances",
    line=lambda appliance, _catalog: f"{appliance.cores} cores",
    rows=_rows,
    faults=_faults,
    described=lambda appliance, _catalog: f"management, {appliance.cores} cores",
    placed=True,
    bill_rank=9,
    racked=True,
)

PARTS = """\
- kind: appliance
  id: manager
  name: Manager 1U
  vendor: Somebody
  part_number: M-1
  cores: 32
  rack_units: 1
  power_w: 500
  weight_kg: 12
  source: the maker's page
- kind: appliance
  id: odd-manager
  name: Odd manager
  vendor: Somebody
  cores: 3
  sockets: 2
  source: the maker's page
"""

DESIGN = """\
toposmith: 2
name: With a manager
groups:
  node: {part: dgx-h100, count: 2}
  leaf: {part: qm9700, count: 1}
  manager: {part: manager, count: 3}
links:
  - {between: [node.compute, leaf]}
placement: {units: 48, max_power_w: 40000}
"""


@pytest.fixture
def parts(tmp_path: Path, own_home: Path) -> Iterator[Path]:
    """A folder of parts of the new kind."""
    before = dict(KINDS)
    KINDS.pop("appliance", None)  # where somebody took it from the page into the tree
    add_kind(APPLIANCES)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "managers.yaml").write_text(PARTS, encoding="utf-8")
    yield folder
    KINDS.clear()
    KINDS.update(before)


def test_its_parts_are_read_shown_found_and_checked(parts: Path) -> None:
    catalog = load_catalog(parts)
    manager = catalog["manager"]
    assert isinstance(manager, Appliance)
    assert catalog.of_kind("appliance") == [manager]
    assert one_line(manager) == "32 cores"
    assert [label for label, _, _ in part_card(manager, catalog)] == [
        "Name", "Cores", "Height, U", "Weight, kg", "Power, W", "Vendor", "Part number", "Source",
    ]  # fmt: skip
    assert find_parts(catalog, "manager 32") == [manager]
    assert any("cores: 3 do not divide over 2 sockets" in fault for fault in catalog.faults)
    assert check_part(manager.model_copy(update={"cores": 5, "sockets": 2}), catalog) == [
        "cores: 5 do not divide over 2 sockets"
    ]


def test_groups_of_it_stand_in_racks_and_on_the_bill_and_change_no_figure(parts: Path) -> None:
    with_it = toposmith.evaluate(toposmith.parse(DESIGN), catalog=parts)
    (line,) = [line for line in with_it.bill.lines if line.part == "manager"]
    assert (line.quantity, line.part_number, line.power_w, line.rack_units) == (3, "M-1", 1500, 3)
    assert line.description == "management, 32 cores"
    assert with_it.bill.lines[-1] is line or with_it.bill.lines[-2] is line
    without = DESIGN.replace("  manager: {part: manager, count: 3}\n", "")
    alone = toposmith.evaluate(toposmith.parse(without))
    assert with_it.prediction.busbw_GBps == alone.prediction.busbw_GBps
    assert not [one for one in with_it.findings if one.severity == "error"]


def test_the_command_lists_it_and_bills_that_hold_it_are_verified(
    parts: Path, shell: Shell
) -> None:
    assert "Manager 1U" in shell("catalog", "list", "appliance", "--catalog", str(parts)).out
    unknown = shell("catalog", "list", "balcony", "--catalog", str(parts))
    assert unknown.code == 2 and "no kind of part (known: node, nic" in unknown.err
    design = shell.file("design.yaml", DESIGN)
    made = shell("bom", design, "--catalog", str(parts))
    assert 'kind: "appliance"' in made.out
    bill = shell.file("bill.yaml", made.out)
    checked = shell("bom", design, bill, "--verify", "--catalog", str(parts))
    assert checked.code == 0, checked.err


def test_a_second_kind_of_the_same_name_is_refused(parts: Path) -> None:
    with pytest.raises(ValueError, match="there is a kind of part 'appliance'"):
        add_kind(APPLIANCES)
