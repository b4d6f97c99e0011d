"""A name means one thing in all packages: a reader who met it once knows it everywhere."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("catalog", "command", "saved_designs", "topology", "toposmith", "tui")


def public_classes(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def test_classes_are_found_by_name() -> None:
    assert list(public_classes("class Leaf:\n    class Port: ...\nclass _Own: ...\n")) == ["Leaf"]


def test_no_public_class_has_the_name_of_another() -> None:
    where: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in public_classes(path.read_text(encoding="utf-8")):
                where[name].append(str(path.relative_to(ROOT)))
    assert len(where) > 600
    assert not {name: paths for name, paths in where.items() if len(paths) > 1}
