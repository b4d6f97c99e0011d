"""A change order: what has to hold, and where it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.synthesis.needs import floor_asked, read_floor
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.flows.review_flow import another_design
from toposmith.tui.questions import Question

if TYPE_CHECKING:
    from toposmith.tui.views.change_view import ChangeView


async def ask_floor(view: ChangeView, designer: Designer) -> None:
    """Ask which figures have to hold after every step and meanwhile."""
    text = await designer.questions.ask(
        Question(
            "GB/s of each GPU that have to hold, and GPUs that have to run",
            floor_asked(view.floor, view.least_gpus),
            "such as all_to_all=40 gpus=480; nothing to keep three quarters of all cables",
            check=lambda text: problem_of(lambda: read_floor(text.split())),
        )
    )
    if text is not None:
        view.hold(*read_floor(text.split()))
        designer.measurement.let_view_follow()


async def begin_elsewhere(view: ChangeView, designer: Designer) -> None:
    """Choose the design at which the steps begin."""
    chosen = await another_design(designer, "begin at")
    if chosen is not None:
        source, design = chosen
        view.begin_at(None if design is None else (source, design))
        designer.measurement.let_view_follow()
