"""Every action of the app, once.

Key bindings, footer, command palette and help are all made from this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from textual.binding import Binding, BindingType

from toposmith.tui.actions.app import APP
from toposmith.tui.actions.building import BUILDING
from toposmith.tui.actions.definition import Action, Place
from toposmith.tui.actions.figures import FIGURES
from toposmith.tui.actions.files import FILES
from toposmith.tui.actions.parts import PARTS
from toposmith.tui.actions.reviewing import REVIEWING

SECTIONS: dict[str, tuple[Action, ...]] = {
    "build": BUILDING,
    "figures": FIGURES,
    "review": REVIEWING,
    "workload": (),
    "parts": PARTS,
    "files": FILES,
    "the app": APP,
}
"""What the actions are about, in the order of help and of the footer.

Those that turn to a view stand in the list of views and join when keys are asked for, so that a
program of one's own can add to that list.
"""

_chosen_keys: dict[str, tuple[str, ...]] = {}
_AT_ONCE = {one.id: one for section in SECTIONS.values() for one in section}


def use_keys(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give actions other keys than their usual ones, in everything that is made from the list."""
    _chosen_keys.clear()
    _chosen_keys.update(keys)
    _sections.cache_clear()


def all_actions() -> tuple[Action, ...]:
    """Every action of the app with its usual keys."""
    return tuple(one for section in _all_sections().values() for one in section)


def action(action_id: str) -> Action:
    """Return the action of this id."""
    if action_id in _AT_ONCE:
        return _with_keys(_AT_ONCE[action_id])
    return next(one for one in actions_of("designer") if one.id == action_id)


def actions_of(place: Place) -> list[Action]:
    """Return what can be done on a screen, in the order of the table."""
    return [one for section in _sections(place).values() for one in section]


def sections_of(place: Place) -> dict[str, list[Action]]:
    """Return what can be done on a screen, by what it is about."""
    return _sections(place)


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


@cache
def _sections(place: Place) -> dict[str, list[Action]]:
    sections: Mapping[str, Iterable[Action]] = SECTIONS if place == "welcome" else _all_sections()
    here = {
        title: [_with_keys(one) for one in section if place in one.where]
        for title, section in sections.items()
    }
    return {title: section for title, section in here.items() if section}


@cache
def _all_sections() -> dict[str, list[Action]]:
    """All actions by what they are about, those of the views among them."""
    from toposmith.tui.views.registered import VIEWS

    sections = {title: list(section) for title, section in SECTIONS.items()}
    for action in (view.action for view in VIEWS):
        section = sections.setdefault(action.section, [])
        ids = [one.id for one in section]
        at = ids.index(action.before) if action.before in ids else len(section)
        section.insert(at, action)
    return sections


def _with_keys(one: Action) -> Action:
    keys = _chosen_keys.get(one.id)
    return one if keys is None else replace(one, keys=keys)
