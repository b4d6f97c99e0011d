"""Every code has its line on the page of findings, and a test in which it comes up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toposmith.topology.review.findings.codes import CODES

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z-]+)` \| (error|warning|info) \| ([^|]+) \| ", PAGE, re.M)
TESTS = "".join(
    path.read_text(encoding="utf-8")
    for path in (ROOT / "tests").rglob("*.py")
    if path != Path(__file__)
)
# what a model's layout or a cable schedule lacks is said with them, and is no part of a review
ELSEWHERE = (ROOT / "topology" / "workloads", ROOT / "topology" / "exports")
MADE = "".join(
    path.read_text(encoding="utf-8")
    for package in ("topology", "tui")
    for path in (ROOT / package).rglob("*.py")
    if not any(path.is_relative_to(folder) for folder in ELSEWHERE)
)


def test_the_page_has_every_code_with_its_severity_and_title_and_no_other() -> None:
    assert [(one.code, one.severity, one.title) for one in CODES.values()] == ROWS


@pytest.mark.parametrize("code", CODES)
def test_a_documented_code_comes_up_in_a_test(code: str) -> None:
    assert f'"{code}"' in TESTS


def test_every_code_that_the_program_makes_is_registered() -> None:
    made = set(re.findall(r'(?:Finding|Unsound|found|wrong)\(\s*"([a-z-]+)"', MADE))
    assert len(made) > 40
    assert made <= CODES.keys()
