"""Every code has its line on the page of findings, and a test in which it comes up."""

from __future__ import annotations

import re
from pathlib import Path

from docs.reference.make import PAGES
from tests.every import for_every
from toposmith.findings.codes import RECORDS

ROOT = Path(__file__).parents[3]
TESTS = "".join(
    path.read_text(encoding="utf-8")
    for path in (ROOT / "tests").rglob("*")
    if path != Path(__file__) and path.suffix in (".py", ".yaml")
)
MADE = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "toposmith").rglob("*.py"))


@for_every(PAGES)
def test_the_page_says_what_the_records_say(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), "python -m docs.reference.make"


@for_every(RECORDS)
def test_a_documented_code_comes_up_in_a_test(code: str) -> None:
    comes_up = re.search(
        rf"(?<![\w-]){code}(?![\w-])", TESTS
    )  # the whole text of all tests would be no message
    assert comes_up, f'no file of tests/ has "{code}" in it'


def test_every_code_that_the_program_makes_is_registered() -> None:
    made = set(re.findall(r'(?:found|Unsound|wrong|_of_links)\(\s*"([a-z][a-z-]+)"', MADE))
    assert len(made) > 40
    assert made <= RECORDS.keys()
