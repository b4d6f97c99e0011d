"""Saying which model the cluster is for, and how it is spread over the GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toposmith.tui.asking import Asking, Asks, Here, TextQuestion, ask, pick
from toposmith.tui.flows.workload_edit import workload_edit
from toposmith.tui.flows.workload_files import read_workload, write_workload
from toposmith.tui.flows.workload_run import ask_serving, ask_training
from toposmith.tui.questions import Choice
from toposmith.workloads.answers import (
    LAYOUT,
    WorkloadKind,
    layout_of,
    layout_problems,
    layout_words,
    model_of,
    model_words,
    proposed_model,
)
from toposmith.workloads.block import workload_of
from toposmith.workloads.config_json import block_of, read_config
from toposmith.workloads.model import WorkloadError, preset, preset_names

_OWN = "own"
_FILE = "file"
_HELD = "held"


def change_workload(here: Here) -> Asking:
    """Ask for model, layout and run, or for a file; the answer is the design's workload."""
    present = here.design.workload or {}
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
    kind = yield from pick("what is the cluster for?", choices, at, leads=True)
    if kind == "none":
        return workload_edit(here, None)
    if kind == "file":
        return (yield from read_workload(here))
    if kind == "write":
        return (yield from write_workload(here, present))
    return (yield from _ask_all(here, present, "serving" if kind == "serving" else "training"))


def _ask_all(here: Here, present: dict[str, Any], kind: WorkloadKind) -> Asking:
    model = yield from _ask_model(here, present, kind)
    block: dict[str, Any] = {**present, "model": model}
    block.pop("training", None)
    block.pop("serving", None)
    block.pop("layout", None)
    layout = {**_others(present), **(yield from _ask_layout(here, block, present))}
    if layout:
        block["layout"] = layout
    ask_run = ask_serving if kind == "serving" else ask_training
    run = yield from ask_run(here, block, dict(present.get(kind, {})))
    return workload_edit(here, {**block, kind: run})


def _ask_model(
    here: Here, present: Mapping[str, Any], kind: WorkloadKind
) -> Asks[str | dict[str, Any]]:
    """The name of a preset, the dimensions of a config.json, or those of one's own."""
    names = [
        Choice(name, f"{name}: {preset(name).parameters / 1e9:,.1f} B parameters")
        for name in preset_names()
    ]
    held = present.get("model", "")
    if isinstance(held, dict):
        name = held.get("name")
        names.append(Choice(_HELD, f"the current one: {name}" if name else "the current one"))
    names.append(Choice(_FILE, "another: read the config.json that comes with its weights"))
    names.append(Choice(_OWN, "another: its own dimensions, dense or with experts"))
    at = held if isinstance(held, str) else _HELD
    if not held:
        at = proposed_model(here.plan, here.catalog, kind) or ""
    chosen = yield from pick("which model?", names, at, typed=True)
    if chosen == _HELD:
        return dict(held)
    if chosen == _FILE:
        hint = "the file, or its folder; right arrow completes a name"
        return (
            yield from ask(TextQuestion("model from", "config.json", _read_model, hint, file=True))
        )
    if chosen != _OWN:
        return chosen
    example = "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocabulary=128256"
    hint = f"{example}; with experts also experts=8,active=2,expert_ffn=4096"
    return (yield from ask(TextQuestion("dimensions", model_words(held), model_of, hint)))


def _read_model(text: str) -> dict[str, Any]:
    """The dimensions of a model by its config.json."""
    return block_of(read_config(text.strip()))


def _ask_layout(
    here: Here, block: Mapping[str, Any], present: Mapping[str, Any]
) -> Asks[dict[str, Any]]:
    """The keys of a layout that divides model and cluster; none for the best that fits."""

    def read(text: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        given = layout_of(text)
        told = workload_of({"model": block["model"], "layout": {**_others(present), **given}})
        if problems := layout_problems(here.plan, told.model, told.layout):
            raise WorkloadError(problems)
        return given

    keys = f"{', '.join(LAYOUT)}; dp fills the cluster, ep lies inside cp x dp"
    hint = f"empty for the best that fits, or sizes such as tp=8,pp=4; {keys}"
    return (
        yield from ask(TextQuestion("layout", layout_words(present.get("layout", {})), read, hint))
    )


def _others(block: Mapping[str, Any]) -> dict[str, Any]:
    """What a layout says besides what is asked."""
    return {key: value for key, value in block.get("layout", {}).items() if key not in LAYOUT}
