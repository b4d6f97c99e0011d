"""One registry feeds keys, footer, palette and help."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.tui.person import OpenApp
from toposmith.tui.actions.definition import ActionScreen, turning_to
from toposmith.tui.actions.every_action import actions_of, all_actions, sections_with
from toposmith.tui.actions.footer import FIRST_IN_REVIEW, FOOTER_GAP, footer_actions, footer_cells
from toposmith.tui.actions.registered import VIEWS
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

PLACES: tuple[ActionScreen, ...] = ("designer", "welcome")


@pytest.mark.parametrize("action", all_actions(), ids=lambda action: action.id)
def test_every_action_has_help_a_label_and_a_key_that_survives_tmux(action) -> None:
    assert len(action.help) > 15
    assert action.label
    taken = ("ctrl+a", "ctrl+b", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h", "escape")
    assert not any(key in taken for key in action.keys)
    plain = [key for key in action.keys if not re.match(r"ctrl\+|f\d", key)]
    assert plain, "a ctrl or function key is never the only way"


@pytest.mark.parametrize("action", all_actions(), ids=lambda action: action.id)
def test_what_an_action_reads_when_it_is_asked_for_is_there_and_takes_what_is_here(action) -> None:
    if isinstance(action.do, LazyFlow):
        inspect.signature(action.do.function.load()).bind("what is here", *action.do.given)


def test_a_flow_is_read_with_what_it_takes_when_it_is_begun() -> None:
    flow = LazyFlow("flows.changing", "no_such_flow", 1)
    with pytest.raises(AttributeError, match="no_such_flow"):
        flow("what is here")
    assert sum(isinstance(action.do, LazyFlow) for action in all_actions()) > 20


@pytest.mark.parametrize("place", PLACES)
def test_no_key_does_two_things(place: ActionScreen) -> None:
    keys = Counter(key for action in actions_of(place) for key in action.keys)
    assert [key for key, uses in keys.items() if uses > 1] == []


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ({"keys": ("Q",)}, "groups: Q is also a key of jobs"),
        ({"keys": ("Q",), "before": "curve"}, "Q is also a key of|jobs: Q is also a key of groups"),
        ({"keys": ("j",)}, "groups: j always walks on the canvas"),
        ({"section": "figure"}, "groups: no section 'figure'; there are build, figures, review"),
        ({"before": "curves"}, "no action 'curves' in section 'figures'; there are .*curve"),
        ({"view": "jobs"}, "jobs: two actions have this id"),
    ],
)
def test_a_view_of_ones_own_cannot_take_what_is_taken_or_name_what_is_not_there(
    of: dict[str, Any], words: str
) -> None:
    named = {"view": "groups", "keys": ("2",), "section": "figures"} | of
    added = turning_to(named.pop("view"), named.pop("keys"), "groups", "All groups", **named)
    with pytest.raises(ValueError, match=words):
        sections_with([*(one.action for one in VIEWS), added])


def test_a_view_of_ones_own_stands_where_it_says() -> None:
    added = turning_to("groups", ("2",), "groups", "All", section="figures", before="curve")
    ids = [one.id for one in sections_with([*(v.action for v in VIEWS), added])["figures"]]
    assert ids[ids.index("groups") + 1] == "curve"


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_views_of_ones_own_stand_where_they_say_in_whatever_order_they_come(
    order: tuple[int, ...],
) -> None:
    added = [
        turning_to(name, (key,), name, "All", section="figures", before=before)
        for name, key, before in (("a", "2", "b"), ("b", "3", "c"), ("c", "4", "curve"))
    ]
    views = [view.action for view in VIEWS]
    for mixed in ([*views, *(added[i] for i in order)], [*(added[i] for i in order), *views]):
        ids = [one.id for one in sections_with(mixed)["figures"]]
        assert ids[ids.index("a") :][:4] == ["a", "b", "c", "curve"]


def test_two_that_stand_before_each_other_are_refused() -> None:
    added = [
        turning_to(name, (key,), name, "All", section="figures", before=before)
        for name, key, before in (("a", "2", "b"), ("b", "3", "a"))
    ]
    with pytest.raises(ValueError, match="a: no action 'b' in section 'figures'"):
        sections_with(added)


@pytest.mark.parametrize("action", all_actions(), ids=lambda action: action.id)
def test_every_action_names_what_does_it(action) -> None:
    assert action.where, "it is done on some screen"
    done = [one for one in (action.do, action.at_start) if one is not None]
    assert all(isinstance(one, Act) or callable(one) for one in done)


async def test_every_action_is_in_the_palette_and_in_the_help(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 160)) as person:
        commands = list(person.app.get_system_commands(person.app.screen))
        titles = {command.title for command in commands}
        await person.press("question_mark")
        seen = " ".join(person.seen().replace("│", " ").split())
        for action in actions_of("designer"):
            assert action.palette_title in titles
            assert action.label.lower() in action.palette_title.lower()
            assert " ".join(action.help.split()[:3]) in seen
        await person.press("escape", "colon")
        assert type(person.app.screen).__name__ == "CommandPalette"


async def test_a_view_that_is_asked_for_by_name_stays_where_it_is_seen(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bill = next(one.palette_title for one in all_actions() if one.id == "bill")
        commands = person.app.get_system_commands(person.app.screen)
        by_name = next(command.callback for command in commands if command.title == bill)
        for _ in range(2):
            by_name()
            await person.settle()
            assert person.designer.panels.shows("bill")


@pytest.mark.parametrize("width", [40, 78, 118, 198])
def test_the_footer_shows_whole_entries_and_always_help_and_quit(width: int) -> None:
    shown = footer_actions(actions_of("designer"), width)
    assert sum(footer_cells(action) for action in shown) <= width + FOOTER_GAP
    assert {"help", "quit"} <= {action.id for action in shown}


def test_the_footer_of_80_columns_has_the_verbs_of_building_and_measuring() -> None:
    shown = {action.id for action in footer_actions(actions_of("designer"), 78)}
    assert {"add", "wire", "more", "edit", "undo", "save", "measure"} <= shown


def test_the_footer_of_a_review_begins_with_what_reviewers_do() -> None:
    reading = [action for action in actions_of("designer") if not action.changes]
    shown = [action.id for action in footer_actions(reading, 78, FIRST_IN_REVIEW)]
    assert shown[: len(FIRST_IN_REVIEW)] == list(FIRST_IN_REVIEW)
    assert {"help", "quit"} <= set(shown)


def test_the_footer_of_120_columns_has_the_workload_and_the_next_collective() -> None:
    shown = {action.id for action in footer_actions(actions_of("designer"), 118)}
    assert {"collective", "workload"} <= shown
