from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cost import calls_of
from toposmith.design.document import Design, Group, Link
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text

WRITTEN = """\
# The cluster in hall 3.
# Ask the network team before changing it.

toposmith: 1
name:   "DGX H100 SuperPOD, 4 SU"   # the name on the door
axes: { su: 4,  rail: 8 }           # four of them

# ---- devices
groups:
  node:  {part: dgx-h100, per: [su], count: 32}     # node[su, node]
  # the leaves were bought later
  leaf:
    part: 'qm9700'   # quoted
    per:
      - su           # scalable unit
      - rail
  spine: {part: qm9700,
          # sixteen of them
          count: 16}                                # spine[spine]

links:    # from below
  # rails
  - {between: [node.compute, leaf]}                 # shares su

  - between: [leaf, spine]   # everything to everything
    cables: 2                # two
    length: 30
absent: [
  "node[su=3,node=31]",   # the fabric manager
  # and its spare
  "node[su=3,node=30]"    # spare
]
down: []                  # all is well
view:                     # left by the app
  zoom: 3
  # where things are
  positions:
    node: [1, 2]          # left
    spine: [3, 4]
# the end
"""

Change = Callable[[dict[str, Any], int], None]


def set_name(data: dict[str, Any], number: int) -> None:
    data["name"] = f"cluster {number}: new"


def set_note(data: dict[str, Any], number: int) -> None:
    data["note"] = f"note {number}\nof two lines"


def set_axis(data: dict[str, Any], number: int) -> None:
    data["axes"]["su"] = number + 5


def add_axis(data: dict[str, Any], number: int) -> None:
    data["axes"][f"plane{number}"] = 2


def set_node_count(data: dict[str, Any], number: int) -> None:
    data["groups"]["node"]["count"] = number + 40


def fit_nics(data: dict[str, Any], number: int) -> None:
    data["groups"]["node"]["nics"] = {"compute": {"part": "connectx-6-hdr", "count": number}}


def unset_node_axes(data: dict[str, Any], number: int) -> None:
    data["groups"]["node"]["per"] = []


def set_leaf_part(data: dict[str, Any], number: int) -> None:
    data["groups"]["leaf"]["part"] = f"no{number}"


def note_leaf(data: dict[str, Any], number: int) -> None:
    data["groups"]["leaf"]["note"] = f"leaf {number}"


def cut_leaf_axes(data: dict[str, Any], number: int) -> None:
    data["groups"]["leaf"]["per"] = ["su"]


def set_spine_count(data: dict[str, Any], number: int) -> None:
    data["groups"]["spine"]["count"] = number + 20


def add_group(data: dict[str, Any], number: int) -> None:
    data["groups"][f"extra{number}"] = {"part": f"part-{number}", "count": number + 2}


def add_link(data: dict[str, Any], number: int) -> None:
    link = {"between": ["node.storage", "spine"], "cables": number + 1}
    data["links"].insert(number % (len(data["links"]) + 1), link)


def set_cables(data: dict[str, Any], number: int) -> None:
    for link in data["links"]:
        if link["between"] == ["leaf", "spine"]:
            link["cables"] = number + 3


def unset_length(data: dict[str, Any], number: int) -> None:
    for link in data["links"]:
        link.pop("length", None)


def remove_first_link(data: dict[str, Any], number: int) -> None:
    data["links"] = [one for one in data["links"] if one["between"] != ["node.compute", "leaf"]]


def remove_first_absent(data: dict[str, Any], number: int) -> None:
    data["absent"] = [one for one in data["absent"] if one != "node[su=3,node=31]"]


def remove_last_absent(data: dict[str, Any], number: int) -> None:
    data["absent"] = [one for one in data["absent"] if one != "node[su=3,node=30]"]


def add_absent(data: dict[str, Any], number: int) -> None:
    data["absent"].insert(number % (len(data["absent"]) + 1), f"leaf[su={number}]")


def set_down(data: dict[str, Any], number: int) -> None:
    data["down"] = [f"leaf[su={n}]" for n in range(number)]


def move_on_canvas(data: dict[str, Any], number: int) -> None:
    data["view"]["positions"]["node"] = [number + 7, 2]


def fold(data: dict[str, Any], number: int) -> None:
    data["view"]["folded"] = ["leaf"] * number


CHANGES: list[tuple[Change, tuple[str, ...]]] = [
    (set_name, ("name:",)),
    (set_note, ()),
    (set_axis, ("axes:",)),
    (add_axis, ("axes:",)),
    (set_node_count, ("  node:  {",)),
    (fit_nics, ("  node:  {",)),
    (unset_node_axes, ("  node:  {",)),
    (set_leaf_part, ("part: 'qm9700'",)),
    (note_leaf, ()),
    (cut_leaf_axes, ("- rail",)),
    (set_spine_count, ("count: 16",)),
    (add_group, ()),
    (add_link, ()),
    (set_cables, ("cables: 2",)),
    (unset_length, ("length: 30",)),
    (remove_first_link, ("{between: [node.compute",)),
    (remove_first_absent, ("node=31",)),
    (remove_last_absent, ("node=30",)),
    (add_absent, ("node=30",)),
    (set_down, ("down:",)),
    (move_on_canvas, ("    node: [1, 2]",)),
    (fold, ()),
]


def plain(design: Design) -> dict[str, Any]:
    return design.model_dump(mode="json")


def is_subsequence(lines: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(line in rest for line in lines)


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def without_last_newline(text: str) -> str:
    return text.removesuffix("# the end\n").rstrip("\n")


def with_byte_order_mark(text: str) -> str:
    return "\ufeff" + text


@pytest.mark.parametrize("variant", [str, crlf, without_last_newline, with_byte_order_mark])
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(range(len(CHANGES))), st.integers(0, 3)), max_size=6))
def test_every_line_that_no_change_touches_stays_and_so_do_the_comments(
    variant: Callable[[str], str], picked: list[tuple[int, int]]
) -> None:
    original = variant(WRITTEN)
    data = plain(parse_design(original, "f"))
    touched: list[str] = []
    for index, number in picked:
        change, lines = CHANGES[index]
        change(data, number)
        touched += lines
    design = Design.model_validate(data)
    text = design_text(design, original)
    assert parse_design(text, "f") == design
    assert design_text(design, text) == text
    old_lines = original.split("\n")
    untouched = [line for line in old_lines if not any(mark in line for mark in touched)]
    assert is_subsequence(untouched, text.split("\n"))
    own_comments = [line for line in old_lines if line.lstrip("\ufeff ").startswith("#")]
    assert is_subsequence(own_comments, text.split("\n"))
    if variant is crlf:
        assert "\n" not in text.replace("\r\n", "")


def edited(original: str, **changes: Any) -> str:
    design = parse_design(original, "f")
    new = Design.model_validate(plain(design) | changes)
    text = design_text(new, original)
    assert parse_design(text, "f") == new
    assert design_text(new, text) == text
    return text


def test_without_a_change_every_byte_stays() -> None:
    odd = "# c\r\n---\ntoposmith:   1 \nlinks: [ ]  # none\nnote: \n\n\n..."
    assert design_text(parse_design(odd, "f"), odd) == odd


def test_a_value_in_place_keeps_its_quotes_and_the_comment_behind_it() -> None:
    text = "toposmith: 1\nname:  \"a\"   # c\nnote: 'b'\n"
    assert edited(text, name="new", note="no") == (
        "toposmith: 1\nname:  \"new\"   # c\nnote: 'no'\n"
    )


def test_the_first_link_replaces_an_empty_list_and_keeps_its_comment() -> None:
    text = "toposmith: 1\ngroups: {a: {part: x}, b: {part: x}}\nlinks: []   # none yet\nview: {}\n"
    assert edited(text, links=[{"between": ["a", "b"]}]) == text.replace(
        "links: []   # none yet\n", "links:   # none yet\n  - {between: [a, b]}\n"
    )


def test_a_renamed_group_keeps_its_line_its_place_and_its_comments() -> None:
    design = parse_design(WRITTEN, "f")
    groups = {"tor" if name == "leaf" else name: group for name, group in design.groups.items()}
    links = [
        {**plain_link, "between": [end.replace("leaf", "tor") for end in plain_link["between"]]}
        for plain_link in plain(design)["links"]
    ]
    assert edited(WRITTEN, groups=groups, links=links) == (
        WRITTEN.replace("  leaf:", "  tor:")
        .replace("compute, leaf]", "compute, tor]")
        .replace("[leaf, spine]", "[tor, spine]")
    )


def test_a_removed_group_goes_with_its_lines_only() -> None:
    groups = {
        name: group for name, group in parse_design(WRITTEN, "f").groups.items() if name != "leaf"
    }
    text = edited(WRITTEN, groups=groups, links=[])
    assert "  # the leaves were bought later\n  spine: {part: qm9700,\n" in text
    assert "scalable unit" not in text


def test_a_block_of_text_is_replaced_as_a_block() -> None:
    text = "toposmith: 1\nnote: |  # why\n  one\n  two\n\n# c\nname: n\n"
    assert edited(text, note="three\nfour\n") == (
        "toposmith: 1\nnote: |  # why\n  three\n  four\n\n# c\nname: n\n"
    )
    assert edited(text, note="short") == "toposmith: 1\nnote: short  # why\n\n# c\nname: n\n"
    assert edited(text, note=None) == "toposmith: 1\n\n# c\nname: n\n"


def test_a_file_written_as_json_stays_one_mapping_in_braces() -> None:
    text = '{"toposmith": 1, "name": "a",\n "axes": {"su": 4}}'
    assert edited(text, name="b", axes={"su": 5}) == (
        '{"toposmith": 1, "name": "b",\n "axes": {"su": 5}}'
    )


@pytest.mark.parametrize(
    ("before", "down", "after"),
    [
        ("[a, b, c]", "abcd", "[a, b, c, d]"),
        ("[a,b,c]", "bc", "[b,c]"),
        ("[a, b, c]", "ab", "[a, b]"),
        ("[ a ,  b ,  c ]", "ac", "[ a ,  c ]"),
        ("[a, b, c]", "xc", "[x, c]"),
        ("[a, b, c]", "", "[]"),
        ("[\n  a,  # 1\n  b,  # 2\n  c,  # 3\n]", "ac", "[\n  a,  # 1\n  c,  # 3\n]"),
        ("[\n  a,  # 1\n  b,  # 2\n]", "abc", "[\n  a,  # 1\n  b,  # 2\n  c,\n]"),
        ("[\n  a,  # 1\n  b   # 2\n]", "b", "[\n  b   # 2\n]"),
        ("[a,  # 1\n  b]", "a", "[a  # 1\n ]"),
        ("[\n  # all\n  a\n]", "", "[\n  # all\n]"),
    ],
)
def test_items_in_brackets_come_and_go_with_their_spacing(
    before: str, down: str, after: str
) -> None:
    text = f"toposmith: 1\ndown: {before}  # d\nname: n\n"
    assert edited(text, down=list(down)) == f"toposmith: 1\ndown: {after}  # d\nname: n\n"


def test_what_can_not_be_patched_is_written_anew_as_little_as_possible() -> None:
    text = (
        "# top\ntoposmith: 1\nname: n  # kept\n"
        "view:\n  a:\n    - - 1  # deep\n      - 2\n    - 3\n  b: 4  # kept too\n"
    )
    assert edited(text, view={"a": [[2], 3], "b": 4}) == (
        "# top\ntoposmith: 1\nname: n  # kept\nview:\n  a: [[2], 3]\n  b: 4  # kept too\n"
    )


def test_in_the_worst_case_the_comment_at_the_top_stays() -> None:
    text = "# top\n\n# more\n? toposmith\n: 1\n? name\n: x\n"
    assert edited(text, name="new") == "# top\n\n# more\ntoposmith: 1\nname: new\n"


def test_the_work_of_patching_grows_with_the_lines_of_a_design() -> None:
    def patched(many: int) -> None:
        groups = {f"g{n}": Group(part="qm9700", count=n + 1) for n in range(many)}
        links = tuple(Link(between=(f"g{n}", f"g{n + 1}"), cables=2) for n in range(many - 1))
        text = design_text(Design(groups=groups, links=links))
        changed = tuple(link.model_copy(update={"cables": 3}) for link in links)
        found = design_text(Design(groups=groups, links=changed), text)
        assert found == text.replace("cables: 2", "cables: 3")

    few, more = (calls_of(patched, many) for many in (150, 1500))
    assert more <= 11 * few
