"""Links between pages lead somewhere, every page of docs/ is in its index, figures agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toposmith.catalog import load_catalog
from toposmith.saved_designs import saved_designs

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "llms.txt", *sorted((ROOT / "docs").glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """Headings as they are linked to: lower case, without signs, words joined by hyphens."""
    heads = re.findall(r"^#+ +(.+?)\s*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name}" in index, page.name


def test_the_way_of_a_key_leads_over_files_and_names_that_there_are() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\| `([\w/]+\.py)` \| `(\w+)` \|$", page, re.MULTILINE)
    assert len(steps) > 15
    for file, name in steps:
        text = (ROOT / file).read_text(encoding="utf-8")
        written = rf"^ *(async )?def {name}\(|^{name}\b.*= "
        assert re.search(written, text, re.MULTILINE), (file, name)


def test_the_readme_counts_the_parts_that_are_listed() -> None:
    catalog = load_catalog()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = re.findall(r"^(\d+) parts come with it", readme, re.MULTILINE)
    assert said == [str(len(catalog) + len(catalog.facility))]


def test_the_readme_counts_the_saved_designs_that_are_listed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = re.findall(r"(\d+) real and reference clusters", readme)
    assert said == [str(len(saved_designs()))]


def test_the_readme_trusts_predictions_as_far_as_the_model_does() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    model = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    table = model.partition("| published results |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    results = [row[1].partition(" /")[0] for row in rows[:3]]
    systems = [row[2].partition(" %")[0] for row in rows[:3]]
    beyond, large = rows[1][3].split(" of ")
    left_out = model.partition("| each system left out |")[2].partition("\n\n")[0].splitlines()[2:5]
    out = [row.split("|")[2].strip().partition(" %")[0] for row in left_out]
    for words in (
        f"results of {rows[2][3].split(' of ')[1]} systems",
        f"median error {results[0]} for NVSwitch nodes",
        f"{results[1]} over everything",
        f"{results[2]} over whole curves",
        f"equally {', '.join(systems[:2])} and {systems[2]} %",
        f"Of the {large} systems",
        f"{beyond} are more than 15 % off",
        "in sample (they were at hand while the model was built)",
        f"refitted without it: {out[0]}, {out[1]} and {out[2]} %",
    ):
        assert words in readme, words
