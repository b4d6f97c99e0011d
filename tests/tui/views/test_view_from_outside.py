"""A view of one's own: a record shows it, one record registers it, nothing else is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toposmith.tui.actions.registered import VIEWS
from toposmith.tui.views.table_view import widget_of

PROGRAM = """
import asyncio, re, sys
from pathlib import Path

from toposmith.tui.actions.definition import turning_to
from toposmith.tui.actions.registered import VIEWS, Registered
from toposmith.tui.app import ToposmithApp
from toposmith.documents.table import Cell, Column, Row, Table
from toposmith.tui.views.listing import Key, Listing


def rename(on):
    from toposmith.tui.flows.changing import rename
    return rename(on.here)


def table(devices, asked, glyphs):
    rows = tuple(
        Row(name, (Cell(name), Cell(str(many))), groups=frozenset({name}))
        for name, many in devices.items()
    )
    return Table(columns=(Column("group"), Column("devices", right=True)), rows=rows)


GROUPS = Listing(
    "groups",
    "Groups",
    about="the groups",
    compute=lambda job: job.wanted.evaluated(job.catalog).planned.devices,
    table=table,
    keys=(Key("n", "rename", "Rename the selected group", rename, changes=True),),
)


VIEWS.append(
    Registered(
        turning_to(
            "groups", ("3",), "groups", "List every group with the number of its devices",
            section="figures", before="curve", rank=12, title="Groups and their devices",
        ),
        lambda: GROUPS,
    )
)


def seen(app):
    return "\\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def settle(pilot, app, words):
    for _ in range(300):
        await pilot.pause(0.05)
        if re.search(words, seen(app)):
            return
    raise SystemExit(f"{words!r} never came up:\\n{seen(app)}")


async def main(review):
    app = ToposmithApp(Path(sys.argv[1]), review=review)
    async with app.run_test(size=(160, 36)) as pilot:
        await settle(pilot, app, "3 groups")  # the bottom line
        await pilot.press("3")
        await settle(pilot, app, r"\\bleaf +4\\b")  # one per pod and rail
        await settle(pilot, app, "n rename")
        await pilot.press("f1")
        await settle(pilot, app, "in the groups")
        await settle(pilot, app, "Rename the selected group")
        await pilot.press("escape")
        assert "Groups and their devices" in {
            one.title for one in app.get_system_commands(app.screen)
        }
        await pilot.press("n")
        await settle(pilot, app, "nothing can be changed" if review else "new name of")


asyncio.run(main(sys.argv[2] == "review"))
print("done")
"""


PODS = """\
toposmith: 1
name: Two pods
axes: {pod: 2, rail: 2}
groups:
  node: {part: dgx-h100, per: [pod], count: 8}
  leaf: {part: qm9700, per: [pod, rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 8}
"""


@pytest.fixture
def two_pods(work_dir: Path) -> Path:
    path = work_dir / "two-pods.yaml"
    path.write_text(PODS, encoding="utf-8")
    return path


def run(path: Path, mode: str) -> str:
    """What the program says, in a process of its own: it adds its view before the app is there."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), mode],
        capture_output=True,
        text=True,
        timeout=180,
        env=dict(os.environ),
    )
    return done.stdout + done.stderr


def test_a_view_from_outside_has_its_key_footer_help_palette_and_flow(two_pods: Path) -> None:
    assert run(two_pods, "edit").endswith("done\n")


def test_what_a_view_from_outside_would_change_is_refused_in_a_review(two_pods: Path) -> None:
    assert run(two_pods, "review").endswith("done\n")


def test_every_registered_view_has_the_name_of_the_action_that_turns_to_it() -> None:
    for view in VIEWS:
        assert view.action.id == widget_of(view.load()).NAME


def test_a_view_is_read_when_it_is_first_shown() -> None:
    code = (
        "import sys; import toposmith.tui.screens.designer_screen\n"
        "from toposmith.tui.actions.every_action import actions_of\n"
        "assert {'bill', 'failures'} <= {one.id for one in actions_of('designer')}\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    views = {f"toposmith.tui.{one.load.__self__.module}" for one in VIEWS}
    assert len(views) == len(VIEWS)
    assert views.isdisjoint(done.stdout.split())
