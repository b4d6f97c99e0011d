"""One thing is said in the singular on every surface: ``1 switch``, never ``1 switches``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from itertools import combinations, product
from pathlib import Path

import pytest

from toposmith.catalog import load_catalog
from toposmith.command.failures import failures_report
from toposmith.design.parser import parse_design
from toposmith.documents.markdown import page_markdown
from toposmith.errors import EditError
from toposmith.evaluation.here import compared_here
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.report.design_report import report_html
from toposmith.review.failures.sweep import sweep
from toposmith.review.report.pages import review_page
from toposmith.review.sidecar.verdict import Review
from toposmith.templates import TEMPLATES, new_design
from toposmith.text import counted, plural

ROOT = Path(__file__).parent.parent
PACKAGES = ("toposmith",)
CATALOG = load_catalog(user=False)
MANY = "|".join(
    plural(thing)
    for thing in (
        *("GPU", "node", "switch", "leaf", "spine", "core", "NIC", "cable", "port", "cage", "slot"),
        *("module", "pair", "connection", "channel", "rank", "host", "rack", "row", "line", "unit"),
        *("feed", "system", "curve", "run", "class", "comment", "error", "warning", "remark"),
        *("device", "fabric", "job", "request", "link", "uplink", "plane", "layer", "stage"),
    )
)
WRONG = re.compile(rf"(?<![\w.,:/+-])1 (?:{MANY})\b(?! of| a |:)")
SMALL = """
toposmith: 1
groups:
  node: {part: dgx-h100, count: %(nodes)s}
  leaf: {part: qm9700}
  store: {part: ddn-ai400x2}
  store-leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], cables: 1}
  - {between: [node.storage, store-leaf], cables: 1}
  - {between: [store.storage, store-leaf], cables: 1}
"""

NUMBERS = (1, 3, 7)
"""One of each, and numbers that hardly anything divides over."""


def refusals() -> Iterator[tuple[str, str]]:
    """What templates say to settings of 1, and to two at a time that do not go together."""
    for template in TEMPLATES.values():
        numbers = [one for one in template.parameters if one.is_number]
        pairs = product(combinations([one.name for one in numbers], 2), product(NUMBERS, NUMBERS))
        for names, values in pairs:
            settings = dict(zip(names, values, strict=True))
            try:
                new_design(template.name, settings, catalog=CATALOG)
            except EditError as refused:
                yield f"{template.name} {settings}", str(refused)


def test_refusals_of_templates_say_one_thing_in_the_singular() -> None:
    said = list(refusals())
    assert len({text for _, text in said}) > 20
    wrong = [f"{asked}: {text}" for asked, text in said if WRONG.search(text)]
    assert not wrong, wrong


def counted_by_hand(source: str) -> Iterator[str]:
    """Sentences in which the length of something stands before a plural that is always there."""
    if not re.search(r"\{\s*len\(", source):
        return  # most: to look is faster than to parse
    for sentence in ast.walk(ast.parse(source)):
        parts = sentence.values if isinstance(sentence, ast.JoinedStr) else []
        for before, number, after in zip(["", *parts], parts, parts[1:], strict=False):
            words = before.value if isinstance(before, ast.Constant) else ""
            if (
                isinstance(number, ast.FormattedValue)
                and ast.unparse(number.value).startswith("len(")
                and isinstance(after, ast.Constant)
                and re.match(rf" (?:[a-z]+ )?(?:{MANY})\b", str(after.value))
                and not re.search(r"\b(?:of|all|over|more than)(?: the)? $", str(words))
            ):
                yield ast.unparse(sentence)


def test_what_is_counted_has_its_noun_from_one_function() -> None:
    assert list(counted_by_hand('f"{len(found):,} cables stand apart"'))
    assert not list(counted_by_hand("""f"{counted(len(found), 'cable', 'stand')} apart\""""))
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    assert len(files) > 500
    wrong = {
        f"{file.relative_to(ROOT)}: {words}"
        for file in files
        for words in counted_by_hand(file.read_text(encoding="utf-8"))
    }
    assert not wrong


def test_what_one_does_agrees_with_it() -> None:
    assert counted(1, "leaf", "have") == "1 leaf has"
    assert counted(2, "leaf", "have") == "2 leaves have"
    assert counted(1, "copy", "reach") == "1 copy reaches"
    assert counted(1, "rank", "carry") == "1 rank carries"


@pytest.mark.parametrize("nodes", [1, 2])
def test_one_thing_is_said_in_the_singular(nodes: int) -> None:
    design = parse_design(SMALL % {"nodes": nodes}, "small.yaml")
    now = compared_here("small", design, CATALOG)
    found = sweep(now.plan, CATALOG, every_pair=True)
    texts = {
        "page": page_markdown(review_page(now, found, Review())),
        "failures": failures_report(found),
        "findings": "\n".join(f"{one.text} {one.figure} {one.fix}" for one in now.findings),
        "drawing": svg_text(fabric_sheet(now.plan, now.analysis)),
        "report": report_html(now),
    }
    for where, text in texts.items():
        words = re.sub(r"<[^>]*>", " ", unescape(text))
        assert not WRONG.search(words), (where, WRONG.findall(words))
