"""Design GPU-cluster networks from Python, and read what they do to collectives.

>>> import toposmith
>>> cluster = toposmith.evaluate("hgx-a100-64gpu-roce-2to1")
>>> link = cluster.analysis.limiting[0].link

The page "From Python" of the documentation (``docs/python.md``) has examples. Submodules are
imported on first use.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.asked import Asked, AskedError
    from toposmith.catalog import Catalog, CatalogError, UnknownPart, load_catalog
    from toposmith.design import edits
    from toposmith.design.document import Design
    from toposmith.errors import DesignFileError, EditError, SaveError, ToposmithError
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.library import (
        differences,
        evaluate,
        failures,
        load,
        new,
        parse,
        save,
        to_dicts,
        to_networkx,
        to_pandas,
        to_polars,
    )
    from toposmith.review.revisions import RevisionError
    from toposmith.templates import TEMPLATES
    from toposmith.workloads.model import WorkloadError

__all__ = [
    "TEMPLATES",
    "Asked",
    "AskedError",
    "Catalog",
    "CatalogError",
    "Design",
    "DesignFileError",
    "EditError",
    "EvaluatedDesign",
    "Request",
    "RevisionError",
    "SaveError",
    "ToposmithError",
    "UnknownPart",
    "WorkloadError",
    "differences",
    "edits",
    "evaluate",
    "failures",
    "load",
    "load_catalog",
    "new",
    "parse",
    "save",
    "to_dicts",
    "to_networkx",
    "to_pandas",
    "to_polars",
]

_HOMES = {
    "Asked": "asked",
    "AskedError": "asked",
    "TEMPLATES": "templates",
    "Catalog": "catalog",
    "CatalogError": "catalog",
    "Design": "design.document",
    "DesignFileError": "errors",
    "EditError": "errors",
    "EvaluatedDesign": "evaluation",
    "Request": "analysis.request",
    "RevisionError": "review.revisions",
    "SaveError": "errors",
    "ToposmithError": "errors",
    "UnknownPart": "catalog",
    "WorkloadError": "workloads.model",
    "differences": "library",
    "evaluate": "library",
    "failures": "library",
    "load": "library",
    "load_catalog": "catalog",
    "new": "library",
    "parse": "library",
    "save": "library",
    "to_dicts": "library",
    "to_networkx": "library",
    "to_pandas": "library",
    "to_polars": "library",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import toposmith`` is fast."""
    # here: whoever only imports the package, such as the command, waits for nothing
    from toposmith.entry_points import load_plugins

    if name == "edits":
        return importlib.import_module("toposmith.design.edits")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'toposmith' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"toposmith.{home}"), name)
    for plugin in load_plugins():
        if plugin.fault:
            warnings.warn(plugin.words, stacklevel=2)
    return found


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
