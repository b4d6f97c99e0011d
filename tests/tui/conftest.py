"""A home directory of its own for every test, and a person who sits before the app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from tests.tui.shell import Shell
from tui.app import ToposmithApp


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


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, tmp_path)


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
