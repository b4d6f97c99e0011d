"""Keys are done in the order in which they were typed, whatever comes between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from textual.events import Key

from toposmith.tui.terminal.key_order import KeyOrder


class Clock:
    """A message pump whose timers are rung by hand, and a widget with nothing above it."""

    ancestors_with_self: tuple[()] = ()

    def __init__(self) -> None:
        self.timers: list[Callable[[], object]] = []

    def set_timer(self, _: float, ring: Callable[[], object]) -> None:
        self.timers.append(ring)


def typed(order: KeyOrder, *keys: Key) -> list[Key]:
    """Those of the keys that are not held back."""
    return [key for key in keys if not order.holds(key)]


def test_a_key_that_comes_before_one_that_was_held_back_waits_for_it() -> None:
    sent: list[Key] = []
    order, clock = KeyOrder(sent.append, lambda: True), cast(Any, Clock())
    slash, d, g, x = (Key(name, name) for name in ("slash", "d", "g", "x"))
    assert typed(order, slash, d) == [slash]
    order.follow(clock, clock, 1.0)
    assert sent == [d]
    assert typed(order, g, d, x) == [d], "g was typed after d, which is on its way"
    order.follow(clock, clock, 1.0)
    assert sent == [d, g]


def test_keys_of_a_design_that_opens_go_before_those_that_come_once_it_has() -> None:
    sent: list[Key] = []
    order, clock = KeyOrder(sent.append, lambda: True), cast(Any, Clock())
    opened = False
    slash, d, g = (Key(name, name) for name in ("slash", "d", "g"))
    order.keep(slash, clock, lambda: opened)
    opened = True
    assert typed(order, d) == [], "the design has opened, nobody has seen it yet"
    clock.timers.pop()()
    assert sent == [slash]
    assert typed(order, g, slash) == [slash]
    order.follow(clock, clock, 1.0)
    assert sent == [slash, d]
    assert not order.idle
