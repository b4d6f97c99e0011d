"""A name means one thing in all packages: a reader who met it once knows it everywhere."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("toposmith",)
BESIDE = frozenset(
    (
        *(
            "toposmith/command",
            "toposmith/command/reports",
        ),
        *("toposmith/findings/codes", "toposmith/review/findings", "toposmith/design/edits"),
    )
)
"""Folders whose modules have the name of the subject that they show, check or edit."""


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def public_classes(source: str) -> Iterator[str]:
    for node in parsed(source).body:
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
    assert len(where) > 500
    assert not {name: paths for name, paths in where.items() if len(paths) > 1}


def public_types(source: str) -> Iterator[str]:
    """Names of types that are put together of others: ``Range = tuple[int, int]``."""
    for node in parsed(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp()):
                if name[0].isupper() and not name.isupper():
                    yield name


def test_types_put_together_are_found_by_name() -> None:
    source = "Range = tuple[int, int]\nWays = Up | Down\n_Own = list[int]\nMOST = 5\n"
    assert list(public_types(source)) == ["Range", "Ways"]


def test_no_type_put_together_has_the_name_of_a_class() -> None:
    sources = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    classes = {name for source in sources.values() for name in public_classes(source)}
    types = {(name, path) for path, source in sources.items() for name in public_types(source)}
    assert len(types) > 100
    assert not {one for one in types if one[0] in classes}


def test_outside_of_folders_beside_others_no_two_modules_have_one_name() -> None:
    where: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            folder = str(path.parent.relative_to(ROOT))
            if not path.name.startswith("__") and folder not in BESIDE:
                where[path.stem].append(folder)
    assert len(where) > 500
    shared = {name: folders for name, folders in where.items() if len(folders) > 1}
    assert not shared
