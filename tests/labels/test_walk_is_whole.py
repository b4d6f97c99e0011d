"""Nothing is left out of the walk: a new command, form, collective or view is added to it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

import toposmith.tui.views as package
from tests.labels import app, commands
from tests.labels.designs import TEMPLATES
from toposmith import templates
from toposmith.command.main import toposmith
from toposmith.tui.actions.registered import VIEWS
from toposmith.tui.views.depth_view import DepthView
from toposmith.tui.views.designs_view import DesignsView
from toposmith.tui.views.listing import Listing
from toposmith.tui.views.table_view import TableView, widget_of
from toposmith.tui.views.view import View

OTHERWISE = (DepthView, DesignsView)
"""Views that are shown in another way than by the action of their name alone."""
CONTEXT = click.Context(toposmith)
WITH_A_DESIGN = {
    *("analyze", "bom", "check", "diff", "export", "failures", "fix"),
    *("change", "jobs", "measured", "review", "workload"),
}
WITHOUT_A_DESIGN = {"catalog", "config", "lock", "new", "serve"}
NEEDS_A_DUMP = {"asbuilt"}
"""Its figures are held to those of `analyze` in tests/command/test_as_built.py."""


def choices(command: str, option: str) -> set[str]:
    found = toposmith.get_command(CONTEXT, command)
    assert found is not None
    (parameter,) = [each for each in found.params if option in each.opts]
    assert isinstance(parameter.type, click.Choice)
    return set(parameter.type.choices)


def test_every_command_is_walked() -> None:
    walked = WITH_A_DESIGN | WITHOUT_A_DESIGN | NEEDS_A_DUMP
    assert set(toposmith.list_commands(CONTEXT)) == walked


def test_every_form_and_collective_is_walked() -> None:
    assert set(commands.BILLS) == choices("bom", "--format")
    assert {*commands.EXPORTS, *commands.WITHOUT_FIGURES} == choices("export", "--to")
    assert set(commands.REPORTS) == choices("review", "--report")
    assert set(commands.COLLECTIVES) == choices("analyze", "--collective")


def test_every_view_is_turned_to() -> None:
    views = {view.NAME for view in (*OTHERWISE, *(widget_of(one.load()) for one in VIEWS))}
    assert views <= set(app.VIEWS) | set(app.RARE)


def test_every_class_and_listing_of_a_view_is_registered() -> None:
    paths = sorted(Path(package.__path__[0]).glob("*.py"))
    modules = [import_module(f"{package.__name__}.{path.stem}") for path in paths]

    def below(view: type[View]) -> set[type[View]]:
        own = {view} if "NAME" in vars(view) else set()
        return own.union(*map(below, view.__subclasses__()), set())

    of_the_app = {view for view in below(View) if view.__module__.startswith(package.__name__)}
    loaded = [one.load() for one in VIEWS]
    classes = {*OTHERWISE, *(one for one in loaded if isinstance(one, type))}
    assert of_the_app == classes
    written = {one for each in modules for one in vars(each).values() if isinstance(one, Listing)}
    of_classes = {one.LISTING for one in classes if issubclass(one, TableView)}
    assert written == of_classes | {one for one in loaded if isinstance(one, Listing)}


def test_every_template_is_walked() -> None:
    assert set(TEMPLATES) == set(templates.TEMPLATES)
