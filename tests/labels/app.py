"""Every view of the app over one design, read from the screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from textual._compositor import Compositor
from textual.geometry import Region
from textual.widgets import Digits

from tests.labels.commands import SMALL
from tests.labels.pages import Asked, Page, of_html
from tests.tui import handling
from tests.tui.handling import nothing_to_write
from tests.tui.person import PATIENCE_S, Person
from toposmith.tui.actions.every_action import action
from toposmith.tui.actions.registered import VIEWS as REGISTERED
from toposmith.tui.app import ToposmithApp

SIZE = (119, 64)
"""Without the panel of parts, and with the whole live panel."""
SMALL_SCREEN = (80, 24)

VIEWS = {
    "bill": frozenset({"bill"}),
    "racks": frozenset({"racks"}),
    "failures": frozenset({"failures", "figures"}),
    "findings": frozenset({"findings"}),
    "workload": frozenset({"workload"}),
    "curve": frozenset({"figures", "curve"}),
}
"""The views whose labels a design can change, by the action that turns to them."""
RARE = {
    "review": frozenset({"review"}),
    "differences": frozenset({"differences"}),
    "designs": frozenset({"compare", "figures"}),
    "layouts": frozenset({"workload", "search"}),
    "inside": frozenset({"inside", "figures"}),
    "fixes": frozenset({"fixes", "figures"}),
    "fabrics": frozenset({"fixes"}),
    "change": frozenset({"fixes"}),
    "measure": frozenset({"figures"}),
    "measured": frozenset[str](),
    "as_built": frozenset[str](),
    "jobs": frozenset[str](),
    "help": frozenset[str](),
}
"""What shows few labels, or the same of all designs."""
RARE |= {one.action.id: frozenset[str]() for one in REGISTERED if one.action.id not in VIEWS | RARE}


async def walk(path: Path, views: Iterable[str], *, small: bool = False) -> list[Page]:
    """Open a design, read the fabric with its figures, and turn to one view after the other.

    Parameters
    ----------
    path : Path
        The design.
    views : iterable of str
        What to turn to, by the actions that do it.
    small : bool
        Whether to measure an exchange and a small message, too, and to write the report of that.
    """
    shows = frozenset({"figures", "live", "fabric"})
    async with opened(path, SIZE) as person:
        pages = [_seen(person, "fabric", shows)]
        for view in views:
            if view in RARE:
                await person.press("escape", "escape", "home")
            await person.press(*_keys(view))
            page = _seen(person, view, (VIEWS | RARE)[view])
            if view == "bill":  # its table comes first; what is said of it has a page of its own
                await person.press("full_stop")
                page = replace(page, text=f"{page.text}\n{person.seen()}")
                await person.press("escape")
            pages.append(page)
        if small:
            await person.press("escape", "escape", "escape")
            await person.press_at_once(*_keys("collective") * 5)
            pages.append(_seen(person, "fabric, all-to-all", shows, Asked("all_to_all")))
            pages += await _small_message(person, path.with_name("small.html"))
    return pages


async def small_screens(path: Path) -> list[Page]:
    """The fabric where there is hardly room, and where there are only signs of ASCII."""
    pages = []
    for name, ascii_only in (("80x24", False), ("80x24, ASCII", True)):
        async with opened(path, SMALL_SCREEN, ascii_only=ascii_only) as person:
            shows = frozenset({"figures", "live", "small"})
            pages.append(_seen(person, f"fabric, {name}", shows))
    return pages


async def _small_message(person: Person, report: Path) -> list[Page]:
    """Measure 1 KiB, and write the report of that."""
    asked = Asked(size_bytes=SMALL)
    await person.press(*_keys("measure"))
    for _ in range(3):
        if getattr(person.designer.focused, "id", "") == "measure-size":
            break
        await person.press("down")
    await person.type("1KiB")
    await person.press("enter", "escape", "escape")
    shown = _seen(person, "fabric, 1 KiB", frozenset({"figures", "live", "fabric"}), asked)
    await person.press("E")
    await person.type("report")
    await person.press("enter", "ctrl+u")
    await person.type(str(report))
    await person.press("enter", "enter")  # the file, then no map of names
    given_up = monotonic() + PATIENCE_S
    while monotonic() < given_up:
        if not person.designer.designer.exports.busy and "writing" not in person.message:
            break
        await person.pilot.pause(0.02)
    text = of_html(report.read_text(encoding="utf-8"))
    about = frozenset({"html", "figures", "bill", "findings", "racks", "app"})
    return [shown, Page("app: report of 1 KiB", text, about, asked=asked)]


class opened:
    """The app on a design, as a context."""

    def __init__(
        self, path: Path, size: tuple[int, int] = SIZE, *, ascii_only: bool = False
    ) -> None:
        self._app = ToposmithApp(path, ascii_only=ascii_only)
        self._run = self._app.run_test(size=size)
        self._patched = pytest.MonkeyPatch()

    async def __aenter__(self) -> Person:
        self._patched.setattr(Compositor, "render_update", nothing_to_write)
        handling.begin()
        person = Person(self._app, await self._run.__aenter__())
        await person.settle()
        return person

    async def __aexit__(self, *error: object) -> None:
        await self._run.__aexit__(*error)  # type: ignore[arg-type]
        self._patched.undo()


def _keys(name: str) -> tuple[str, ...]:
    return action(name).keys[:1]


def _seen(person: Person, place: str, shows: frozenset[str], asked: Asked | None = None) -> Page:
    """The screen panel by panel: what stands beside each other is in one of them.

    The large number is signs of several lines; its digits are said in a line of their own.
    """
    screen = person.app.screen
    strips = [strip.text for strip in screen._compositor.render_strips()]
    panels = []
    for name in ("header", "live", "message", "keys"):
        found = screen.query(f"#{name}")
        if found and found.first().region.area:
            panels.append(found.first().region)
    said = [_cut(strips, panel) for panel in panels]
    live = next((panel for panel in panels if panel.x > 0), None)
    width = live.x if live is not None else len(strips[0])
    middle = _cut(strips, Region(0, 1, width, len(strips) - 3))
    large = [digits.value for digits in screen.query(Digits) if digits.display]
    text = "\n".join([*(f"large number: {each}" for each in large), *said, middle])
    return Page(f"app: {place}", text, shows | {"app"}, asked=asked or Asked())


def _cut(strips: list[str], region: Region) -> str:
    rows = strips[region.y : region.bottom]
    return "\n".join(row[region.x : region.right].rstrip() for row in rows)
