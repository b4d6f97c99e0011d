"""Tables on a terminal are no wider than it; in a pipe a row is a line."""

from __future__ import annotations

import pytest

from tests.command.shell import Shell
from toposmith.command import designs, differences

TABLES = (
    (differences, ("diff", "dgx-h100-superpod-4su", "a100-rack-1x100gbe")),
    (designs, ("new", "--nodes", "64", "--most", "12")),
)


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(("module", "words"), TABLES, ids=["diff", "new"])
def test_a_table_is_no_wider_than_the_terminal(
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    words: tuple[str, ...],
    columns: int,
) -> None:
    piped = shell(*words).out
    monkeypatch.setattr(module, "terminal_columns", lambda: columns)
    folded = shell(*words).out
    rows = next(block for block in folded.split("\n\n") if block.startswith("  ")).splitlines()
    assert max(map(len, rows)) <= columns
    assert max(map(len, piped.splitlines())) > 120
    missing = set(piped.replace(",", "").split()) - set(folded.replace(",", "").split())
    assert [word for word in missing if len(word) <= 12] == []  # longer ones are broken, too
