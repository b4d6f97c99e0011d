"""The app is made of collaborators: no chain of base classes leads to what a key does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import toposmith.tui

MOST_ANCESTORS = 2


def classes_of_the_app() -> set[type]:
    """Every class that a module of the app defines."""
    found: set[type] = set()
    for module in pkgutil.walk_packages(toposmith.tui.__path__, "toposmith.tui."):
        members = vars(importlib.import_module(module.name)).values()
        found |= {one for one in members if inspect.isclass(one)}
    return {one for one in found if one.__module__.startswith("toposmith.tui")}


def ancestors(one: type) -> set[type]:
    return {base for base in one.__mro__[1:] if base.__module__.startswith("toposmith")}


def test_no_class_of_the_app_has_more_than_two_ancestors_of_ours() -> None:
    classes = classes_of_the_app()
    assert len(classes) > 150
    deep = {
        one.__name__: sorted(base.__name__ for base in ancestors(one))
        for one in classes
        if len(ancestors(one)) > MOST_ANCESTORS
    }
    assert not deep
