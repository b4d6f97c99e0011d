"""A part file with one numbering of a maker makes trunks of every length orderable."""

from __future__ import annotations

from toposmith.bill.bill import Bill, make_bill, placed_bill
from toposmith.catalog import Catalog, Fibre, load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs

CATALOG = load_catalog()


def numbered(like: str, **numbering: object) -> Fibre:
    """A fibre of a maker of our own beside one of any maker."""
    generic = CATALOG[like].model_dump(exclude={"note", "lengths_m", "part_numbers"})
    own = {"id": f"acme-{like}", "vendor": "Acme", "numbering": numbering}
    return Fibre.model_validate({**generic, **own})


def two_switches(length_m: float) -> Design:
    groups = {"leaf": {"part": "qm9700"}, "spine": {"part": "qm9700"}}
    link = {"between": ["leaf", "spine"], "cables": 4, "length": length_m}
    return Design.model_validate({"groups": groups, "links": [link]})


def fibres(bill: Bill) -> list[tuple[str | None, float | None]]:
    return [(line.ordered_as, line.length_m) for line in bill.lines_of("fibre")]


def test_a_run_is_ordered_in_the_next_length_that_the_maker_numbers() -> None:
    trunk = numbered("mpo12-singlemode", form="AC-{:03}", first=50, last=400, step=50)
    catalog = Catalog([*CATALOG, trunk])
    plan = plan_design(two_switches(155), catalog)
    assert fibres(make_bill(plan, catalog)) == [("AC-200", 200)]
    # beyond what the maker numbers it is of any maker again
    plan = plan_design(two_switches(420), catalog)
    assert fibres(make_bill(plan, catalog)) == [(None, 420)]


def test_of_makers_alike_the_one_is_taken_whose_length_leaves_less_over() -> None:
    trunk = numbered("mpo12-singlemode", form="AC-{:03}", first=155, last=400)
    catalog = Catalog([*CATALOG, trunk])
    # NVIDIA's straight fibres are of 100 and 150 m
    plan = plan_design(two_switches(95), catalog)
    assert fibres(make_bill(plan, catalog)) == [("MFP7E30-N100", 100)]
    plan = plan_design(two_switches(151), catalog)
    assert fibres(make_bill(plan, catalog)) == [("AC-155", 155)]


def test_two_numberings_make_a_study_of_131072_gpus_orderable() -> None:
    (saved,) = [one for one in saved_designs() if one.name.startswith("b200-131072gpu")]
    trunks = [
        # NVIDIA's own end at 150 m
        numbered("mpo12-singlemode", form="AC-{:03}", first=155, last=500, step=5),
        numbered("lc-duplex-singlemode", form="AL-{:04}", first=5, last=2000, step=5),
    ]
    catalog = Catalog([*CATALOG, *trunks])
    bill = placed_bill(plan_design(load_file(saved.path).design, catalog), catalog)
    assert bill.orderable_words == "orderable: 82 of 82 lines"
