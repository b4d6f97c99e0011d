"""The page of the model's constants: values, and sources as their docstrings have them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

from docs.reference.tables import MADE, table
from toposmith.nccl.nccl_version import NcclVersion

MODULES = {
    "Collectives": (
        "toposmith.analysis.prediction.calibration",
        "toposmith.analysis.prediction.plugins",
        "toposmith.analysis.traffic.trees",
    ),
    "NCCL": ("toposmith.nccl.constants", "toposmith.nccl.nvls_loops"),
    "Cables, ports and slots": (
        "toposmith.analysis.prediction.payload",
        "toposmith.analysis.prediction.path_latency",
        "toposmith.analysis.prediction.propagation",
        "toposmith.analysis.traffic.spread_shortfall",
        "toposmith.fabric.inside",
    ),
    "Training and serving": (
        "toposmith.workloads.accelerator",
        "toposmith.workloads.kernels",
        "toposmith.workloads.communications",
        "toposmith.workloads.memory",
        "toposmith.workloads.storage_demand",
    ),
}
"""The modules whose constants the figures rest on, by subject."""


def _assigned(statement: ast.stmt) -> str | None:
    """The public constant that a statement assigns."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    named = isinstance(target, ast.Name) and target.id.isupper() and target.id[0] != "_"
    return target.id if named and isinstance(target, ast.Name) else None


def documented(module: ModuleType) -> Iterator[tuple[list[str], str]]:
    """The public constants of a module, those that share a docstring together, with it."""
    names: list[str] = []
    for statement in ast.parse(inspect.getsource(module)).body:
        name = _assigned(statement)
        if name is not None:
            names.append(name)
            continue
        value = statement.value if isinstance(statement, ast.Expr) else None
        if names and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield names, value.value
        names = []


def _shown(value: object) -> str | None:
    """A number, or a table of numbers, as text; None for what is neither."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    if isinstance(value, NcclVersion):
        return str(value)
    if isinstance(value, tuple | list) and value:
        parts = [_shown(each) for each in value]
        joint = " to " if len(parts) == 2 else ", "  # a range, or several values
        return None if None in parts else joint.join(str(each) for each in parts)
    if isinstance(value, dict) and value:
        parts = [f"{key}: {_shown(each)}" for key, each in value.items() if _shown(each)]
        return "; ".join(parts) if len(parts) == len(value) else None
    return None


def _rows(module: ModuleType) -> Iterator[tuple[str, str]]:
    for names, words in documented(module):
        values = {name: _shown(getattr(module, name)) for name in names}
        if all(values.values()):
            plain = re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", words).replace("``", "`")
            shown = ", ".join(f"`{name}` {value}" for name, value in values.items())
            yield shown, plain


def constants_page() -> str:
    """Every constant that figures rest on, with what it is and where it is from."""
    lines = [MADE, "", "# Every constant of the model", ""]
    lines += ["How they are used: [the model](model.md), [workloads](workloads.md).", ""]
    for subject, modules in MODULES.items():
        lines += [f"## {subject}", ""]
        rows = [row for name in modules for row in _rows(importlib.import_module(name))]
        lines += table(("constant", "what it is, and where from"), rows)
    return "\n".join(lines)
