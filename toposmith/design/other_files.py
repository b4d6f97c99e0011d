"""Files beside designs that are not designs, recognized by how they begin."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BEGINNINGS = (
    ("<!doctype html", "an HTML page, such as an exported report"),
    ("<html", "an HTML page, such as an exported report"),
    ("<svg", "a drawing (SVG)"),
    ("<graphml", "a graph (GraphML)"),
    ("<system", "an NCCL topology file"),
    ("graph ", "a graph (Graphviz)"),
    ("# bill of materials", "a bill of materials (Markdown)"),
)

_KEYS = {
    "toposmith_bill": "a bill of materials",
    "bomFormat": "a bill of materials (CycloneDX)",
    "toposmith-review": "a review of a design",
}


def foreign_text(text: str) -> str | None:
    """The kind of a text that is no YAML: a page, a drawing, a graph; None for all else."""
    body = text.lstrip("\ufeff \t\r\n")
    if body.startswith("<?xml"):
        body = body.partition("?>")[2].lstrip()
    head = body[:40].lower()
    if head.startswith("<!doctype svg"):
        return "a drawing (SVG)"
    return next((kind for begins, kind in _BEGINNINGS if head.startswith(begins)), None)


def foreign_keys(data: Mapping[str, Any]) -> str | None:
    """The kind of a Toposmith file that is no design, by its first key; None for all else."""
    if "toposmith" in data:
        return None
    return next((kind for key, kind in _KEYS.items() if key in data), None)


BESIDE = (".bom.yaml", ".policy.yaml")
"""Ends of the names of files beside designs that are not designs."""


def designs_in(folder: Path) -> list[Path]:
    """The design files of a folder by name; raises OSError where it cannot be read."""
    inside = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))
    return [path for path in inside if not path.name.endswith(BESIDE)]
