"""Designs in one table: each row is held to the rules by its own design."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.labels.commands import run
from tests.labels.designs import odd_designs
from tests.labels.facts import Facts
from tests.labels.pages import Asked, Page, of_json, of_markdown
from tests.labels.rule import Walk
from tests.labels.rules import broken_in
from tests.labels.sharing import computed_once

TABLES = {"diff": (), "diff --markdown": ("--markdown",)}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Walk]:
    """By design what `diff` says of it, as data and in both tables."""
    folder: Path = tmp_path_factory.mktemp("designs")
    for name, path in odd_designs().items():
        (folder / f"{name}.yaml").write_bytes(path.read_bytes())
    with computed_once():
        _, said = of_json(run("diff", "--table", str(folder), "--json").out)
        tables = {
            place: of_markdown(run("diff", "--table", str(folder), *options).out).splitlines()
            for place, options in TABLES.items()
        }
    found = {}
    for row in said["designs"]:
        name = Path(row["source"]).stem
        facts = Facts.of(odd_designs()[name])
        pages = list(_figures_of(row))
        for place, lines in tables.items():
            head = next(line for line in lines if "all-reduce" in line)
            own = [line for line in lines if f"{name}.yaml" in line and "GB/s" in line]
            text = "\n".join([head, *own])
            pages.append(Page(place, text, frozenset({"compare", "figures"})))
        found[name] = Walk(name, facts, pages)
    return found


def _figures_of(row: dict) -> list[Page]:
    pages = []
    for figure in row.get("figures", ()):
        text, data = of_json(
            json.dumps({"findings": row.get("left_out", []), "band": None, **figure})
        )
        page = Page("diff --json", text, frozenset({"compare", "figures", "json"}), data)
        asked = Asked(figure["collective"])
        pages.append(replace(page, asked=asked, shows=page.shows | {"analysis"}))
    return pages


def test_no_row_of_a_table_says_more_than_is_known(rows: dict[str, Walk]) -> None:
    assert set(rows) == set(odd_designs())
    broken = [f"{name}: {each}" for name, walk in rows.items() for each in broken_in(walk)]
    assert not broken, "\n".join(broken)
