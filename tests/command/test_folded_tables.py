"""Tables on a terminal are no wider than it; in a pipe a row is a line."""

from __future__ import annotations

import pytest

from tests.command.shell import Shell
from toposmith.command import designs, differences, failures

TABLES = (
    (differences, ("diff", "dgx-h100-superpod-4su", "a100-rack-1x100gbe")),
    (differences, ("diff", "--table", "dgx-h100-superpod-4su", "gb200-nvl72-8-racks-ndr")),
    (failures, ("failures", "hgx-a100-64gpu-roce-2to1")),
    (designs, ("new", "--nodes", "64", "--most", "12")),
)


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(("module", "words"), TABLES, ids=["diff", "table", "failures", "new"])
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
    table = next(block for block in folded.split("\n\n") if block[:2] == "  " or "\n  " in block)
    rows = [line for line in table.splitlines() if line.startswith("  ")]
    assert max(map(len, rows)) <= columns
    assert max(map(len, piped.splitlines())) > 120
    missing = set(piped.replace(",", "").split()) - set(folded.replace(",", "").split())
    assert [word for word in missing if len(word) <= 12] == []  # longer ones are broken, too
