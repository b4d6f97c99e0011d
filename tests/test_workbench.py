"""The workbench holds one design, its history and its figures, and refuses what cannot be built."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.asking import ring_at_large_sizes
from toposmith.analysis.prediction.calibration import FAST_NODE_SHARE
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.collectives import LARGEST_MESSAGE_BYTES
from toposmith.design import edits
from toposmith.design.document import Design, Group, Link
from toposmith.errors import EditError
from toposmith.workbench import Workbench

CATALOG = load_catalog()

TWO_NODES = Design(
    name="two nodes",
    groups={"node": Group(part="dgx-h100", count=2), "leaf": Group(part="qm9700")},
    links=(Link(between=("node.compute", "leaf")),),
)


def bench(design: Design = TWO_NODES, *, read_only: bool = False) -> Workbench:
    work = Workbench(design, CATALOG, read_only=read_only)
    work.request = ring_at_large_sizes()
    return work


def test_an_edit_becomes_the_design_and_a_step_of_its_history() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 4))
    work.apply(edits.set_name(work.design, "four nodes"))
    assert work.design.groups["node"].count == 4
    assert work.history == ["node: count 4", "name the design 'four nodes'"]
    assert work.undone == []


def test_figures_are_those_of_the_design_as_it_stands() -> None:
    work = bench()
    assert work.evaluated.analysis.gpus == 16
    work.apply(edits.set_count(work.design, "node", 4))
    assert work.evaluated.analysis.gpus == 32
    work.undo()
    assert work.evaluated.analysis.gpus == 16


def test_every_collective_has_its_own_figures() -> None:
    work = bench()
    # 8 NICs x 48, of which nodes with 3.2 Tb/s reach 96 %
    assert work.evaluated.analysis.busbw_GBps == pytest.approx(384 * FAST_NODE_SHARE)
    work.request = Request(message_bytes=LARGEST_MESSAGE_BYTES)
    assert work.evaluated.analysis.collective == "all_reduce"
    work.request = replace(work.request, collective="all_to_all")
    # 8 of 16 ranks are in the other node: 48 x 15 / 8
    assert work.evaluated.analysis.busbw_GBps == pytest.approx(90)
    assert work.evaluated.analysis.collective == "all_to_all"
    assert work.evaluated.analysis is work.evaluated.analysis


def test_another_message_size_takes_another_time() -> None:
    work = bench()
    before = work.evaluated.analysis.time_us
    work.request = replace(work.request, message_bytes=work.request.message_bytes // 2)
    assert before is not None
    assert work.evaluated.analysis.time_us == pytest.approx(before / 2)


def test_undo_and_redo_walk_the_history() -> None:
    work = bench()
    assert work.undo() is None
    assert work.redo() is None
    work.apply(edits.set_count(work.design, "node", 4))
    work.apply(edits.set_count(work.design, "node", 8))
    assert work.undo() == "node: count 8"
    assert work.undone == ["node: count 8"]
    assert work.undo() == "node: count 4"
    assert work.design == TWO_NODES
    assert work.undo() is None
    assert work.undone == ["node: count 4", "node: count 8"]
    assert work.redo() == "node: count 4"
    assert work.design.groups["node"].count == 4
    assert work.redo() == "node: count 8"
    assert work.redo() is None


def test_a_new_edit_cuts_off_what_could_be_redone() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 4))
    work.apply(edits.set_count(work.design, "node", 8))
    work.undo()
    work.apply(edits.set_name(work.design, "other"))
    assert work.redo() is None
    assert work.undone == []
    assert work.history == ["node: count 4", "name the design 'other'"]
    assert work.design.groups["node"].count == 4


def test_any_step_of_the_history_can_be_gone_to_and_none_is_lost() -> None:
    work = bench()
    for count in (4, 5, 6):
        work.apply(edits.set_count(work.design, "node", count))
    assert [step.label for step in work.steps] == [
        "open", "node: count 4", "node: count 5", "node: count 6",
    ]  # fmt: skip
    work.go_to(1)
    assert work.design.groups["node"].count == 4
    assert work.undone == ["node: count 5", "node: count 6"]
    work.go_to(3)
    assert work.design.groups["node"].count == 6
    work.go_to(0)
    assert work.design == TWO_NODES
    for nowhere in (-1, 4):
        with pytest.raises(EditError, match="the last one is 3"):
            work.go_to(nowhere)


def test_saving_keeps_every_step() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 4))
    work.mark_saved()
    assert not work.dirty
    assert work.history == ["node: count 4"]
    assert work.undo() == "node: count 4"
    assert work.dirty


def test_a_step_keeps_its_number_when_others_are_cut_off() -> None:
    work = bench()
    for count in (4, 5):
        work.apply(edits.set_count(work.design, "node", count))
    kept, gone = work.steps[1].number, work.steps[2].number
    work.go_to(1)
    work.apply(edits.set_count(work.design, "node", 7))
    assert work.steps[1].number == kept
    assert work.steps[2].number not in (kept, gone)


def test_a_hundred_steps_can_all_be_undone() -> None:
    work = bench()
    for number in range(100):
        work.apply(edits.set_note(work.design, f"note {number}"))
    assert len(work.history) == 100
    while work.undo() is not None:
        pass
    assert work.design == TWO_NODES


def test_an_edit_that_changes_nothing_is_no_step() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 2))
    assert work.history == []
    work.apply(edits.set_count(work.design, "node", 4))
    work.undo()
    work.apply(edits.set_count(work.design, "node", 2))
    assert work.undone == ["node: count 4"]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("qm970", "leaf: the catalog has no part 'qm970'; did you mean "),
        ("sn2700", "links[0] node.compute - leaf: "),
        (
            "connectx-7-ndr",
            "leaf: ConnectX-7 NDR/400GbE is a nic; a group is of nodes, switches or storage",
        ),
    ],
)
def test_a_part_that_does_not_fit_is_refused_and_nothing_changes(part: str, words: str) -> None:
    work = bench()
    before = work.evaluated.analysis
    with pytest.raises(EditError) as error:
        work.apply(edits.set_part(work.design, "leaf", part))
    assert str(error.value).startswith(words)
    assert work.design is TWO_NODES
    assert (work.history, work.undone, work.dirty) == ([], [], False)
    assert work.evaluated.analysis is before


def test_more_cables_than_ports_are_refused() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 8))
    with pytest.raises(EditError, match=r"leaf: each QM9700 .* links ask for 36 cages"):
        work.apply(edits.set_count(work.design, "node", 9))
    assert work.design.groups["node"].count == 8


def test_a_refused_edit_leaves_what_could_be_redone() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 4))
    work.undo()
    with pytest.raises(EditError):
        work.apply(edits.set_count(work.design, "node", 9))
    assert work.redo() == "node: count 4"


def test_a_warning_does_not_refuse_an_edit() -> None:
    work = bench()
    work.apply(edits.set_part(work.design, "leaf", "qm8700"))
    assert [finding.code for finding in work.evaluated.analysis.findings] == ["nic-slowed"]


def test_for_review_nothing_can_be_changed_but_looked_at() -> None:
    work = bench(read_only=True)
    edit = edits.set_count(work.design, "node", 4)
    with pytest.raises(EditError, match="open for review: nothing can be changed here"):
        work.apply(edit)
    assert work.design is TWO_NODES
    assert work.judge(edit).questions.analysis(work.request).gpus == 32


def test_a_design_is_dirty_until_it_is_saved_or_undone() -> None:
    work = bench()
    assert not work.dirty
    work.apply(edits.set_count(work.design, "node", 4))
    assert work.dirty
    work.mark_saved()
    assert not work.dirty
    assert work.saved_design == work.design
    work.undo()
    assert work.dirty
    work.redo()
    assert not work.dirty
    work.undo()
    work.apply(edits.set_count(work.design, "node", 4))  # the same by another way
    assert not work.dirty


def test_a_preview_tells_the_figures_and_changes_nothing() -> None:
    work = bench()
    work.apply(edits.set_count(work.design, "node", 4))
    work.undo()
    before = work.evaluated.analysis
    edit = edits.set_cables(work.design, 0, 4)
    assert work.judge(edit).questions.analysis(work.request).busbw_GBps == pytest.approx(
        192
    )  # 4 cables of 8
    assert work.design is TWO_NODES
    assert work.evaluated.analysis is before
    assert work.undone == ["node: count 4"]
    assert not work.dirty
    with pytest.raises(EditError):
        work.judge(edits.set_count(work.design, "node", 9))


FAULTY = Design(
    groups={
        "node": Group(part="dgx-h100", count=2),
        "leaf": Group(part="qm9700"),
        "old": Group(part="dgx-x100"),
    },
    links=(Link(between=("node.compute", "leaf")), Link(between=("old.compute", "leaf"))),
)


def test_a_design_opened_with_errors_still_has_figures_for_what_is_sound() -> None:
    work = bench(FAULTY)
    assert work.evaluated.analysis.gpus == 16
    assert work.evaluated.analysis.busbw_GBps == pytest.approx(384 * FAST_NODE_SHARE)
    assert {finding.where for finding in work.evaluated.analysis.findings} == {
        *("old", "links[1] old.compute - leaf"),
    }


def test_a_design_opened_with_errors_can_be_edited_and_mended() -> None:
    work = bench(FAULTY)
    work.apply(edits.set_count(work.design, "node", 4))
    assert work.evaluated.analysis.gpus == 32
    work.apply(edits.set_part(work.design, "old", "dgx-h100"))
    assert work.evaluated.analysis.findings == ()
    assert work.evaluated.analysis.gpus == 40


def test_a_design_opened_with_errors_takes_no_new_ones() -> None:
    work = bench(FAULTY)
    with pytest.raises(EditError, match="leaf: each QM9700"):
        work.apply(edits.set_count(work.design, "node", 9))
    with pytest.raises(EditError, match="the catalog has no part 'qm970'"):
        work.apply(edits.set_part(work.design, "leaf", "qm970"))
    assert work.design is FAULTY


def test_removing_what_is_wrong_moves_the_other_links_without_a_new_error() -> None:
    design = Design(**{**dict(FAULTY), "links": FAULTY.links[::-1]})
    work = bench(design)
    work.apply(edits.remove_link(work.design, 0))
    work.apply(edits.remove_group(work.design, "old"))
    assert work.evaluated.analysis.findings == ()


def test_a_cluster_can_be_built_from_nothing_step_by_step() -> None:
    work = bench(Design())
    assert [finding.code for finding in work.evaluated.analysis.findings] == ["no-gpus"]
    work.apply(edits.set_axis(work.design, "rail", 8))
    work.apply(edits.add_group(work.design, "dgx-h100", name="node", count=4))
    assert work.evaluated.analysis.busbw_GBps is None
    work.apply(edits.add_group(work.design, "qm9700", name="leaf", per=("rail",)))
    work.apply(edits.add_link(work.design, "node.compute", "leaf"))
    assert work.evaluated.analysis.busbw_GBps == pytest.approx(384 * FAST_NODE_SHARE)
    assert work.evaluated.analysis.findings == ()
    assert len(work.history) == 4


def test_an_edit_takes_the_place_of_the_last_step_or_takes_it_away() -> None:
    work = bench(Design())
    work.apply(edits.set_axis(work.design, "rail", 8))
    kept = work.steps[-1]
    work.apply(edits.set_axis(work.design, "rail", 4), instead_of=99)
    tried = work.steps[-1].number
    work.apply(edits.set_axis(work.design, "rail", 2), instead_of=tried)
    assert len(work.history) == 2 and work.steps[1] == kept
    assert work.steps[-1].number != tried
    work.apply(edits.set_axis(work.design, "rail", 8), instead_of=work.steps[-1].number)
    assert work.history == [kept.label] and work.design == kept.design
    # the first design of all stays, whatever its number
    work.go_to(0)
    work.apply(edits.set_axis(work.design, "rail", 3), instead_of=work.steps[0].number)
    assert len(work.history) == 1
