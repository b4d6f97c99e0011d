"""What is said of links along axes: those without cables, those of nodes, those laid twice."""

from __future__ import annotations

import pytest

from tests.review.reviewing import reviewed
from toposmith.findings.finding import Finding

_TORUS = """\
toposmith: 2
axes: {x: 3, y: 4}
groups:
  n: {part: dgx-h100, per: [x, y]}
  sw: {part: qm9700, per: [x, y]}
links:
  - {between: [n.compute, sw]}
  - {between: [sw, sw], along: {y: next}, cables: 2}
"""


def said(second: str, sizes: str = "x: 3, y: 4") -> list[Finding]:
    """What is said of a torus with one link more, but for what is said without it."""
    text = _TORUS.replace("x: 3, y: 4", sizes)
    before = {one.code for one in reviewed(text)}
    return [one for one in reviewed(f"{text}  - {second}\n") if one.code not in before]


def test_of_a_link_without_cables_nothing_is_said_but_that() -> None:
    found = said("{between: [sw, sw], along: {x: next}, cables: 2}", "x: 1, y: 4")
    assert [one.code for one in found] == ["no-cables-along"]


def test_nodes_that_have_several_kinds_of_ports_have_no_relation_along_an_axis_either() -> None:
    found = said("{between: [n, n], along: {x: next}}")
    assert [one.code for one in found] == ["relation-at-node"]
    assert found[0].text.startswith("along x: next joins switches; n has ports of nodes")


@pytest.mark.parametrize(
    ("along", "twice"),
    [
        ("y: other", True),  # neighbours are among the others
        ("y: next", True),
        ("x: next", False),  # equal on y
        ("x: other, y: next", False),  # never equal on x
        ("x: any, y: other", True),
    ],
)
def test_two_links_that_join_the_same_switches_are_told(along: str, twice: bool) -> None:
    found = said(f"{{between: [sw, sw], along: {{{along}}}, cables: 1}}")
    codes = [(one.code, one.severity) for one in found if one.code == "cabled-twice"]
    assert codes == [("cabled-twice", "info")] * twice
    for one in found if twice else ():
        if one.code == "cabled-twice":
            assert one.where.startswith("links[2] sw - sw")
            assert one.text.startswith("sw - sw (y next) joins some of the same")
