"""Links that say what they are to have: a cable, modules, a medium."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bill.test_link_parts import QM9700, cabling, pair
from toposmith.design.document import Design
from toposmith.design.edits import set_wanted
from toposmith.errors import EditError

TWIN = {"cables": 2, "length": 2}


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        ({}, {"mcp4y10-n": 1}),
        ({"medium": "multimode"}, {"mfp7e10": 2, "mma4z00-ns": 2}),
        ({"medium": "singlemode"}, {"mfp7e30": 2, "mms4x00-ns": 2}),
        ({"cable": "mfp7e30"}, {"mfp7e30": 2, "mms4x00-ns": 2}),
        ({"module": "mms4x00-nm"}, {"mfp7e30": 2, "mms4x00-nm": 2}),
    ],
    ids=["nothing", "multimode", "singlemode", "a fibre", "a module"],
)
def test_two_switches_are_joined_by_what_their_link_asks_for(
    link: dict[str, Any], parts: dict[str, int]
) -> None:
    bill = pair(QM9700, QM9700, **TWIN, **link)
    assert (cabling(bill), bill.listed) == (parts, True)


def test_a_link_comes_before_the_policy_of_all_links() -> None:
    bill = pair(QM9700, QM9700, **TWIN, medium="copper")
    assert bill.lines_of("cable")


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ({"cable": "mfp7e99"}, "the link asks for cable mfp7e99; mfp7e99 is not in the catalog"),
        ({"module": "qsfp-100g-sr4-arista"}, "that does not join"),
        ({"cable": "mfp7e10", "medium": "copper"}, "that does not join"),
    ],
)
def test_what_cannot_be_had_is_an_error_that_names_it(link: dict[str, Any], why: str) -> None:
    bill = pair(QM9700, QM9700, **TWIN, **link)
    (finding,) = [one for one in bill.findings if one.code == "no-cable"]
    assert (finding.severity, bill.listed) == ("error", False)
    assert why in finding.text


def test_a_link_is_told_its_parts_in_one_line() -> None:
    design = Design.model_validate(
        {"groups": {"a": QM9700, "b": QM9700}, "links": [{"between": ["a", "b"]}]}
    )
    made = set_wanted(design, 0, "module mma4z00-ns, medium multimode").design
    assert made.links[0].wants.words == "module mma4z00-ns, medium multimode"
    assert set_wanted(made, 0, "").design == design
    for text in ("fibre x", "cable", "cable a, cable b", "medium glass"):
        with pytest.raises(EditError):
            set_wanted(design, 0, text)


def test_a_cable_whose_cage_is_not_known_to_take_it_is_not_orderable() -> None:
    # it has a number, and no page says that the switch of another maker takes it
    nodes: dict[str, Any] = {"part": "a100-pcie-4"}
    nodes |= {"nics": {"compute": {"part": "connectx-6-hdr100", "count": 1}}}
    bill = pair(nodes, {"part": "7060x6-64pe"}, length=2)
    (line,) = bill.lines_of("cable")
    assert (line.part_number, line.taken, line.orderable) == ("MCP7Y70-H002", False, False)
    own = {"part": "hgx-h100-8", "count": 2}
    own["nics"] = {"compute": {"part": "connectx-7-ndr", "count": 1}}
    (sure,) = pair(own, QM9700, length=1.2).lines_of("cable")
    assert (sure.part, sure.taken, sure.orderable) == ("mcp7y00-n", True, True)
