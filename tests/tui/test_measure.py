"""What is measured is set in a panel; every change that makes sense holds at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.tui.conftest import TWO_TIER
from tests.tui.person import OpenApp, Person
from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.summary import assumptions
from toposmith.collectives import COLLECTIVES
from toposmith.tui.figures.measure_fields import FIELDS
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import FIELD_BY_ID, MeasurePanel

KNOWN = tuple(COLLECTIVES)


async def go_to(person: Person, field: str) -> None:
    """Go to a field of the panel by keys."""
    request = person.designer.workbench.request
    shown = [each.id for each in FIELDS if each.counts(request)]
    await person.press_at_once(*["up"] * len(shown), *["down"] * shown.index(field))
    focused = person.designer.focused
    assert focused is not None
    assert focused.id == f"measure-{field}"


def busbw(person: Person) -> float | None:
    """The figure that the live panel shows."""
    analysis = person.designer._figures.analysis
    return None if analysis is None else analysis.busbw_GBps


def engine(person: Person, request: Request) -> float | None:
    """What the engine says about the design on the screen."""
    bench = person.designer.workbench
    return analyse(bench.plan, bench.catalog, request).busbw_GBps


async def test_a_typed_size_is_measured_at_once(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("M")
        await go_to(person, "size")
        await person.type("4MiB")
        assert person.designer.workbench.request.message_bytes == 4 * 2**20
        assert "all-reduce busbw, 4 MiB" in person.seen()
        assert busbw(person) == engine(person, Request(message_bytes=4 * 2**20))


async def test_a_layout_brings_its_groups_and_their_figure(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("M")
        await go_to(person, "layout")
        await person.type("tp=4,dp=16")
        layout = parse_layout("tp=4,dp=16")
        assert busbw(person) == engine(person, Request(job=Job(layout)))
        assert "usual, dp" in person.seen()
        await go_to(person, "group")
        await person.press("right")
        assert person.designer.workbench.request.job.kind == "tp"
        assert "tp of 4" in person.seen()
        assert busbw(person) == engine(person, Request(job=Job(layout, "tp")))
        await go_to(person, "placement")
        await person.press("right")
        assert person.designer.workbench.request.job.placement == "striped"


async def test_what_makes_no_sense_is_said_below_its_field(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        for field, text, says in (
            ("size", "much", "no size of 1 byte to 1024 TiB"),
            ("size", "0", "no size"),
            ("layout", "tp=8,zp=2", "no parallel dimension"),
            ("layout", "tp=7", "does not divide the 64 there are"),
            ("nccl", "3.0", "no NCCL release from 2.18"),
        ):
            await person.press("M")
            await go_to(person, field)
            assert says not in " ".join(person.seen().split())
            await person.type(text)
            lines = person.seen().splitlines()
            (row,) = [y for y, line in enumerate(lines) if FIELD_BY_ID[field].label in line][:1]
            below = " ".join(
                line.partition("│")[2].partition("│")[0] for line in lines[row + 1 : row + 6]
            )
            assert says in " ".join(below.split())
            await person.press("escape")


async def test_a_field_further_down_styles_the_fields_anew_and_not_the_whole_panel(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    styled: list[DOMNode] = []
    apply = Stylesheet.apply

    def noted(sheet: Stylesheet, node: DOMNode, **options: Any) -> None:
        styled.append(node)
        apply(sheet, node, **options)

    async with open_app(two_tier) as person:
        panel = person.designer.query_one(MeasurePanel)
        blurred = panel.styles.border
        await person.press("M")
        assert panel.styles.border != blurred, "its frame says where the keys go"
        monkeypatch.setattr(Stylesheet, "apply", noted)
        await person.press("down")
        assert person.designer.focused in styled
        assert len(styled) < 10, styled
        await person.press("escape")
        assert panel.styles.border == blurred


async def test_a_wrong_text_measures_nothing_and_is_forgotten_by_escape(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        before = person.designer.workbench.request
        await person.press("M")
        await go_to(person, "nccl")
        await person.answer("9")
        assert person.designer.measuring, "enter does not leave what makes no sense"
        assert person.designer.workbench.request == before
        await person.press("escape", "M")
        assert "no NCCL release" not in person.seen()
        assert str(before.version) in person.seen()


async def test_fields_that_make_no_difference_are_not_there(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("M")
        seen = person.seen()
        assert all(word not in seen for word in ("seed", "queue pairs", "group", "exact bound"))
        await go_to(person, "placement")
        await person.press("left")
        assert "seed" in person.seen()
        await go_to(person, "routing")
        await person.press("right", "right")
        assert "queue pairs" in person.seen()
        await go_to(person, "queue_pairs")
        await person.type("16")
        assert person.designer.workbench.request.routing.queue_pairs == 16


async def test_a_routing_is_a_step_of_the_design_and_one_that_it_cannot_have_is_not(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        await person.press("M")
        await go_to(person, "routing")
        await person.press("right", "right")
        assert (bench.design.routing, bench.request.routing.mode) == ("static", "static")
        # what was gone through on the way is no step
        assert bench.history == ["routing: static"]
        await person.press("right")
        assert bench.design.routing == "static"
        assert "detours" in person.seen()
        await person.press("escape")
        assert bench.request.routing.mode == "static"
        await person.press("M")
        await go_to(person, "routing")
        await person.press("left", "escape")
        assert bench.history == ["routing: static", "routing: adaptive"]
        await person.press("u")
        assert (bench.design.routing, bench.request.routing.mode) == ("static", "static")
        await person.press("s")
        assert "routing: static" in two_tier.read_text()


async def test_routings_gone_through_leave_the_steps_before_them(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        await person.press("+")
        before = bench.history
        await person.press("M")
        await go_to(person, "routing")
        await person.press("right", "left", "right", "left", "escape")
        assert bench.history[: len(before)] == before
        assert len(bench.history) <= len(before) + 1


@pytest.mark.parametrize("field", [field for field in FIELDS if field.choices], ids=lambda f: f.id)
def test_every_choice_is_one_that_can_be_made(field) -> None:  # type: ignore[no-untyped-def]
    request = replace(Request("all_to_all"), job=Job(parse_layout("tp=8,dp=4")))
    assert field.value(request) in field.choices(request)
    for value in field.choices(request):
        assert field.value(field.set(request, value)) == value


async def test_the_collective_goes_round_by_m_and_is_chosen_in_the_panel(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        gone_through = []
        for _ in COLLECTIVES:
            await person.press("m")
            gone_through.append(bench.request.collective)
        assert gone_through == [*KNOWN[1:], KNOWN[0]]
        await person.press("M", "left")
        assert bench.request.collective == KNOWN[-1]
        assert "send/recv busbw" in person.seen()


async def test_the_mouse_changes_fields_too(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("M")
        await person.pilot.click("#measure-sharp", offset=(4, 0))
        await person.settle()
        assert person.designer.workbench.request.sharp
        await person.pilot.click("#measure-collective", offset=(0, 0))
        await person.settle()
        assert person.designer.workbench.request.collective == KNOWN[-1]


async def test_the_panel_and_the_live_figures_are_in_sight_together(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("M")
        screen = person.designer
        panel, live = screen.query_one(MeasurePanel), screen.query_one(LivePanel)
        for size in ((80, 24), (120, 36), (200, 50)):
            await person.resize(size)
            assert panel.region.width >= 36, size
            assert not panel.region.overlaps(live.region), size
            assert live.region.width >= 26, size
            seen = person.seen()
            assert "GB/s per GPU" in seen, size
            assert all(f.label in seen for f in FIELDS if f.counts(screen.workbench.request)), size
        await person.press("escape")
        assert not panel.region.area
        assert screen.focused is screen.canvas


async def test_enter_is_done_and_the_keys_go_back_to_the_canvas(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("M", "enter")
        assert not person.designer.measuring
        assert person.designer.focused is person.designer.canvas
        await person.press("M", "M")
        assert not person.designer.measuring, "the key that opens it closes it"


async def test_the_job_of_a_design_is_measured_from_the_beginning(
    open_app: OpenApp, work_dir: Path
) -> None:
    path = work_dir / "job.yaml"
    path.write_text(f"{TWO_TIER}communicator: {{layout: 'tp=8,dp=8', group: tp}}\n")
    async with open_app(path) as person:
        assert person.designer.workbench.request.job == Job(parse_layout("tp=8,dp=8"), "tp")
        assert "tp of 8, 8 at once" in person.seen()


async def test_a_wrong_block_of_a_design_is_a_finding_and_the_world_is_measured(
    open_app: OpenApp, work_dir: Path
) -> None:
    path = work_dir / "job.yaml"
    path.write_text(f"{TWO_TIER}communicator: {{layout: tp=x}}\n")
    async with open_app(path) as person:
        assert person.designer.workbench.request.job == Job()
        assert busbw(person) is not None
        await person.press("f")
        assert "'tp=x': the size of tp is a whole number" in person.seen()


P4D = """\
toposmith: 2
name: Two p4d
groups:
  node: {part: p4d-24xlarge, count: 2}
  leaf: {part: sn4600c}
links:
  - {between: [node.compute, leaf]}
"""


async def test_protocols_that_a_plugin_leaves_out_are_taken_by_m(
    open_app: OpenApp, tmp_path: Path
) -> None:
    design = tmp_path / "p4d.yaml"
    design.write_text(P4D, encoding="utf-8")
    small = Request(message_bytes=2**20)
    async with open_app(design) as person:
        await person.press("M")
        await go_to(person, "size")
        await person.type("1MiB")
        left = busbw(person)
        assert left == engine(person, small)
        await go_to(person, "protocol")
        # back from NCCL's choice to the last one
        await person.press("left")
        assert person.designer.workbench.request.protocol == "ll,ll128,simple"
        assert "all of them" in person.seen()
        assert (busbw(person) or 0) > (left or 0)
        await person.press("right")
        assert person.designer.workbench.request.protocol is None
        assert busbw(person) == left


async def test_a_chosen_protocol_holds_for_the_collective_beside(
    open_app: OpenApp, two_tier: Path
) -> None:
    asked = Request(message_bytes=2**30)
    async with open_app(two_tier) as person:
        await person.press("M")
        await go_to(person, "size")
        await person.type("1GiB")
        await go_to(person, "protocol")
        seen = set()
        for protocol in ("ll", "ll128", "simple"):
            await person.press("right")
            now = replace(asked, protocol=protocol)
            assert person.designer.workbench.request == now
            beside = person.designer._figures.beside
            assert beside is not None
            assert beside.busbw_GBps == engine(person, replace(now, collective="all_to_all"))
            seen.add(beside.busbw_GBps)
            refused = "Simple, not by LL128" in person.seen()
            assert refused == (protocol == "ll128"), "unknown says why"
        assert len(seen) == 3
        await go_to(person, "collective")
        await person.press("left", "left")
        assert person.designer.workbench.request.collective == "all_to_all"
        await go_to(person, "protocol")
        await person.press("left", "left")
        beside = person.designer._figures.beside
        assert beside is not None
        assert beside.busbw_GBps == engine(person, replace(asked, protocol="ll"))


@pytest.mark.parametrize("collective", ["all_reduce", "all_to_all", "send_recv"])
def test_a_protocol_that_changes_a_figure_is_said_with_it(collective: Collective) -> None:
    assert "LL only" in assumptions(Request(collective=collective, protocol="ll"))
