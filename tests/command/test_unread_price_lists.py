"""A price list that cannot be read is named by every command that buys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.shell import Shell


@pytest.mark.parametrize("words", [("fix",), ("change", "gb200-nvl72-rack")], ids=["fix", "change"])
def test_a_list_without_its_columns_is_named(
    shell: Shell, own_home: Path, words: tuple[str, ...]
) -> None:
    folder = own_home / "config" / "toposmith" / "prices"
    folder.mkdir(parents=True)
    (folder / "p.csv").write_text("part,price,currency\nsn2700,500,USD\n", encoding="utf-8")
    told = shell(*words, "a100-rack-1x100gbe").err
    assert "p.csv:1: no column date, source" in told
