"""Every action of the app, once.

Key bindings, footer, command palette and help are all made from this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product

from textual.binding import Binding, BindingType

from toposmith.tui.actions.app_actions import APP
from toposmith.tui.actions.build_actions import BUILDING
from toposmith.tui.actions.definition import Action, ActionScreen
from toposmith.tui.actions.file_actions import FILES
from toposmith.tui.actions.measure_actions import FIGURES
from toposmith.tui.actions.part_actions import PARTS
from toposmith.tui.actions.registered import VIEWS
from toposmith.tui.actions.review_actions import REVIEWING
from toposmith.tui.config.key_names import FIXED_KEYS

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


def actions_of(place: ActionScreen) -> list[Action]:
    """Return what can be done on a screen, in the order of the table."""
    return [one for section in _sections(place).values() for one in section]


def sections_of(place: ActionScreen) -> dict[str, list[Action]]:
    """Return what can be done on a screen, by what it is about."""
    return _sections(place)


def bindings_of(place: ActionScreen) -> list[BindingType]:
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
def _sections(place: ActionScreen) -> dict[str, list[Action]]:
    sections: Mapping[str, Iterable[Action]] = SECTIONS if place == "welcome" else _all_sections()
    here = {
        title: [_with_keys(one) for one in section if place in one.where]
        for title, section in sections.items()
    }
    return {title: section for title, section in here.items() if section}


@cache
def _all_sections() -> dict[str, list[Action]]:
    """All actions by what they are about, those of the views among them."""
    return sections_with(view.action for view in VIEWS)


def sections_with(added: Iterable[Action]) -> dict[str, list[Action]]:
    """The table with actions that name their own section, such as those of views.

    Raises
    ------
    ValueError
        If one names a section or a neighbour that there is not, or takes an id or a key that
        another action of the same screen has, or that panels take for themselves.
    """
    sections = {title: list(section) for title, section in SECTIONS.items()}
    waiting = list(added)
    while waiting:
        # one that stands before another of them waits for it, in whatever order they come
        named = {(one.section, one.id) for one in waiting}
        ready = [one for one in waiting if (one.section, one.before) not in named] or waiting
        for action in ready:
            _insert(sections, action)
        waiting = [one for one in waiting if one not in ready]
    _refuse_clashes([one for section in sections.values() for one in section])
    return sections


def _insert(sections: Mapping[str, list[Action]], action: Action) -> None:
    section = sections.get(action.section)
    if section is None:
        there = ", ".join(sections)
        raise ValueError(f"{action.id}: no section {action.section!r}; there are {there}")
    ids = [one.id for one in section]
    if action.before and action.before not in ids:
        raise ValueError(
            f"{action.id}: no action {action.before!r} in section {action.section!r}; "
            f"there are {', '.join(ids)}"
        )
    section.insert(ids.index(action.before) if action.before else len(section), action)


def _refuse_clashes(actions: Iterable[Action]) -> None:
    has: dict[tuple[ActionScreen, str], str] = {}
    ids: set[str] = set()
    for action in actions:
        if action.id in ids:
            raise ValueError(f"{action.id}: two actions have this id")
        ids.add(action.id)
        for place, key in product(action.where, action.keys):
            other = has.setdefault((place, key), action.id)
            if other != action.id:
                raise ValueError(f"{action.id}: {key} is also a key of {other}")
            if (taken := FIXED_KEYS.get(key)) is not None:
                raise ValueError(f"{action.id}: {key} always {taken}")


def _with_keys(one: Action) -> Action:
    keys = _chosen_keys.get(one.id)
    return one if keys is None else replace(one, keys=keys)
