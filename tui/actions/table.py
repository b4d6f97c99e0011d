"""Every action of the app, once.

Key bindings, footer, command palette and help are all made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.binding import Binding, BindingType

from toposmith.tui.actions.app import APP
from toposmith.tui.actions.building import BUILDING
from toposmith.tui.actions.definition import Action, Place
from toposmith.tui.actions.figures import FIGURES, WORKLOADS
from toposmith.tui.actions.files import FILES
from toposmith.tui.actions.parts import PARTS
from toposmith.tui.actions.reviewing import REVIEWING

ROOMS: dict[str, tuple[Action, ...]] = {
    "build": BUILDING,
    "figures": FIGURES,
    "review": REVIEWING,
    "workload": WORKLOADS,
    "parts": PARTS,
    "files": FILES,
    "the app": APP,
}
"""What the actions are about, in the order of help and of the footer."""

ACTIONS: tuple[Action, ...] = tuple(one for room in ROOMS.values() for one in room)

_BY_ID = {action.id: action for action in ACTIONS}


def use_keys(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give actions other keys than their usual ones, in everything that is made from the list."""
    _BY_ID.update({one.id: replace(one, keys=keys.get(one.id, one.keys)) for one in ACTIONS})


def action(action_id: str) -> Action:
    """Return the action of this id."""
    return _BY_ID[action_id]


def actions_of(place: Place) -> list[Action]:
    """Return what can be done on a screen, in the order of the table."""
    return [one for room in rooms_of(place).values() for one in room]


def rooms_of(place: Place) -> dict[str, list[Action]]:
    """Return what can be done on a screen, by what it is about."""
    here = {
        title: [_BY_ID[one.id] for one in room if place in one.where]
        for title, room in ROOMS.items()
    }
    return {title: room for title, room in here.items() if room}


def bindings_of(place: Place) -> list[BindingType]:
    """Key bindings of a screen; each has the action's id, so that it can be remapped."""
    return [
        Binding(
            ",".join(action.keys),
            f"do('{action.id}')",
            action.label,
            show=action.rank > 0,
            tooltip=action.help,
            id=f"{place}.{action.id}",
        )
        for action in actions_of(place)
    ]
