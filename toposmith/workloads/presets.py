"""Models that come with the program, each a file with its source."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files

from pydantic import ValidationError

from toposmith.design.loader import plain_file
from toposmith.design.safe_text import shown, suggestion
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.model import Model

_FOLDER = files("toposmith.workloads") / "models"


@cache
def preset_names() -> tuple[str, ...]:
    """Their names, in order of the alphabet."""
    names = (file.name for file in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def is_file(name: str) -> bool:
    """Whether a model's name is that of a file, or of a folder: no preset has a slash or .json."""
    return name.lower().endswith(".json") or "/" in name or os.sep in name


@cache
def preset(name: str) -> Model:
    """The model of this name.

    Raises
    ------
    WorkloadError
        If there is none; names the nearest.
    """
    if is_file(name):
        text = "is a file; --model reads one, and e on the workload's page: a block has dimensions"
        raise WorkloadError([f"workload.model: {shown(name)} {text} or the name of a preset"])
    if name not in preset_names():
        words = suggestion(name, preset_names())
        # of a name that no file can have Path.is_dir raises
        is_folder = os.path.isdir(name)  # noqa: PTH112
        folder = f" (a folder with a config.json is written {name}/)" if is_folder else ""
        raise WorkloadError([f"workload.model: no model {shown(name)}; {words}{folder}"])
    file = _FOLDER / f"{name}.yaml"
    try:
        return Model.model_validate(plain_file(file.read_text("utf-8"), f"{name}.yaml").data)
    except ValidationError as wrong:  # pragma: no cover - the tests read every preset
        raise WorkloadError([f"{name}: {wrong}"]) from None
