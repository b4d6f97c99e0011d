"""Templates offer what they take: nodes, and switches with their ports, speeds and networks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.tui.person import OpenApp
from toposmith.catalog import Switch, load_catalog
from toposmith.errors import EditError
from toposmith.templates import new_design
from toposmith.tui.asking import ChoiceQuestion
from toposmith.tui.flows.further_networks import network
from toposmith.tui.flows.new_design import _nodes
from toposmith.tui.parts.part_lines import part_choice
from toposmith.tui.questions import matching

CATALOG = load_catalog(user=False)


def taken(template: str, node: str) -> bool:
    """Whether a template takes a node; its NICs are asked for next."""
    try:
        new_design(template, {"node": node}, catalog=CATALOG)
    except EditError as refused:
        return "comes without NICs" in str(refused)
    return True


def test_racks_of_nvlink_are_made_of_trays_that_nvlink_joins() -> None:
    choices = _nodes(CATALOG, "gb200-nvl72-tray")
    wrong = [one.id for one in choices if bool(one.refusal) == taken("nvlink-racks", one.id)]
    assert wrong == []
    assert {"gb200-nvl72-tray", "gb300-nvl72-tray"} <= {
        one.id for one in choices if not one.refusal
    }
    assert not any(one.refusal for one in _nodes(CATALOG, "dgx-h100"))


@pytest.mark.parametrize(
    ("typed", "protocol", "speed"),
    [("ethernet 400", "ethernet", 400), ("infiniband", "infiniband", 0)],
)
def test_a_switch_is_found_by_its_network_and_speed(typed: str, protocol: str, speed: int) -> None:
    switches = [part for part in CATALOG if isinstance(part, Switch)]
    choices = [part_choice(part, CATALOG) for part in switches]
    found = [CATALOG[one.id] for one in matching(choices, typed)]
    assert found
    for part in found:
        assert isinstance(part, Switch)
        assert part.protocol == protocol
        assert not speed or part.native.speed_gbit == speed


@pytest.mark.parametrize(("node", "skipped"), [("hgx-h100-8", True), ("dgx-h100", False)])
def test_networks_that_nobody_is_asked_for_are_named_with_the_reason(
    node: str, skipped: bool
) -> None:
    here: Any = SimpleNamespace(catalog=CATALOG)
    asked = next(network(here, "out_of_band", {"node": node}, str))
    assert isinstance(asked, ChoiceQuestion)
    assert ("no storage or in-band network" in asked.hint) == skipped


async def test_what_is_proposed_stands_first_and_the_parts_fold_meanwhile(
    open_app: OpenApp,
) -> None:
    async with open_app() as person:
        await person.press("enter")
        assert person.designer.query_one("#parts").display
        await person.press("T")
        assert not person.designer.query_one("#parts").display
        await person.answer("leaf")
        await person.answer("dgx a100")
        await person.press("enter")  # as many SUs as proposed
        lines = person.seen().splitlines()
        at = next(number for number, line in enumerate(lines) if "leaf switches:" in line)
        assert "QM8700 HDR switch, managed: 40 x 200 Gb/s, QSFP56, InfiniBand" in lines[at + 2]
