"""Saying which model the cluster is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from topology.design.edits import Edit
from topology.errors import ToposmithError
from tui.desk import Desk
from tui.widgets.question_panel import Choice, Question

if TYPE_CHECKING:
    from topology.workloads.splitting import Split

DEFAULT_SEQUENCE = 4096
DEFAULT_BATCH = 1024


async def change_workload(desk: Desk) -> None:
    """Ask for model, layout and batch; the answer is the design's workload."""
    from topology.workloads.presets import preset, preset_names

    present = desk.workbench.design.workload or {}
    kind = await desk.choose(
        "what is the cluster for?",
        [
            Choice("training", "training: step time, MFU, days, what the network must give", "t"),
            Choice("serving", "serving: tokens per second, time to first token", "s"),
            Choice("none", "nothing: take the workload out of the design", "n"),
        ],
        at="serving" if "serving" in present else "training",
    )
    if kind is None:
        return
    if kind == "none":
        desk.make(workload_edit(desk, None))
        return
    names = [
        Choice(name, f"{name}: {preset(name).parameters / 1e9:,.1f} B parameters")
        for name in preset_names()
    ]
    model = await desk.choose("which model?", names, at=_name_of(present))
    if model is None:
        return
    block: dict[str, Any] = {**present, "model": model}
    block.pop("training", None)
    block.pop("serving", None)
    layout = await desk.ask(
        Question(
            "layout",
            _layout_words(present),
            "sizes of tp, cp, pp, dp, ep: dp fills the cluster if it is not given",
            check=lambda text: _problem(lambda: _layout_of(text)),
        )
    )
    if layout is None:
        return
    block["layout"] = {**_others(present), **_layout_of(layout)}
    if kind == "serving":
        block["serving"] = present.get("serving", {})
        desk.make(workload_edit(desk, block))
        return
    training = dict(present.get("training", {}))
    batch = await desk.ask(
        Question("sequences of a step", str(training.get("batch", DEFAULT_BATCH)), number=True)
    )
    if batch is None:
        return
    sequence = await desk.ask(
        Question(
            "tokens of a sequence", str(training.get("sequence", DEFAULT_SEQUENCE)), number=True
        )
    )
    if sequence is None:
        return
    block["training"] = {**training, "batch": int(batch), "sequence": int(sequence)}
    desk.make(workload_edit(desk, block))


def take_layout(desk: Desk, split: Split) -> None:
    """Make a layout that was found the workload's."""
    present = dict(desk.workbench.design.workload or {})
    found = split.block.model_dump(mode="json", exclude_defaults=True)
    present["layout"] = {**found, "dp": split.dp}
    if desk.make(workload_edit(desk, present)):
        desk.say(f"the workload runs as {split} now")


def workload_edit(desk: Desk, block: dict[str, Any] | None) -> Edit:
    """The design with this workload; raises EditError where it cannot be read."""
    from topology.workloads.block import workload_of

    if block is not None:
        told = workload_of(block)
        label = f"workload {told.model.name or block['model']}"
    else:
        label = "no workload"
    design = desk.workbench.design.model_copy(update={"workload": block})
    return Edit(design, label)


def _name_of(block: dict[str, Any]) -> str:
    model = block.get("model", "")
    return model if isinstance(model, str) else ""


def _layout_words(block: dict[str, Any]) -> str:
    layout = block.get("layout", {})
    sizes = [f"{axis}={layout[axis]}" for axis in _AXES if axis in layout]
    return ",".join(sizes) or "tp=8"


_AXES = ("tp", "cp", "pp", "dp", "ep")


def _others(block: dict[str, Any]) -> dict[str, Any]:
    """What a layout says besides its sizes."""
    return {key: value for key, value in block.get("layout", {}).items() if key not in _AXES}


def _layout_of(text: str) -> dict[str, int]:
    """Sizes such as ``tp=8,pp=4``; raises ToposmithError where that is none."""
    sizes: dict[str, int] = {}
    for piece in text.replace(" ", ",").split(","):
        if not piece:
            continue
        axis, equals, size = piece.partition("=")
        if axis not in _AXES or not equals or not size.isdigit() or int(size) < 1:
            raise ToposmithError(f"{piece!r} is none of {', '.join(_AXES)} with a size, as in tp=8")
        sizes[axis] = int(size)
    return sizes


def _problem(read: Callable[[], object]) -> str:
    try:
        read()
    except ToposmithError as wrong:
        return str(wrong)
    return ""
