"""One thing is said in the singular on every surface: ``1 switch``, never ``1 switches``."""

from __future__ import annotations

import re
from html import unescape

import pytest

from toposmith.catalog import load_catalog
from toposmith.command.reports.failures import failures_report
from toposmith.text import plural
from toposmith.topology.design.reading import parse_design
from toposmith.topology.evaluation.here import compared_here
from toposmith.topology.exports.drawing.fabric import fabric_sheet
from toposmith.topology.exports.drawing.svg import svg_text
from toposmith.topology.exports.report.html import report_html
from toposmith.topology.review.failures.sweep import sweep
from toposmith.topology.review.report.markdown import page_markdown
from toposmith.topology.review.report.pages import review_page
from toposmith.topology.review.sidecar.verdict import Review

CATALOG = load_catalog(user=False)
MANY = "|".join(
    plural(thing)
    for thing in (
        *("GPU", "node", "switch", "leaf", "spine", "core", "NIC", "cable", "port", "cage", "slot"),
        *("module", "pair", "connection", "channel", "rank", "host", "rack", "row", "line", "unit"),
        *("feed", "system", "curve", "run", "class", "comment", "error", "warning", "remark"),
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
