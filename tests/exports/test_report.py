"""The report: complete, offline, escaped, and the same bytes for the same design."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import pytest

from tests.command.shell import SOUND, Shell
from tests.racks.fabrics import CATALOG, planned
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_csv import point_to_point_csv
from toposmith.exports.report.design_report import report_html
from toposmith.templates import new_design

VOID = {"meta", "br", "img"}
FETCHING = {"src", "srcset", "poster", "action", "xlink:href"}


class Page(HTMLParser):
    """Notes what a page would load, and whether its elements close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.fetched: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self.fetched += [value or "" for name, value in attrs if name in FETCHING]
        href = given.get("href") or ""
        if href and not href.startswith(("#", "data:")):
            self.fetched.append(href)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(design: Design) -> tuple[str, Page]:
    text = report_html(EvaluatedDesign(planned(design).design, CATALOG))
    page = Page()
    page.feed(text)
    return text, page


@pytest.fixture(scope="module")
def superpod() -> Design:
    return new_design("leaf-spine", {"su": 1, "empty_slots": 1}, catalog=CATALOG)


def test_a_report_opens_offline_and_runs_nothing(superpod: Design) -> None:
    text, page = report_of(superpod)
    assert not page.fetched
    assert "script" not in page.tags
    assert not page.crossed
    assert not page.open
    assert "@import" not in text
    assert not re.search(r"url\(", text)


def test_a_report_has_every_chapter_and_the_published_counts(superpod: Design) -> None:
    _, page = report_of(superpod)
    for words in ("Drawing", "Figures", "Bill of materials", "Racks and power", "Cable schedule"):
        assert words in page.text
    for figure in ("248", "GPUs in 31 nodes", "MQM9700-NS2F", "OSFP4 P2", "leaf-su0-rail0"):
        assert figure in page.text


def test_the_whole_schedule_travels_with_the_report(superpod: Design) -> None:
    text, _ = report_of(superpod)
    found = re.search(r'href="data:text/csv;base64,([^"]+)"', text)
    assert found
    handover = EvaluatedDesign(planned(superpod).design, CATALOG)
    assert base64.b64decode(found[1]).decode() == "".join(point_to_point_csv(handover.schedule))


def test_text_of_a_design_is_no_markup_in_a_report(superpod: Design) -> None:
    evil = '<img src=x onerror="alert(1)"></style>\u202e\x1b[31m'
    text, page = report_of(superpod.model_copy(update={"name": evil, "note": evil}))
    assert "<img" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not page.crossed


def test_four_nodes_of_800_000_and_a_spare_one_have_their_columns(shell: Shell) -> None:
    shell.file("a.yaml", SOUND)
    shell.file("p.csv", "part,price,currency,date,source\ndgx-h100,800000,USD,2026-01-02,offer\n")
    asked = ("export", "a.yaml", "--to", "html", "--prices", "p.csv", "--spares", "nodes=1")
    rows = re.findall(r"<tr>(.*?)</tr>", shell(*asked).out)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    (head,) = (row for row in cells if "Unit price" in row)
    (node,) = (dict(zip(head, row, strict=True)) for row in cells if row[4:5] == ["node"])
    assert (node["Qty"], node["Spares"]) == ("4", "1")
    assert (node["Unit price"], node["Price"]) == ("800,000 USD", "3,200,000 USD")
    (total,) = (row for row in cells if row[2:3] and row[2].startswith("Total of"))
    assert dict(zip(head, total, strict=True))["Price"] == "3,200,000 USD"


def test_the_same_design_gives_the_same_report(superpod: Design) -> None:
    assert report_of(superpod)[0] == report_of(superpod)[0]


def test_a_design_with_errors_has_a_report_that_says_so() -> None:
    design = Design.model_validate(
        {
            "groups": {
                "node": {"part": "hgx-a100-8", "count": 2},
                "leaf": {"part": "no-such-switch"},
            },
            "links": [{"between": ("node", "leaf")}],
        }
    )
    _, page = report_of(design)
    assert "The bill is incomplete" in page.text
    assert "no part 'no-such-switch'" in page.text
    assert "unknown" in page.text


def test_an_empty_design_has_a_report() -> None:
    _, page = report_of(Design())
    assert "unnamed design" in page.text
    assert not page.crossed
