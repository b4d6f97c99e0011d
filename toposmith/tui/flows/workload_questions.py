"""Saying which model the cluster is for, and how it is spread over the GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.flows.workload_edit import workload_edit
from toposmith.tui.flows.workload_files import read_workload, write_workload
from toposmith.tui.flows.workload_run import ask_serving, ask_training
from toposmith.tui.questions import Choice, Question
from toposmith.workloads.answers import (
    LAYOUT,
    layout_of,
    layout_problems,
    layout_words,
    model_of,
    model_words,
)
from toposmith.workloads.block import workload_of
from toposmith.workloads.config_json import block_of, read_config
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.presets import preset, preset_names
from toposmith.workloads.starting_workloads import (
    WorkloadKind,
    fits,
    proposed_layout,
    proposed_model,
)

_OWN = "own"
_FILE = "file"
_HELD = "held"


async def change_workload(designer: Designer) -> None:
    """Ask for model, layout and run, or for a file; the answer is the design's workload."""
    present = designer.editing.design.workload or {}
    choices = [
        Choice("training", "training: step time, MFU, days, what the network must give", "t"),
        Choice("serving", "serving: tokens per second, time to first token", "s"),
        Choice("file", "a workload from a file", "f"),
    ]
    if present:
        choices += [
            Choice("write", "write this workload to a separate file", "w"),
            Choice("none", "nothing: take the workload out of the design", "n"),
        ]
    at = "serving" if "serving" in present else "training"
    kind = await designer.questions.choose("what is the cluster for?", choices, at=at)
    if kind == "none":
        designer.editing.make(workload_edit(designer, None))
    elif kind == "file":
        await read_workload(designer)
    elif kind == "write":
        await write_workload(designer, present)
    elif kind is not None:
        await _ask_all(designer, present, "serving" if kind == "serving" else "training")


async def _ask_all(designer: Designer, present: dict[str, Any], kind: WorkloadKind) -> None:
    model = await _ask_model(designer, present, kind)
    if model is None:
        return
    block: dict[str, Any] = {**present, "model": model}
    block.pop("training", None)
    block.pop("serving", None)
    layout = await _ask_layout(designer, block, kind)
    if layout is None:
        return
    block["layout"] = {**_others(present), **layout}
    ask_run = ask_serving if kind == "serving" else ask_training
    run = await ask_run(designer, block, dict(present.get(kind, {})))
    if run is not None:
        designer.editing.make(workload_edit(designer, {**block, kind: run}))


async def _ask_model(
    designer: Designer, present: Mapping[str, Any], kind: WorkloadKind
) -> str | dict[str, Any] | None:
    """The name of a preset, the dimensions of a config.json, or those of one's own."""
    names = [
        Choice(name, f"{name}: {preset(name).parameters / 1e9:,.1f} B parameters")
        for name in preset_names()
    ]
    held = present.get("model", "")
    if isinstance(held, dict):
        name = held.get("name")
        names.append(Choice(_HELD, f"as it is now: {name}" if name else "as it is now"))
    names.append(Choice(_FILE, "another: read the config.json that comes with its weights"))
    names.append(Choice(_OWN, "another: its own dimensions, dense or with experts"))
    at = held if isinstance(held, str) else _HELD
    if not held:
        bench = designer.editing.workbench
        at = proposed_model(bench.plan, bench.catalog, kind) or ""
    chosen = await designer.questions.find("which model?", names, at=at)
    if chosen == _HELD:
        return dict(held)
    if chosen == _FILE:
        return await _read_model(designer)
    if chosen != _OWN:
        return chosen
    example = "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocabulary=128256"
    text = await designer.questions.ask(
        Question(
            "dimensions",
            model_words(held),
            f"{example}; with experts also experts=8,active=2,expert_ffn=4096",
            check=lambda text: problem_of(lambda: model_of(text)),
        )
    )
    return None if text is None else model_of(text)


async def _read_model(designer: Designer) -> dict[str, Any] | None:
    """The dimensions of a model by its config.json."""
    text = await designer.questions.ask(
        Question(
            "model from",
            "config.json",
            "the file, or its folder; right arrow completes a name",
            check=lambda text: problem_of(lambda: read_config(text.strip())),
            file=True,
        )
    )
    return None if text is None else block_of(read_config(text.strip()))


async def _ask_layout(
    designer: Designer, block: Mapping[str, Any], kind: WorkloadKind
) -> dict[str, Any] | None:
    """The keys of a layout that divides model and cluster."""
    plan, catalog = designer.editing.workbench.plan, designer.editing.workbench.catalog
    held = block.get("layout", {})
    if not fits(plan, catalog, block["model"], held or {"tp": 8}, kind):
        held = proposed_layout(plan, catalog, block["model"], kind) or held

    def read(text: str) -> dict[str, Any]:
        given = layout_of(text)
        told = workload_of({"model": block["model"], "layout": {**_others(block), **given}})
        if problems := layout_problems(plan, told.model, told.layout):
            raise WorkloadError(problems)
        return given

    text = await designer.questions.ask(
        Question(
            "layout",
            layout_words(held) or "tp=8",
            f"{', '.join(LAYOUT)}; dp fills the cluster, ep lies inside cp x dp",
            check=lambda text: problem_of(lambda: read(text)),
        )
    )
    return None if text is None else read(text)


def _others(block: Mapping[str, Any]) -> dict[str, Any]:
    """What a layout says besides what is asked."""
    return {key: value for key, value in block.get("layout", {}).items() if key not in LAYOUT}
