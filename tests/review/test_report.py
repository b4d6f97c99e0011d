"""Pages to send: everything is on them, and nothing that a design says is obeyed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from tests.laid_beside import named
from tests.review.saying import approving, review_saying
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.documents.markdown import Page, page_markdown, plain
from toposmith.fabric.planner import plan_design
from toposmith.review.differences.consequences import differences
from toposmith.review.failures.sweep import sweep
from toposmith.review.report.pages import page_html, review_page
from toposmith.review.sidecar.entries import ReviewEntry

CATALOG = load_catalog()
EVIL = "<script>alert(1)</script> | [x](javascript:y) \x1b[31m @all https://evil.example"
DATA: dict[str, Any] = {
    "toposmith": 1,
    "name": EVIL,
    "note": EVIL,
    "groups": {
        "node": {"part": "dgx-h100", "count": 4},
        "leaf": {"part": "qm9700"},
        "lost": {"part": EVIL},
    },
    "links": [{"between": ["node.compute", "leaf"], "length": 20, "note": EVIL}],
}


def page() -> Page:
    design = Design.model_validate(DATA)
    older = design.model_copy(update={"note": "was harmless", "name": "older"})
    now = named(EVIL, design, CATALOG)
    said = [
        ReviewEntry(comment="leaf", author=EVIL, date="2026-11-21", text=EVIL),
        approving(now, "Ann"),
    ]
    return review_page(
        now,
        sweep(plan_design(design, CATALOG), CATALOG),
        review_saying(said, design, now.digest),
        against=differences(named(EVIL, older, CATALOG), now),
        program="1.2.3",
    )


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_holds_every_part_of_a_review() -> None:
    text = page_markdown(page())
    for title in ("State of the review", "Figures", "Findings", "Failures", "Differences from"):
        assert f"\n## {title}" in text
    for words in (
        "Approved, 1 comment open.",
        "Ann approved on",
        "unknown-part",
        "survives any one NIC",
        "1.2.3",
    ):
        assert words.replace("-", "-") in text


def test_html_is_one_file_that_runs_and_fetches_nothing() -> None:
    seen = Seen()
    html = page_html(page())
    seen.feed(html)
    assert seen.open == []
    assert seen.tags <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li"),
        *("main", "div", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert "Content-Security-Policy" in html
    assert not {name for name in seen.attributes if name.startswith("on")} | (
        seen.attributes & {"href", "src"}
    )
    assert "<script>alert(1)</script>" in seen.text  # as text
    assert "\x1b" not in html


def test_markdown_shows_text_and_obeys_none_of_it() -> None:
    text = page_markdown(page())
    assert "<script" not in text.replace("\\<", "")
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)\[x(?<!\\)\]\(", text)
    assert "@all" not in text
    assert "https://" not in text
    assert plain("a|b") == "a\\|b"
    for line in text.splitlines():
        if line.startswith("| ") and "---" not in line:
            assert line.endswith(" |")
