"""Each record renders its findings' words from their values, and a place has one rendering."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import MISTAKES, RAILS, Mistake, but
from tests.review.reviewing import reviewed
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import Values, rendered
from toposmith.findings.finding import (
    DESIGN,
    NETWORK,
    Place,
    at_axis,
    at_block,
    at_group,
    at_groups,
    at_link,
    at_racks,
    at_waiver,
    found,
)

PLACES = [
    (DESIGN, "design"),
    (NETWORK, "network"),
    (at_group("leaf"), "leaf"),
    (at_group("node", "compute"), "node.compute"),
    (at_groups(["leaf", "store-leaf"]), "leaf + store-leaf"),
    (at_link(2, ["leaf", "spine"]), "links[2] leaf - spine"),
    (at_axis("rail"), "rail"),
    (at_racks("A01"), "rack A01"),
    (at_racks("A01", 35), "racks A01 and 35 more"),
    (at_waiver(0), "waivers[0]"),
    (at_block("placement.devices", "leaf[su=0]"), "placement.devices leaf[su=0]"),
]


@pytest.mark.parametrize(("place", "written"), PLACES, ids=[written for _, written in PLACES])
def test_a_place_is_written_in_one_way_and_called_by_it(place: Place, written: str) -> None:
    assert str(place) == written
    assert place.is_called(written)
    assert not place.is_called("elsewhere")


def test_a_link_is_known_by_its_ends_and_a_rack_by_its_label() -> None:
    assert at_link(2, ["leaf", "spine"]).is_called("leaf - spine")
    assert at_racks("A01").is_called("A01")
    assert at_link(2, ["a", "b"]).lasting == at_link(0, ["a", "b"]).lasting


def test_a_place_follows_its_groups_to_their_new_names() -> None:
    renamed = {"leaf": "tor"}
    other = at_link(0, ["leaf", "spine"]).renamed(lambda name: renamed.get(name, name))
    assert str(other) == "links[0] tor - spine"
    assert at_axis("leaf").renamed(lambda _: "x") == at_axis("leaf")


@pytest.mark.parametrize("mistake", MISTAKES[::2], ids=lambda mistake: mistake.name)
def test_no_finding_lacks_a_value_that_its_text_names(mistake: Mistake) -> None:
    for one in reviewed(mistake.wrong, mistake.policy):
        assert rendered(one.record.text, one.all_values), one.code


def test_every_template_can_be_filled_in() -> None:
    for record in RECORDS.values():
        for words in (record.text, record.figure, record.fix):
            if isinstance(words, str):
                assert rendered(words, Values()) in (None, words)


def test_without_what_was_worked_out_the_usual_fix_is_said() -> None:
    one = found(
        "oversubscribed", at_group("leaf"), tier="leaf", ratio=2.0, ports_down=2, ports_up=1
    )
    assert one.fix == "more uplinks"
    assert one.figure is None
    assert one.value is not None
    assert one.value.words == "2:1"


FAR = but(RAILS, ("cables: 2, length: 20", "cables: 2, length: 5000"))


@pytest.mark.parametrize("where", ["leaf - spine", "links[1] leaf - spine", None])
def test_a_waiver_names_a_link_by_its_ends_or_with_its_number(where: str | None) -> None:
    named = f"where: '{where}', " if where else ""
    waiver = f"{{code: no-cable, {named}reason: fibre is leased, date: '2026-01-31'}}"
    told = reviewed(f"{FAR}waivers: [{waiver}]\n")
    (one,) = [finding for finding in told if finding.code == "no-cable"]
    assert one.waived is not None
