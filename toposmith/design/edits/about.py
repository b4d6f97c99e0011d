"""Edits of a design's name, notes, communicator and routing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toposmith.design.document import Design, RoutingMode
from toposmith.design.edits.edit import Edit, altered, changed, group_of, with_group
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import EditError


def set_name(design: Design, name: str) -> Edit:
    """Give the design another name."""
    return Edit(changed(design, name=name), f"name the design {name!r}")


def set_note(design: Design, note: str | None, *, group: str | None = None) -> Edit:
    """Change the note of the design, or of one of its groups."""
    if group is None:
        return Edit(changed(design, note=note), "change the design's note")
    noted = altered(group_of(design, group), note=note)
    return Edit(with_group(design, group, noted), f"change the note of {group}")


def set_communicator(design: Design, block: Mapping[str, Any] | None) -> Edit:
    """Set the ``communicator:`` block; None removes it.

    A key whose value is None is left out.
    """
    given = {key: value for key, value in (block or {}).items() if value is not None}
    words = ", ".join(f"{key} {value}" for key, value in given.items()) or "world"
    return Edit(changed(design, communicator=given or None), f"communicator: {words}")


def set_routing(design: Design, mode: RoutingMode) -> Edit:
    """Set the routing of the switches (``routing:``).

    Raises
    ------
    EditError
        If its links do not allow that routing.
    """
    for _, text in routing_problems(design, mode):
        raise EditError(f"routing {mode}: {text}")
    return Edit(changed(design, routing=mode), f"routing: {mode}")
