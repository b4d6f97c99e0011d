"""Exported pages in a real browser: whole on a screen, a telephone, on A4 and in the dark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
A4_INSIDE = 794 - 2 * 38
"""Pixels between margins of 1 cm, at 96 to the inch."""

PAGES = {
    "report": ("export", "{design}", "--to", "html"),
    "review": ("review", "{design}", "--report", "html"),
}
LOOKS = {
    "wide": (1280, {}),
    "narrow": (400, {}),
    "A4": (A4_INSIDE, {"media": "print"}),
    "dark": (1280, {"color_scheme": "dark"}),
}
MEASURE = """() => {
  const page = document.documentElement, shown = one => one.getClientRects().length > 0;
  const box = one => one.getBoundingClientRect();
  const light = text => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    const [red, green, blue] = parts.slice(0, 3).map(one => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!colour.endsWith(", 0)")) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = one => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const texts = [...document.querySelectorAll("h1,h2,h3,p,td,th,span,b,a,caption")].filter(shown);
  const rows = [...document.querySelectorAll("td,th")].filter(shown);
  return {
    overflow: page.scrollWidth - page.clientWidth,
    cut: rows.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText),
    scrolled: [...document.querySelectorAll(".scroll")].filter(shown).filter(
      one => one.scrollWidth > one.clientWidth + 1
    ).map(one => one.innerText.slice(0, 60) + ` ${one.scrollWidth} > ${one.clientWidth}`),
    tables: document.querySelectorAll("table").length,
    rows: rows.length,
    drawings: [...document.querySelectorAll(".drawing svg")].filter(shown).map(
      one => [box(one).left, box(one).right, box(one).height, one.querySelectorAll("text").length]
    ),
    outside: [...document.querySelectorAll(".drawing svg")].filter(shown).flatMap(drawing =>
      [...drawing.querySelectorAll("text,rect")].filter(one =>
        box(one).width && (box(one).right > box(drawing).right + 1
          || box(one).left < box(drawing).left - 1)
      ).map(one => one.textContent)
    ),
    paper: light(behind(document.body)),
    faint: texts.filter(one => one.innerText.trim() && contrast(one) < 4.5).map(
      one => `${one.tagName} ${one.innerText.slice(0, 40)} ${contrast(one).toFixed(2)}`
    ),
  };
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, words in PAGES.items():
        made[name] = folder / f"{name}.html"
        asked = [word.format(design="dgx-h100-superpod-1su") for word in words]
        command = [sys.executable, "-m", "toposmith", *asked, "-o", str(made[name])]
        subprocess.run(command, check=True, cwd=folder, timeout=300)
    return made


def measured(browser: Browser, page_file: Path, look: str) -> dict[str, Any]:
    width, media = LOOKS[look]
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("console", lambda said: faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(**media)
    page.goto(page_file.as_uri())
    found: dict[str, Any] = page.evaluate(MEASURE)
    context.close()
    assert faults == [] and asked == [page_file.as_uri()]
    return found


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_drawing_and_tables_are_whole_and_nothing_is_fetched(
    browser: Browser, pages: dict[str, Path], name: str, look: str
) -> None:
    found, width = measured(browser, pages[name], look), LOOKS[look][0]
    assert found["tables"] > 3 and found["rows"] > 50
    assert found["overflow"] <= 0 and found["cut"] == []
    if look != "narrow":  # there a wide table is scrolled by itself
        assert found["scrolled"] == []
    assert found["drawings"] or name == "review"
    for left, right, height, texts in found["drawings"]:
        assert left >= 0 and right <= width and height > 80 and texts > 5
    assert found["outside"] == []
    assert (found["paper"] < 0.2) is (look == "dark")
    assert found["faint"] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_printed_on_a4(
    browser: Browser, pages: dict[str, Path], name: str, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(pages[name].as_uri())
    printed = page.pdf(format="A4", path=tmp_path / "page.pdf")
    context.close()
    assert printed.startswith(b"%PDF") and 1 <= printed.count(b"/Type /Page\n") <= 60
