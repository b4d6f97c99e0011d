"""A home directory of its own for every command."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def at_home(own_home: Path) -> None:
    """No test reads or writes the settings of the developer who runs it."""
