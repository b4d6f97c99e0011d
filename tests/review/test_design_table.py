"""Designs below one another, sorted by what is asked, unknown and unreadable ones last."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.laid_beside import named
from toposmith.catalog import load_catalog
from toposmith.design.document import Design, as_data
from toposmith.design.stored_files import load_file
from toposmith.review.design_table import (
    ComparedDesign,
    SortKey,
    comparison_as_data,
    designs_table,
    ordered,
)
from toposmith.saved_designs import saved_designs

CATALOG = load_catalog()
ROWS = [
    ComparedDesign("broken", None, "there is no such file"),
    *(
        ComparedDesign(saved.name, named(saved.name, load_file(saved.path).design, CATALOG))
        for saved in saved_designs()
        if not saved.name.startswith(("b200", "dragonfly"))
    ),
]


def names(key: SortKey | None) -> list[str]:
    return [row.source for row in ordered(ROWS, key)]


def test_most_gpus_come_first() -> None:
    assert names("gpus")[:2] == ["dgx-b200-superpod-64su", "dgx-h100-superpod-4su"]
    assert names("gpus")[-1] == "broken"


def test_least_oversubscribed_come_first_and_the_2_to_1_last_of_those_known() -> None:
    # racks that NVLink alone joins have no tier, and so no ratio
    assert names("oversubscription")[-4:] == [
        *("hgx-a100-64gpu-roce-2to1", "gb200-nvl36x2-pair", "gb200-nvl72-rack", "broken")
    ]


def test_what_is_incomplete_comes_behind_what_is_known() -> None:
    by_power = names("power")
    known = ["dgx-h100-superpod-1su", "torus-4x4x4-h100", "dgx-h100-superpod-4su"]
    assert by_power[:3] == known
    assert by_power[-1] == "broken"


@pytest.mark.parametrize("key", get_args(SortKey))
def test_every_key_keeps_every_row(key: SortKey) -> None:
    assert sorted(names(key)) == sorted(names(None))
    assert names("name") == sorted(names(None))


def test_a_row_says_what_is_incomplete_and_what_cannot_be_read() -> None:
    table = designs_table(ROWS)
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert table.rows[0].words[0] == "broken: cannot be read"
    assert table.rows[0].detail == ("there is no such file",)
    rack = next(row.words for row in table.rows if row.key == "a100-rack-1x100gbe")
    assert rack[table.titles.index("power")].startswith("at least ")
    assert rack[table.titles.index("rack units")] == "33 U"
    assert rack[table.titles.index("cost")] == "unknown"
    assert rack[table.titles.index("all-reduce")] == "12.0 GB/s"
    data = comparison_as_data(ROWS)["designs"]
    assert data[0] == {"source": "broken", "unreadable": "there is no such file"}
    assert next(d for d in data if d["source"] == "a100-rack-1x100gbe")["power_w"] is None


def test_every_figure_says_whose_it_is_so_that_dp_groups_are_not_taken_for_the_world() -> None:
    # 1,016 GPUs of 4 SU in tensor parallelism of 8 are 8 dp groups of 127 ranks.
    design = next(s for s in saved_designs() if s.name == "dgx-h100-superpod-4su")
    document = load_file(design.path).design
    block = {"layout": "tp=8,dp=127", "group": "dp"}
    split = Design.model_validate({**as_data(document), "communicator": block})
    rows = [
        ComparedDesign("world", named("world", document, CATALOG)),
        ComparedDesign("split", named("split", split, CATALOG)),
    ]
    table = designs_table(rows)
    groups = table.titles.index("groups")
    said = [row.words[groups] for row in table.rows]
    assert said == ["world: 1,016 ranks", "dp: 8 groups of 127 ranks"]
    first = comparison_as_data(rows)["designs"][1]["figures"][0]
    assert (first["group"], first["groups"], first["ranks"]) == ("dp", 8, 127)
