"""Saying which model the cluster is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topology.design.edits import Edit
from topology.errors import SaveError, ToposmithError
from tui.desk import Desk
from tui.flows.filing import files_of, spared_words
from tui.questions import Choice, Question
from tui.widgets.path_suggester import PathSuggester

if TYPE_CHECKING:
    from topology.workloads.splitting import Split

DEFAULT_SEQUENCE = 4096
DEFAULT_BATCH = 1024
_OWN = "own"
_TARGETS = ("tpot_ms", "ttft_ms", "tokens_per_s", "requests_per_s")


async def change_workload(desk: Desk) -> None:
    """Ask for model, layout and run, or for a file; the answer is the design's workload."""
    present = desk.workbench.design.workload or {}
    choices = [
        Choice("training", "training: step time, MFU, days, what the network must give", "t"),
        Choice("serving", "serving: tokens per second, time to first token", "s"),
        Choice("file", "a workload from a file", "f"),
    ]
    if present:
        choices += [
            Choice("write", "write this workload to a file of its own", "w"),
            Choice("none", "nothing: take the workload out of the design", "n"),
        ]
    at = "serving" if "serving" in present else "training"
    kind = await desk.choose("what is the cluster for?", choices, at=at)
    if kind == "none":
        desk.make(workload_edit(desk, None))
    elif kind == "file":
        await _from_file(desk)
    elif kind == "write":
        await _to_file(desk, present)
    elif kind is not None:
        await _ask_all(desk, present, kind)


def take_layout(desk: Desk, split: Split) -> None:
    """Make a layout that was found the workload's."""
    present = dict(desk.workbench.design.workload or {})
    found = split.block.model_dump(mode="json", exclude_defaults=True)
    present["layout"] = {**found, "dp": split.dp}
    if desk.make(workload_edit(desk, present)):
        desk.say(f"the workload runs as {split} now")


def workload_edit(desk: Desk, block: dict[str, Any] | None) -> Edit:
    """The design with this workload; raises WorkloadError where it cannot be read."""
    from topology.workloads.block import workload_of

    if block is not None:
        told = workload_of(block)
        label = f"workload {told.model.name or 'of its own dimensions'}"
    else:
        label = "no workload"
    design = desk.workbench.design.model_copy(update={"workload": block})
    return Edit(design, label)


async def _ask_all(desk: Desk, present: dict[str, Any], kind: str) -> None:
    model = await _ask_model(desk, present)
    if model is None:
        return
    block: dict[str, Any] = {**present, "model": model}
    block.pop("training", None)
    block.pop("serving", None)
    layout = await _ask_layout(desk, block)
    if layout is None:
        return
    block["layout"] = {**_others(present), **layout}
    ask_run = _ask_serving if kind == "serving" else _ask_training
    run = await ask_run(desk, block, dict(present.get(kind, {})))
    if run is not None:
        desk.make(workload_edit(desk, {**block, kind: run}))


async def _ask_model(desk: Desk, present: Mapping[str, Any]) -> str | dict[str, Any] | None:
    """The name of a preset, or dimensions of one's own."""
    from topology.workloads.answers import model_of, model_words
    from topology.workloads.presets import preset, preset_names

    names = [
        Choice(name, f"{name}: {preset(name).parameters / 1e9:,.1f} B parameters")
        for name in preset_names()
    ]
    names.append(Choice(_OWN, "another: its own dimensions, dense or with experts"))
    held = present.get("model", "")
    at = held if isinstance(held, str) else _OWN
    chosen = await desk.find("which model?", names, at=at)
    if chosen != _OWN:
        return chosen
    example = "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocabulary=128256"
    text = await desk.ask(
        Question(
            "dimensions",
            model_words(held),
            f"{example}; with experts also experts=8,active=2,expert_ffn=4096",
            check=lambda text: _problem(lambda: model_of(text)),
        )
    )
    return None if text is None else model_of(text)


async def _ask_layout(desk: Desk, block: Mapping[str, Any]) -> dict[str, int] | None:
    """The sizes of a layout that divides model and cluster."""
    from topology.workloads.answers import SIZES, layout_problems, named_numbers
    from topology.workloads.block import workload_of
    from topology.workloads.fault import WorkloadError

    plan = desk.workbench.plan
    held = block.get("layout", {})
    words = [f"{size}={held[size]}" for size in SIZES if size in held]

    def read(text: str) -> dict[str, int]:
        sizes = named_numbers(text, SIZES, "tp=8")
        told = workload_of({"model": block["model"], "layout": {**_others(block), **sizes}})
        if problems := layout_problems(plan, told.model, told.layout):
            raise WorkloadError(problems)
        return sizes

    text = await desk.ask(
        Question(
            "layout",
            ",".join(words) or "tp=8",
            "tp, cp, pp, dp, ep, micro_batch, interleave, zero; dp fills the cluster, ep lies "
            "inside cp x dp",
            check=lambda text: _problem(lambda: read(text)),
        )
    )
    return None if text is None else read(text)


async def _ask_training(
    desk: Desk, block: Mapping[str, Any], held: dict[str, Any]
) -> dict[str, Any] | None:
    """Sequences, their length, precision and the tokens of the run."""
    from topology.workloads.answers import training_problems
    from topology.workloads.block import workload_of
    from topology.workloads.fault import WorkloadError

    plan = desk.workbench.plan

    def checked(sequence: int, batch: int | None = None) -> None:
        run = {"batch": batch or DEFAULT_BATCH, "sequence": sequence}
        told = workload_of({**block, "training": run})
        assert told.training is not None
        problems = training_problems(plan, told, told.training)
        if batch is None:
            problems = [each for each in problems if each.startswith("layout.cp:")]
        if problems:
            raise WorkloadError(problems)

    sequence = await _number(
        desk,
        "tokens of a sequence",
        held.get("sequence", DEFAULT_SEQUENCE),
        checked,
    )
    if sequence is None:
        return None
    batch = await _number(
        desk,
        "sequences of a step",
        held.get("batch", DEFAULT_BATCH),
        lambda size: checked(sequence, size),
        lambda size: workload_edit(
            desk, {**block, "training": {**held, "sequence": sequence, "batch": size}}
        ),
    )
    if batch is None:
        return None
    precision = await _ask_precision(desk, held)
    if precision is None:
        return None
    tokens = await desk.ask(
        Question(
            "tokens of the whole run",
            f"{held['tokens']:g}" if isinstance(held.get("tokens"), int | float) else "",
            "such as 15e12; empty where it does not matter",
            check=lambda text: _problem(lambda: _amount(text)),
        )
    )
    if tokens is None:
        return None
    run = {**held, "batch": batch, "sequence": sequence, "precision": precision}
    run.pop("tokens", None)
    if (amount := _amount(tokens)) is not None:
        run["tokens"] = amount
    return run


async def _ask_serving(
    desk: Desk, block: Mapping[str, Any], held: dict[str, Any]
) -> dict[str, Any] | None:
    """Prompt, answer, precision, where prompts are read, and what is wanted."""
    from topology.workloads.block import workload_of

    def checked(**values: object) -> None:
        workload_of({**block, "serving": {**held, **values}})

    prompt = await _number(
        desk, "tokens of a prompt", held.get("prompt", 2048), lambda size: checked(prompt=size)
    )
    if prompt is None:
        return None
    output = await _number(
        desk, "tokens of an answer", held.get("output", 256), lambda size: checked(output=size)
    )
    if output is None:
        return None
    run = {**held, "prompt": prompt, "output": output}
    precision = await _ask_precision(desk, held)
    if precision is None:
        return None
    where = await desk.choose(
        "where are prompts read?",
        [
            Choice("same", "on the GPUs that write answers", "s"),
            Choice("apart", "on other nodes; their caches go over the network", "o"),
        ],
        at="apart" if held.get("disaggregated") else "same",
    )
    if where is None:
        return None
    wanted = await desk.ask(
        Question(
            "targets",
            ",".join(f"{name}={held[name]:g}" for name in _TARGETS if name in held),
            "such as tpot_ms=50,ttft_ms=1000,tokens_per_s=20000,requests_per_s=40; may be empty",
            check=lambda text: _problem(lambda: checked(**_targets(text))),
        )
    )
    if wanted is None:
        return None
    run = {key: value for key, value in run.items() if key not in _TARGETS}
    return {**run, "precision": precision, "disaggregated": where == "apart", **_targets(wanted)}


async def _ask_precision(desk: Desk, held: Mapping[str, Any]) -> str | None:
    return await desk.choose(
        "in which precision?",
        [Choice("bf16", "bf16", "b"), Choice("fp8", "fp8, from H100 on", "f")],
        at=str(held.get("precision", "bf16")),
    )


async def _number(
    desk: Desk,
    label: str,
    proposed: object,
    judge: Callable[[int], None],
    edit: Callable[[int], Edit] | None = None,
) -> int | None:
    """A whole number that ``judge`` raises nothing at."""

    def read(text: str) -> int:
        if not (text.strip().isascii() and text.strip().isdigit()):
            raise ToposmithError("a whole number from 1 on is needed")
        judge(int(text))
        return int(text)

    answer = await desk.ask(
        Question(
            label,
            str(proposed),
            number=True,
            check=lambda text: _problem(lambda: read(text)),
            edit=None if edit is None else lambda text: edit(int(text)),
        )
    )
    return None if answer is None else int(answer)


async def _from_file(desk: Desk) -> None:
    """Take the workload of a file."""
    from topology.design.storage import load_text
    from topology.workloads.reading import parse_workload

    def read(text: str) -> dict[str, Any]:
        path = Path(text.strip()).expanduser()
        block = parse_workload(load_text(path)[0], str(path))
        workload_edit(desk, block)
        return block

    text = await desk.ask(
        Question(
            "workload from",
            "workload.yaml",
            "right arrow completes a name",
            suggester=PathSuggester(),
        )
    )
    if text is None:
        return
    try:
        desk.make(workload_edit(desk, read(text)))
    except ToposmithError as wrong:
        desk.say(" ".join(str(wrong).split()), "failed")


async def _to_file(desk: Desk, block: Mapping[str, Any]) -> None:
    """Write the workload to a file of its own; an existing one is not replaced unasked."""
    from topology.design.storage import save_file
    from topology.workloads.reading import workload_text

    text = await desk.ask(
        Question(
            "write the workload to",
            "workload.yaml",
            check=lambda text: spared_words(text.strip(), files_of(desk.session)),
            suggester=PathSuggester(),
        )
    )
    if text is None or not text.strip():
        return
    path = Path(text.strip()).expanduser()
    try:
        if path.exists():
            replaced = await desk.choose(
                f"{path} exists already",
                [Choice("replace", "replace it", "r"), Choice("keep", "keep it", "k")],
            )
            if replaced != "replace":
                return
        save_file(path, workload_text(block))
    except (SaveError, OSError, ValueError) as failed:
        desk.say(str(failed), "failed")
        return
    desk.say(f"wrote the workload to {path}")


def _others(block: Mapping[str, Any]) -> dict[str, Any]:
    """What a layout says besides its sizes."""
    from topology.workloads.answers import SIZES

    return {key: value for key, value in block.get("layout", {}).items() if key not in SIZES}


def _amount(text: str) -> float | None:
    """A number of tokens such as 15e12; None where nothing is given."""
    if not text.strip():
        return None
    try:
        amount = float(text.replace(",", ""))
    except ValueError:
        amount = 0.0
    if not 0 < amount <= 1e18:
        raise ToposmithError(f"{text!r} is no number of tokens, as in 15e12")
    return amount


def _targets(text: str) -> dict[str, float]:
    """Targets such as ``tpot_ms=50``."""
    found: dict[str, float] = {}
    for piece in text.replace(" ", ",").split(","):
        if not piece:
            continue
        name, _, number = piece.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if name not in _TARGETS or not 0 < value <= 1e18:
            words = f"none of {', '.join(_TARGETS)} with a number, as in tpot_ms=50"
            raise ToposmithError(f"{piece!r} is {words}")
        found[name] = value
    return found


def _problem(read: Callable[[], object]) -> str:
    """What is wrong with an answer, on one line; empty where nothing is."""
    try:
        read()
    except ToposmithError as wrong:
        return "; ".join(str(wrong).splitlines())
    return ""
