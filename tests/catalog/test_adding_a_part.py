"""The example of docs/adding-a-part.md is a part that passes what the page tells to run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toposmith.catalog import load_catalog

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-part.md"


@pytest.mark.usefixtures("own_home")
def test_the_example_is_read_without_a_fault_and_says_what_is_asked_of_every_switch(
    tmp_path: Path,
) -> None:
    example = re.findall(r"```yaml\n(- kind: switch\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "acme.yaml").write_text("".join(example), encoding="utf-8")
    catalog = load_catalog(folder)
    assert catalog.faults == ()
    assert catalog.switch("acme-64").ports == 64
    assert catalog.switch("acme-64").sharp is True
