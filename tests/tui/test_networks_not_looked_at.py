"""Every network that no figure looks at is named wherever failures are told."""

from __future__ import annotations

import re

import pytest

from tests import laid_beside
from tests.every_design import CATALOG, EVERY, planned
from toposmith.catalog import Storage
from toposmith.command.failures import failures_report
from toposmith.design.document import Design
from toposmith.documents.markdown import page_markdown
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.review.failures.sweep_in_words import sweep_as_data
from toposmith.review.report.pages import page_html, review_page
from toposmith.review.sidecar.verdict import Review
from toposmith.tui.views.failures_view import failure_table

FEW = [name for name, design in EVERY.items() if "131072" not in name and "64su" not in name]


def beside_compute(design: Design) -> set[str]:
    """Groups with a link that no collective takes, told from the words of the file alone."""
    ends = [tuple(link.between) for link in design.links]
    kinds = {name: CATALOG.get(group.part) for name, group in design.groups.items()}
    used = (".compute", ".nvlink")
    reached = {end.partition(".")[0] for pair in ends for end in pair if end.endswith(used)}
    grown = True
    while grown:
        grown = False
        for pair in ends:
            names = [end.partition(".")[0] for end in pair]
            other = any(end.endswith((".storage",)) for end in pair)
            stores = any(isinstance(kinds[name], Storage) for name in names)
            if not other and not stores and reached & set(names) and not set(names) <= reached:
                reached |= set(names)
                grown = True
    left: set[str] = set()
    for pair in ends:
        names = {end.partition(".")[0] for end in pair}
        if any(end.endswith(".storage") for end in pair) or not names <= reached:
            left |= {name for name in names if name not in reached}
    return left


def swept(name: str) -> Sweep:
    plan = planned(name).plan
    return sweep(plan, CATALOG, collectives=("all_reduce",), progress=lambda *_: False)


def named(groups: set[str], text: str) -> set[str]:
    """The groups that a text names, not as a part of another name."""
    return {name for name in groups if re.search(rf"(?<![\w-]){name}(?![\w-])", text)}


@pytest.mark.parametrize("name", FEW)
def test_failures_and_findings_name_every_group_that_no_collective_uses(name: str) -> None:
    design = EVERY[name]
    left = beside_compute(design)
    now = laid_beside.named(name, design, CATALOG, ("all_reduce",), shared=planned(name))
    told = [one for one in now.findings if one.code == "network-not-looked-at"]
    assert named(left, " ".join(one.text for one in told)) == left
    assert bool(told) == bool(left)
    found = swept(name)
    page = review_page(now, found, Review())
    table = failure_table(found, design)
    for text in (
        failures_report(found),
        page_markdown(page),
        page_html(page),
        "\n".join(words for words, _ in table.head),
        "\n".join(sweep_as_data(found)["not_looked_at"]),
    ):
        assert named(left, text) == left


def test_the_only_leaf_to_storage_is_told() -> None:
    found = swept("storage on a leaf of its own")
    assert any("storage network (store-leaf, store)" in line for line in found.not_looked_at)
    on_the_leaf = swept("storage on the leaf")
    assert any("storage network (store over leaf)" in line for line in on_the_leaf.not_looked_at)


def test_two_networks_are_two() -> None:
    lines = swept("two networks besides").not_looked_at
    assert [*lines[:2]] == [
        f"bandwidth of the {name}, before and after failures"
        for name in (
            "storage network (store-leaf, store-spine, store) for single nodes",
            "network (in-band, in-band-core)",
        )
    ]
