"""The site is made by one command, and every link of its pages leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from toposmith.saved_designs import saved_designs

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("material") is None, reason="needs mkdocs-material")
def test_the_site_has_every_page_the_search_and_every_design(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(ROOT / "docs" / "site" / "make.py"), str(tmp_path)],
        check=True, cwd=ROOT, timeout=580,
    )  # fmt: skip
    site = tmp_path / "site"
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"README"}
    assert pages | {"gallery", "index"} <= {page.stem for page in (site / "docs").glob("*.html")}
    gallery = (site / "docs" / "gallery.html").read_text(encoding="utf-8")
    for one in saved_designs():
        assert f"drawn-{one.name}.svg" in gallery
        assert (site / "docs" / "pictures" / f"drawn-{one.name}.svg").stat().st_size > 1000
    assert "moving.gif" in gallery and (site / "docs" / "pictures" / "moving.gif").is_file()
    assert (site / "search" / "search_index.json").stat().st_size > 100_000
    fetched = [page for page in site.rglob("*.html") if "fonts.googleapis" in page.read_text()]
    assert fetched == []
