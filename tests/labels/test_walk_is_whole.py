"""Nothing is left out of the walk: a new command, form, collective or view is added to it."""

from __future__ import annotations

import click

from tests.labels import app, commands
from tests.labels.designs import TEMPLATES
from toposmith.command.main import toposmith
from toposmith.topology import templates
from toposmith.tui.views import (  # noqa: F401
    bill_view,
    comments_view,
    curve_view,
    designs_view,
    differences_view,
    fabrics_view,
    failures_view,
    findings_view,
    fixes_view,
    growth_view,
    jobs_view,
    layouts_view,
    measured_view,
    racks_view,
    workload_view,
)
from toposmith.tui.views.view import View

CONTEXT = click.Context(toposmith)
WITH_A_DESIGN = {
    *("analyze", "bom", "check", "compare", "diff", "export", "failures"),
    *("fix", "grow", "measured", "require", "review", "workload"),
    *("fix", "jobs", "measured", "require", "review", "workload"),
}
WITHOUT_A_DESIGN = {"catalog", "config", "design", "designs", "new"}
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
    def below(view: type[View]) -> set[str]:
        own = {view.NAME} if "NAME" in vars(view) else set()
        return own.union(*map(below, view.__subclasses__()), set())

    assert below(View) <= set(app.VIEWS) | set(app.RARE)


def test_every_template_is_walked() -> None:
    assert set(TEMPLATES) == set(templates.TEMPLATES)
