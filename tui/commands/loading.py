"""From a design to its plan, with the parts at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.commands.edge import Refused

if TYPE_CHECKING:
    from catalog import Catalog
    from topology.design.document import Design
    from topology.fabric.plan import Plan


def load_parts() -> Catalog:
    """The catalog; refused with every fault of its files."""
    from catalog import CatalogError, load_catalog

    try:
        return load_catalog()
    except CatalogError as error:
        raise Refused(str(error)) from None


def plan_of(design: Design) -> tuple[Plan, Catalog]:
    """A design understood, and the catalog that it was understood with."""
    from topology.fabric.planning import plan_design

    known = load_parts()
    return plan_design(design, known), known
