from __future__ import annotations

import re
from pathlib import Path

import pytest

from toposmith.design.parser import parse_design
from toposmith.design.selectors import parse_selector
from toposmith.errors import DesignFileError

SUPERPOD = """\
toposmith: 1
name: DGX H100 SuperPOD, 4 SU
axes: {su: 4, rail: 8}
groups:
  node:  {part: dgx-h100, per: [su], count: 32}     # node[su, node]
  leaf:  {part: qm9700, per: [su, rail]}            # leaf[su, rail]
  spine: {part: qm9700, count: 16}                  # spine[spine]
links:
  - {between: [node.compute, leaf]}                 # its 8 ports go to the 8 leaves, one a rail
  - {between: [leaf, spine], cables: 2}             # every leaf to every spine, 2 cables
absent: ["node[su=3,node=31]"]                      # the slot of the fabric manager's ports
"""


def lines_of(text: str) -> list[str]:
    with pytest.raises(DesignFileError) as caught:
        parse_design(text, "f.yaml")
    return caught.value.lines()


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n...\n", "\ufeff"])
def test_an_empty_file_is_told_its_first_line(text: str) -> None:
    (line,) = lines_of(text)
    assert "toposmith: 1" in line
    assert line.startswith("f.yaml:1:1: ")


@pytest.mark.parametrize(
    ("text", "found"), [("- a\n- b", "a list of 2"), ("hello", "'hello'"), ("12", "12")]
)
def test_a_top_level_without_keys_is_told_what_is_expected(text: str, found: str) -> None:
    (line,) = lines_of(text)
    assert f"found {found}, expected keys with values" in line


def test_a_file_without_its_version_is_told_to_add_it_along_with_the_rest() -> None:
    first, second = lines_of("name: x\naxes: {su: 0}\n")
    assert "add `toposmith: 1` as the first line" in first
    assert second == "f.yaml:2:12: axes.su: found 0, expected a whole number from 1 to 1000000"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "count: 32",
            "coutn: 32",
            "f.yaml:5:38: groups.node.coutn: unknown key 'coutn'; did you mean 'count'? "
            "(known: part, per, count, nics, note)",
        ),
        (
            "rail: 8",
            "rail: eight",
            "f.yaml:3:21: axes.rail: found 'eight', expected a whole number from 1 to 1000000",
        ),
        ("su: 4", "su: 4.0", "f.yaml:3:12: axes.su: found 4.0, expected a whole number from 1"),
        ("su: 4", "su: true", "f.yaml:3:12: axes.su: found true, expected a whole number from 1"),
        ("su: 4", "su: '4'", "f.yaml:3:12: axes.su: found '4', expected a whole number from 1"),
        ("part: dgx-h100", "part: 100", "f.yaml:5:17: groups.node.part: found 100, expected text; "
         "put it in quotes"),
        ("part: dgx-h100, ", "", "f.yaml:5:10: groups.node: the key 'part' is missing"),
        ("per: [su], c", "per: su, c", "groups.node.per: found 'su', expected a list"),
        ("[leaf, spine]", "[leaf]", "f.yaml:10:15: links[1].between: found a list of 1, expected "
         "a list of 2"),
        ("[leaf, spine]", "[leaf, spine, a]", "links[1].between: found a list of 3, expected a "
         "list of 2"),
        ("cables: 2", "cables: 0", "links[1].cables: found 0, expected a whole number from 1 to"),
        ("cables: 2", "length: 0", "links[1].length: found 0, expected a number above 0 and"),
        ("cables: 2", "speed: []", "links[1].speed: found an empty list, expected a whole number"),
        ("axes: {su: 4, rail: 8}", "axes:", "axes: found nothing, expected keys with values"),
        ("  leaf:", "  4leaf:", "f.yaml:6:3: groups.4leaf: found '4leaf', expected a name: a"),
        ("name: DGX", "nmae: DGX", "f.yaml:2:1: nmae: unknown key 'nmae'; did you mean 'name'?"),
        ("toposmith: 1", "toposmith: x", "toposmith: found 'x', expected a whole number from 1"),
        ("absent: [", "absent: [3, ", "f.yaml:11:10: absent[0]: found 3, expected text; put it in"),
        ("name: DGX", "view: 3 #", "f.yaml:2:7: view: found 3, expected keys with values"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_placed_and_told_what_is_expected(
    old: str, new: str, expected: str
) -> None:
    assert any(expected in line for line in lines_of(SUPERPOD.replace(old, new)))


def test_all_problems_are_reported_in_file_order() -> None:
    text = SUPERPOD.replace("su: 4", "su: x").replace("count: 16", "cuont: 16")
    text = text.replace("cables: 2", "cables: two") + "name: again\n"
    places = [line.split(": ")[0] for line in lines_of(text)]
    assert places == ["f.yaml:3:12", "f.yaml:7:25", "f.yaml:10:38", "f.yaml:12:1"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "per: [su, rail]",
            "per: [su, rial]",
            "f.yaml:6:35: groups.leaf.per[1]: no axis 'rial'; did you mean 'rail'? (known: su,",
        ),
        (
            "per: [su, rail]",
            "per: [su, su]",
            "f.yaml:6:35: groups.leaf.per[1]: the axis 'su' is listed",
        ),
        (
            "[leaf, spine]",
            "[leaf, spien]",
            "f.yaml:10:22: links[1].between[1]: no group 'spien'; did you mean 'spine'?",
        ),
        (
            "[leaf, spine]",
            "[leaf, leaf.x]",
            "f.yaml:10:15: links[1].between: joins the group 'leaf'",
        ),
        ("rail: 8", "rail: 8, spine: 2", "f.yaml:7:3: groups.spine: 'spine' is an axis too"),
    ],
)
def test_a_design_that_disagrees_with_itself_is_told_where(
    old: str, new: str, expected: str
) -> None:
    assert any(expected in line for line in lines_of(SUPERPOD.replace(old, new)))


def test_unknown_parts_and_slots_are_no_matter_of_the_file() -> None:
    text = SUPERPOD.replace("qm9700", "no-such-part").replace("node.compute", "node.nowhere")
    assert parse_design(text, "f.yaml").groups["leaf"].part == "no-such-part"


def test_found_text_is_escaped_and_cut() -> None:
    (line,) = lines_of(f"toposmith: 1\naxes: {{su: '{'x' * 500}'}}")
    assert len(line) < 160
    lines = lines_of("toposmith: 1\n\u202egpj: 1\naxes: {su: 'a\u202eb'}")
    assert not any("\u202e" in line for line in lines)


def test_thousands_of_problems_are_cut_to_a_readable_number() -> None:
    text = "toposmith: 1\naxes: {" + ", ".join(f"a{n}: x" for n in range(5000)) + "}"
    lines = lines_of(text)
    assert len(lines) == 101
    assert lines[-1].endswith("further problems are not shown")


def test_every_beginning_of_a_file_is_read_or_refused() -> None:
    read = 0
    for length in range(len(SUPERPOD)):
        try:
            parse_design(SUPERPOD[:length], "f.yaml")
            read += 1
        except DesignFileError as error:
            assert all(problem.line for problem in error.problems)
    assert read > 100


def test_the_examples_of_the_documentation_are_read() -> None:
    page = Path(__file__).parents[2] / "docs" / "file-format.md"
    examples = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 1
    for example in examples:
        design = parse_design(example, page.name)
        for selector in design.absent + design.down:
            parse_selector(selector, design)


def test_the_selectors_of_the_documentation_are_understood() -> None:
    page = Path(__file__).parents[2] / "docs" / "file-format.md"
    table = page.read_text(encoding="utf-8").partition("## Selectors")[2].partition("## ")[0]
    selectors = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert len(selectors) >= 6
    design = parse_design(SUPERPOD, "f.yaml")
    for selector in selectors:
        assert parse_selector(selector, design).text == selector
