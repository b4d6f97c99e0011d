"""What Textual is busy with, so that a test need not ask every widget; and nothing waits for it.

Pilot sends a message to every widget and waits for all answers: ten times the work of what most
keys do. Here the messages and callbacks that are being handled are counted instead. Styles are
parsed once, and a change of the screen does not wait for the next of sixty frames a second.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import textual.screen
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message_pump import MessagePump
from textual.screen import Screen

now = 0
"""Messages and callbacks that are being handled, by any widget of the app that runs."""
_apps = 0


def begin() -> None:
    """Another app begins: what an earlier one left unfinished is of no interest."""
    global now, _apps
    now = 0
    _apps += 1


def _counted(method: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    @wraps(method)
    async def handled(*args: Any, **options: Any) -> None:
        global now
        of = _apps
        now += 1
        try:
            await method(*args, **options)
        finally:
            if of == _apps:
                now -= 1

    return handled


def nothing_to_write(compositor: Compositor, **_how: object) -> None:
    """What a terminal would be sent: nothing, since there is none."""
    compositor._dirty_regions.clear()


_parse = Stylesheet._parse_rules
_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


def _parsed_once(sheet: Stylesheet, *args: Any, **options: Any) -> list[RuleSet]:
    """The rules of a style sheet, kept for the next app with the same theme."""
    key = (args, tuple(options.items()), tuple(sheet._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, *args, **options)
    return _parsed[key]


for _of, _name in (
    (MessagePump, "_dispatch_message"),
    (MessagePump, "_flush_next_callbacks"),
    (Screen, "_invoke_and_clear_callbacks"),
):
    setattr(_of, _name, _counted(getattr(_of, _name)))
setattr(Stylesheet, "_parse_rules", _parsed_once)  # noqa: B010
setattr(textual.screen, "UPDATE_PERIOD", 0.001)  # noqa: B010
