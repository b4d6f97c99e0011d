"""Growth in steps: what has to hold, where it begins, and the fabric after a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.design.edits import Edit
from toposmith.synthesis.needs import floor_asked, read_floor
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.flows.review_flow import another_design
from toposmith.tui.flows.search_results import take
from toposmith.tui.questions import Question

if TYPE_CHECKING:
    from toposmith.synthesis.growth_plan import Growth
    from toposmith.tui.views.growth_view import GrowthView


async def ask_floor(view: GrowthView, designer: Designer) -> None:
    """Ask which figures have to hold after every step and meanwhile."""
    text = await designer.questions.ask(
        Question(
            "GB/s of each GPU that have to hold, and GPUs that have to run",
            floor_asked(view.floor, view.least_gpus),
            "such as all_to_all=40 gpus=480; nothing for the highest that an order of steps keeps",
            check=lambda text: problem_of(lambda: read_floor(text.split())),
        )
    )
    if text is not None:
        view.hold(*read_floor(text.split()))
        designer.measurement.let_view_follow()


async def begin_elsewhere(view: GrowthView, designer: Designer) -> None:
    """Choose the design at which the steps begin."""
    chosen = await another_design(designer, "begin at")
    if chosen is not None:
        source, design = chosen
        view.begin_at(None if design is None else (source, design))
        designer.measurement.let_view_follow()


async def show_step(found: Growth, at: int, designer: Designer) -> None:
    """Preview the fabric as it is cabled after a step."""
    step = found.steps[at]
    design = step.written()
    if design is None:
        designer.messages.say(
            "no file can describe the cables after this step; its figures are shown", "hint"
        )
        return
    await take(designer, Edit(design, f"step {at + 1}: {step.words}"))
