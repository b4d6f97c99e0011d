"""A home directory of its own for every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from toposmith.command import patience


@pytest.fixture(autouse=True)
def at_home(own_home: Path) -> None:
    """No test reads or writes the settings of the developer who runs it."""


@pytest.fixture(autouse=True)
def in_no_hurry(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no command says that it goes on, but where that is tried."""
    if "patience" not in request.path.name:
        monkeypatch.setattr(patience, "SECONDS_TO_A_LOG", 3600.0)
