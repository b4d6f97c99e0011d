"""A home directory of its own for every test, and the app where one opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import open_app as open_app
from tests.tui.conftest import two_tier as two_tier


@pytest.fixture(autouse=True)
def at_home(own_home: Path) -> None:
    """No test reads or writes the settings of the developer who runs it."""
