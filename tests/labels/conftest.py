"""A home and a folder of its own for every walk."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", *(f"XDG_{each}_HOME" for each in ("STATE", "CONFIG", "DATA", "CACHE"))):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
