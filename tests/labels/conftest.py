"""A home and a folder of its own for every walk; garbage is collected after a few of them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

A_FEW_WALKS = 1_000_000
"""Objects made since the last collection; a walk leaves some two hundred thousand."""


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", *(f"XDG_{each}_HOME" for each in ("STATE", "CONFIG", "DATA", "CACHE"))):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def collected_now_and_then() -> Iterator[None]:
    """In the middle of a walk it costs a third of the time."""
    gc.disable()
    yield
    gc.enable()
    if gc.get_count()[0] > A_FEW_WALKS:
        gc.collect()
        gc.freeze()
