"""Every part's card, the lists, and the pages for readers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.labels.commands import run
from tests.labels.designs import TEMPLATES
from tests.labels.facts import Facts
from tests.labels.pages import Page, of_json
from tests.labels.rule import Walk
from tests.labels.rules import broken_in
from tests.labels.sharing import computed_once
from tests.oracle.parts import parts

DOCUMENTS = Path(__file__).parents[2]
NOTHING = Facts({})


def broken(pages: list[Page]) -> str:
    walk = Walk("no design", NOTHING, pages)
    return "\n".join(broken_in(walk))


def card(part: str) -> list[Page]:
    told, said = run("catalog", "show", part), run("catalog", "show", part, "--json")
    assert (told.code, said.code) == (0, 0)
    about = frozenset({"card"})
    text, data = of_json(said.out)
    return [
        Page(f"catalog show {part}", told.out, about),
        Page(f"catalog show {part} --json", text, about | {"json"}, data),
    ]


def test_no_card_of_a_part_says_more_than_is_known() -> None:
    with computed_once():
        pages = [page for part in parts() for page in card(part)]
        sides = run("catalog", "show", "mfp7e10", "qm9700").out
        pages += [
            Page("catalog list", run("catalog", "list").out),
            Page("catalog show A B", sides, frozenset({"card"})),
        ]
    found = broken(pages)
    assert not found, found


@pytest.mark.parametrize(
    "args",
    [("new",), ("config",), ("--help",), *((each, "--help") for each in (
        *("analyze", "bom", "check", "diff", "export", "failures", "new"),
        *("review", "workload", "config"),
    ))],
    ids=" ".join,
)  # fmt: skip
def test_what_needs_no_design_keeps_to_the_rules(args: tuple[str, ...]) -> None:
    found = broken([Page(" ".join(args), run(*args).out)])
    assert not found, found


def test_a_template_is_listed_with_what_it_makes() -> None:
    listed = run("new").out
    assert all(f"{template}: " in listed for template in TEMPLATES)


OVERCLAIMS = (
    r"exact optimum of any schedule",
    r"[Ee]very prediction shows the band",
    r"order[^.|]{0,40} make no difference",
    r"order and [^.|]{0,60}make no difference",
)
"""What pages for readers once said, and is not so."""


@pytest.mark.parametrize(
    "page",
    ["README.md", *sorted(f"docs/{path.name}" for path in (DOCUMENTS / "docs").glob("*.md"))],
)
def test_no_document_says_more_than_is_known(page: str) -> None:
    written = (DOCUMENTS / page).read_text(encoding="utf-8")
    found = broken([Page(page, written)])
    found += "".join(f"\n{words}" for words in OVERCLAIMS if re.search(words, written))
    assert not found, found
