"""One browser for the tests of a module, which ends before others run loops of their own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUIET = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's chromium, or another one of that name."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no browser here")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        its_own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("browser"))}
        opened = started.chromium.launch(executable_path=found, args=QUIET, env=its_own)
        yield opened
        opened.close()
