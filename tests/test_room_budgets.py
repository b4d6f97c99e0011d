"""No room grows unnoticed: each has a budget of statements, which is lowered as the room shrinks.

Statements do not change with layout, so that they measure ideas: docstrings and blank lines cost
nothing. A room that needs more says why in the commit that raises its budget.
"""

from __future__ import annotations

import ast
from pathlib import Path

import yaml

from tests.every import for_every

ROOT = Path(__file__).parent.parent
BUDGETS: dict[str, int] = yaml.safe_load((ROOT / "tests" / "room_budgets.yaml").read_text("utf-8"))
OTHERS = "toposmith"
"""The modules beside the rooms."""


def statements(path: Path) -> int:
    """Statements of a module, docstrings apart."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(
        isinstance(node, ast.stmt)
        and not (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        for node in ast.walk(tree)
    )


def modules(room: str) -> list[Path]:
    folder = ROOT / "toposmith"
    return sorted(folder.glob("*.py") if room == OTHERS else (folder / room).rglob("*.py"))


def test_statements_are_counted_without_docstrings(tmp_path: Path) -> None:
    module = tmp_path / "leaf.py"
    module.write_text('"""A leaf."""\n\n\ndef ports():\n    """Ports."""\n    return 64\n')
    assert statements(module) == 2


def test_every_room_has_a_budget() -> None:
    rooms = {path.parent.name for path in (ROOT / "toposmith").glob("*/__init__.py")}
    assert BUDGETS.keys() == rooms | {OTHERS}


@for_every(BUDGETS)
def test_a_room_keeps_to_its_budget(room: str) -> None:
    assert sum(map(statements, modules(room))) <= BUDGETS[room]


def test_a_budget_is_lowered_as_its_room_shrinks() -> None:
    spare = {room: BUDGETS[room] - sum(map(statements, modules(room))) for room in BUDGETS}
    assert {room: most for room, most in spare.items() if most > 60} == {}
