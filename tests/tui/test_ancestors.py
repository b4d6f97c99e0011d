"""What a class of the app does stands in it and in two others at most: collaborators, not bases."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import toposmith.tui
from toposmith.tui.views.fabrics_view import FabricsView
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View

MOST = 2


def own_ancestors(one: type) -> list[type]:
    return [base for base in one.__mro__[1:] if base.__module__.startswith("toposmith.")]


def classes_of_the_app() -> Iterator[type]:
    for found in pkgutil.walk_packages(toposmith.tui.__path__, "toposmith.tui."):
        module = importlib.import_module(found.name)
        for _, one in inspect.getmembers(module, inspect.isclass):
            if one.__module__ == found.name:
                yield one


def test_ancestors_are_counted_without_those_of_others() -> None:
    assert own_ancestors(FabricsView) == [TableView, View]


def test_no_class_of_the_app_has_more_than_two_ancestors_of_ours() -> None:
    classes = list(classes_of_the_app())
    assert len(classes) > 150
    assert not [one for one in classes if len(own_ancestors(one)) > MOST]
