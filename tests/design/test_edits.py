"""Every edit makes the design it says, can be taken back, and refuses in words what cannot be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toposmith.design import edits
from toposmith.design.document import Design, FittedNics, Group, Link, Waiver
from toposmith.design.edits import Edit
from toposmith.errors import EditError

SUPERPOD = Design(
    name="superpod",
    axes={"su": 4, "rail": 8},
    groups={
        "node": Group(part="dgx-h100", per=("su",), count=32),
        "leaf": Group(part="qm9700", per=("su", "rail")),
        "spine": Group(part="qm9700", count=16),
    },
    links=(
        Link(between=("node.compute", "leaf")),
        Link(between=("leaf", "spine"), cables=2),
    ),
    absent=("node[su=3,node=31]",),
    down=("leaf[su=0,rail=1] - spine[spine=3]", "spine[spine=0]"),
)


@pytest.mark.parametrize(
    ("edit", "label"),
    [
        (edits.add_group(SUPERPOD, "qm9700", name="core", count=8), "add core, 8 x qm9700"),
        (
            edits.remove_group(SUPERPOD, "spine"),
            "delete spine; faults dropped: leaf[su=0,rail=1] - spine[spine=3], spine[spine=0]",
        ),
        (edits.set_count(SUPERPOD, "spine", 8), "spine: count 8"),
        (edits.set_part(SUPERPOD, "spine", "qm9790"), "spine: part qm9790"),
        (edits.set_per(SUPERPOD, "spine", ("rail",)), "spine: repeat per rail"),
        (edits.set_per(SUPERPOD, "leaf", ("rail", "su")), "leaf: repeat per rail x su"),
        (
            edits.set_per(SUPERPOD, "leaf", ()),
            "leaf: repeat per nothing; faults dropped: leaf[su=0,rail=1] - spine[spine=3]",
        ),
        (
            edits.fit_nics(SUPERPOD, "node", "compute", "connectx-7-ndr", 4),
            "node.compute: fit 4 x connectx-7-ndr",
        ),
        (edits.rename_group(SUPERPOD, "leaf", "tor"), "rename leaf to tor"),
        (edits.add_link(SUPERPOD, "node.storage", "spine"), "wire node.storage to spine"),
        (edits.add_link(SUPERPOD, "leaf", "spine", cables=1), "wire leaf to spine, 1 cable"),
        (edits.add_link(SUPERPOD, "leaf", "spine", cables=2), "wire leaf to spine, 2 cables"),
        (edits.set_cables(SUPERPOD, 1, 4), "leaf - spine: cables 4"),
        (edits.set_cables(SUPERPOD, 1, None), "leaf - spine: cables even"),
        (edits.remove_link(SUPERPOD, 0), "unwire node.compute - leaf"),
        (edits.set_axis(SUPERPOD, "su", 8), "axis su: 8"),
        (edits.set_axis(SUPERPOD, "plane", 2), "axis plane: 2"),
        (
            edits.set_axis(edits.set_axis(SUPERPOD, "plane", 2).design, "plane", None),
            "remove axis plane",
        ),
        (edits.set_name(SUPERPOD, "four units"), "name the design 'four units'"),
        (edits.set_note(SUPERPOD, "to be ordered"), "change the design's note"),
        (edits.set_note(SUPERPOD, "spares", group="node"), "change the note of node"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_edit_says_in_a_few_words_what_it_did(edit: Edit, label: str) -> None:
    assert edit.label == label


def test_an_added_group_comes_last_and_repeats_as_asked() -> None:
    design = edits.add_group(SUPERPOD, "qm9700", name="core", count=8, per=("rail",)).design
    assert list(design.groups) == ["node", "leaf", "spine", "core"]
    assert design.groups["core"] == Group(part="qm9700", per=("rail",), count=8)
    assert design.links == SUPERPOD.links


@pytest.mark.parametrize(
    ("wanted", "free"),
    [("core", "core"), ("leaf", "leaf2"), ("su", "su2"), ("rail", "rail2")],
)
def test_a_taken_name_gets_a_number_behind_it(wanted: str, free: str) -> None:
    assert edits.free_name(SUPERPOD, wanted) == free
    assert free in edits.add_group(SUPERPOD, "qm9700", name=wanted).design.groups


def test_names_are_numbered_on() -> None:
    design = SUPERPOD
    for _ in range(3):
        design = edits.add_group(design, "qm9700", name="leaf").design
    assert list(design.groups) == ["node", "leaf", "spine", "leaf2", "leaf3", "leaf4"]
    assert edits.free_name(design, "leaf2") == "leaf5"


def test_groups_whose_names_only_begin_alike_stay() -> None:
    design = edits.add_group(SUPERPOD, "qm9700", name="spine-b").design
    design = edits.add_link(design, "leaf", "spine-b").design
    design = Design(**{**dict(design), "down": ("spine-b[spine-b=0]", "spine[spine=1]")})
    smaller = edits.remove_group(design, "spine").design
    assert "spine-b" in smaller.groups
    assert smaller.links[-1].between == ("leaf", "spine-b")
    assert smaller.down == ("spine-b[spine-b=0]",)
    renamed = edits.rename_group(design, "spine", "top").design
    assert renamed.down == ("spine-b[spine-b=0]", "top[top=1]")


def test_a_name_that_stays_changes_nothing() -> None:
    assert edits.rename_group(SUPERPOD, "leaf", "leaf").design == SUPERPOD


def test_fitted_nics_replace_those_of_the_same_slots_only() -> None:
    design = edits.fit_nics(SUPERPOD, "node", "compute", "connectx-7-ndr", 4).design
    design = edits.fit_nics(design, "node", "storage", "bluefield-3-b3220", 1).design
    design = edits.fit_nics(design, "node", "compute", "connectx-7-ndr", 2).design
    assert design.groups["node"].nics == {
        "compute": FittedNics(part="connectx-7-ndr", count=2),
        "storage": FittedNics(part="bluefield-3-b3220", count=1),
    }


def test_another_part_keeps_links_and_fitted_nics() -> None:
    fitted = edits.fit_nics(SUPERPOD, "node", "compute", "connectx-7-ndr", 4).design
    design = edits.set_part(fitted, "node", "hgx-h100-8").design
    assert design.groups["node"].nics == fitted.groups["node"].nics
    assert design.links == fitted.links


@pytest.mark.parametrize(
    ("there", "back"),
    [
        (
            lambda d: edits.add_group(d, "qm9700", name="core"),
            lambda d: edits.remove_group(d, "core"),
        ),
        (lambda d: edits.set_count(d, "spine", 8), lambda d: edits.set_count(d, "spine", 16)),
        (
            lambda d: edits.set_part(d, "leaf", "qm9790"),
            lambda d: edits.set_part(d, "leaf", "qm9700"),
        ),
        (
            lambda d: edits.set_per(d, "spine", ("rail",)),
            lambda d: edits.set_per(d, "spine", ()),
        ),
        (
            lambda d: edits.rename_group(d, "spine", "top"),
            lambda d: edits.rename_group(d, "top", "spine"),
        ),
        (
            lambda d: edits.add_link(d, "node.storage", "spine"),
            lambda d: edits.remove_link(d, 2),
        ),
        (lambda d: edits.set_cables(d, 1, 4), lambda d: edits.set_cables(d, 1, 2)),
        (lambda d: edits.set_axis(d, "su", 8), lambda d: edits.set_axis(d, "su", 4)),
        (lambda d: edits.set_axis(d, "plane", 2), lambda d: edits.set_axis(d, "plane", None)),
        (lambda d: edits.set_name(d, "x"), lambda d: edits.set_name(d, "superpod")),
        (lambda d: edits.set_note(d, "x"), lambda d: edits.set_note(d, None)),
        (
            lambda d: edits.set_note(d, "x", group="leaf"),
            lambda d: edits.set_note(d, None, group="leaf"),
        ),
    ],
)
def test_an_edit_and_its_opposite_give_the_same_design(
    there: Callable[[Design], Edit], back: Callable[[Design], Edit]
) -> None:
    changed = there(SUPERPOD).design
    assert changed != SUPERPOD
    assert back(changed).design == SUPERPOD


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (
            lambda: edits.remove_group(SUPERPOD, "core"),
            "there is no group 'core' (groups: node, leaf, spine)",
        ),
        (
            lambda: edits.set_count(Design(), "leaf", 2),
            "there is no group 'leaf' (groups: none yet)",
        ),
        (
            lambda: edits.set_count(SUPERPOD, "spine", 0),
            "count must be at least 1, found 0",
        ),
        (
            lambda: edits.set_count(SUPERPOD, "spine", 1_000_001),
            "count can be at most 1000000, found 1000001",
        ),
        (
            lambda: edits.add_group(SUPERPOD, "qm9700", name="top of rack"),
            "'top of rack' is not a name: a letter, then letters, digits, - or _",
        ),
        (
            lambda: edits.add_group(SUPERPOD, "qm9700", name="core", per=("pod",)),
            "there is no axis 'pod' (axes: su, rail)",
        ),
        (
            lambda: edits.set_per(Design(groups={"a": Group(part="x")}), "a", ("su",)),
            "there is no axis 'su' (axes: none yet)",
        ),
        (
            lambda: edits.set_per(SUPERPOD, "spine", ("su", "su")),
            "an axis can be named once only",
        ),
        (
            lambda: edits.fit_nics(SUPERPOD, "node", "compute", "connectx-7-ndr", 65),
            "count can be at most 64, found 65",
        ),
        (
            lambda: edits.rename_group(SUPERPOD, "leaf", "spine"),
            "the name 'spine' is taken; choose another",
        ),
        (
            lambda: edits.rename_group(SUPERPOD, "leaf", "su"),
            "the name 'su' is taken; choose another",
        ),
        (
            lambda: edits.rename_group(SUPERPOD, "leaf", "1st"),
            "'1st' is not a name: a letter, then letters, digits, - or _",
        ),
        (
            lambda: edits.add_link(SUPERPOD, "leaf", "core"),
            "there is no group 'core' (groups: node, leaf, spine)",
        ),
        (
            lambda: edits.add_link(SUPERPOD, "node.compute", "node.storage"),
            "node.compute cannot be wired to itself without an axis; say which, as in next along "
            "x, or wire it to another group",
        ),
        (
            lambda: edits.add_link(SUPERPOD, "leaf", "spine", cables=0),
            "cables must be at least 1, found 0",
        ),
        (
            lambda: edits.set_cables(SUPERPOD, 1, 1025),
            "cables can be at most 1024, found 1025",
        ),
        (
            lambda: edits.set_cables(SUPERPOD, 2, 1),
            "there is no link 2; the design has 2",
        ),
        (
            lambda: edits.remove_link(SUPERPOD, -1),
            "there is no link -1; the design has 2",
        ),
        (
            lambda: edits.set_axis(SUPERPOD, "rail", None),
            "axis 'rail' is used by leaf",
        ),
        (
            lambda: edits.set_axis(SUPERPOD, "su", None),
            "axis 'su' is used by node, leaf",
        ),
        (
            lambda: edits.set_axis(SUPERPOD, "spine", 4),
            "'spine' is a group; change its count instead",
        ),
        (
            lambda: edits.set_axis(SUPERPOD, "su", 0),
            "axes.su must be at least 1, found 0",
        ),
        (
            lambda: edits.set_note(SUPERPOD, "x", group="core"),
            "there is no group 'core' (groups: node, leaf, spine)",
        ),
    ],
)
def test_what_the_document_forbids_is_refused_with_what_would_be_right(
    refused: Callable[[], Edit], words: str
) -> None:
    with pytest.raises(EditError) as error:
        refused()
    assert str(error.value) == words


def test_a_waiver_follows_the_group_that_is_renamed() -> None:
    waivers = (
        Waiver(code="oversubscribed", where="leaf", reason="meant", date="2026-01-31"),
        Waiver(code="no-cable", where="node.compute - leaf", reason="meant", date="2026-01-31"),
        Waiver(code="single-leaf", reason="meant", date="2026-01-31"),
    )
    design = Design(groups={"leaf": Group(part="qm9700")}, waivers=waivers)
    renamed = edits.rename_group(design, "leaf", "tor").design
    assert [waiver.where for waiver in renamed.waivers] == ["tor", "node.compute - tor", None]
