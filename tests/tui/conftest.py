"""A home directory of its own for every test, and a person who sits before the app."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tui.app import ToposmithApp
from tui.screens.designer import DesignerScreen
from tui.widgets.message_line import MessageLine

_TEXT = re.compile(r'<text [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', re.DOTALL)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("STATE", "CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    return home


@pytest.fixture
def work_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


class Person:
    """Somebody at the keyboard, who reads what is on the screen."""

    def __init__(self, app: ToposmithApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def designer(self) -> DesignerScreen:
        screen = self.app.screen
        assert isinstance(screen, DesignerScreen)
        return screen

    @property
    def message(self) -> str:
        return self.app.screen.query_one(MessageLine).words

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        """Replace what is in the line by a text."""
        await self.pilot.press("ctrl+u", *text)
        await self.settle()

    async def settle(self) -> None:
        """Wait until figures and previews are there."""
        for _ in range(400):
            await self.pilot.pause()
            jobs = [w for w in self.app.workers if w.group in ("figures", "preview")]
            if not any(job.is_running for job in jobs):
                break
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    def seen(self) -> str:
        """The text on the screen, line by line."""
        rows: dict[float, list[tuple[float, str]]] = defaultdict(list)
        for x, y, text in _TEXT.findall(self.app.export_screenshot()):
            rows[float(y)].append((float(x), html.unescape(text).replace("\xa0", " ")))
        return "\n".join("".join(text for _, text in sorted(row)) for _, row in sorted(rows.items()))

    async def add(self, part: str, count: int | None = None) -> None:
        """Add a part by keys: filter, choose, say how many."""
        await self.press("slash")
        await self.type(part)
        await self.press("enter", "enter")
        if count is not None:
            await self.type(str(count))
        await self.press("enter")


OpenApp = Callable[..., AbstractAsyncContextManager[Person]]


@pytest.fixture
def open_app(work_dir: Path) -> OpenApp:
    """Open the app on a file, or at the start."""

    @asynccontextmanager
    async def opened(
        path: Path | None = None,
        *,
        size: tuple[int, int] = (120, 36),
        review: bool = False,
        ascii_only: bool = False,
    ) -> AsyncIterator[Person]:
        app = ToposmithApp(path, review=review, ascii_only=ascii_only)
        async with app.run_test(size=size) as pilot:
            person = Person(app, pilot)
            await person.settle()
            yield person

    return opened


TWO_TIER = """\
toposmith: 1
name: Two tiers  # kept
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, count: 2}
  spine: {part: qm9700, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 32}
"""


@pytest.fixture
def two_tier(work_dir: Path) -> Path:
    path = work_dir / "two-tier.yaml"
    path.write_text(TWO_TIER, encoding="utf-8")
    return path
