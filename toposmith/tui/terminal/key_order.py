"""Keys in the order in which they were typed, each handled before the next.

Textual hands every key at once to the widget that has the focus. When a slow line delivers several
in one burst, the later ones would go to the old focus, and letters of a filter would run as
commands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from textual import events
from textual.dom import DOMNode
from textual.message_pump import MessagePump

LOOK_SECONDS = 0.03


class KeyOrder:
    """Holds keys back while an earlier one is on its way through the widgets.

    Parameters
    ----------
    send : callable
        Sends on a key that was delayed.
    is_settled : callable
        Whether what the last key began has got as far as that its next key has a meaning.
    """

    def __init__(
        self, send: Callable[[events.Key], object], is_settled: Callable[[], bool]
    ) -> None:
        self._send = send
        self._is_settled = is_settled
        self._waiting: deque[events.Key] = deque()
        self._sent: events.Key | None = None  # under way to us: others that come first wait for it
        self._turn = 0
        self._busy = False
        self._was_settled = True
        self._opening = False

    @property
    def idle(self) -> bool:
        """Whether no key is on its way and none is waiting."""
        return not self._busy and not self._waiting and self._sent is None

    def holds(self, key: events.Key) -> bool:
        """Keep a key for later where another is on its way; returns whether it was kept."""
        if key is self._sent:
            self._sent = None
        elif not self.idle:
            self._waiting.append(key)
            return True
        self._busy = True
        self._turn += 1
        return False

    def keep(self, key: events.Key, app: MessagePump, has_opened: Callable[[], bool]) -> None:
        """Keep a key until that for which it was typed has opened."""
        if key is self._sent:
            self._sent = None
            self._waiting.appendleft(key)
        else:
            self._waiting.append(key)
        if not self._opening:
            self._opening = True
            self._look_again(app, has_opened)

    def drop(self) -> None:
        """Forget the keys that wait: what they were typed for does not open."""
        self._waiting.clear()

    def _look_again(self, app: MessagePump, has_opened: Callable[[], bool]) -> None:
        if not has_opened():
            app.set_timer(LOOK_SECONDS, partial(self._look_again, app, has_opened))
            return
        self._opening = False
        if not self._busy:
            self._send_next()

    def _send_next(self) -> None:
        if self._waiting and self._sent is None:
            self._sent = self._waiting.popleft()
            self._send(self._sent)

    def follow(self, target: DOMNode, app: MessagePump, patience: float) -> None:
        """Run behind a key that was given to a widget, through all that it may bubble up to."""
        app.set_timer(patience, partial(self._done, self._turn, app, last=True))
        # twice: behind the key, and behind the messages that widgets send because of it
        self._hop([*target.ancestors_with_self] * 2, self._turn, app)

    def _hop(self, path: list[DOMNode], turn: int, app: MessagePump) -> None:
        while path:
            pump = path.pop(0)
            if pump.call_later(self._hop, path, turn, app):
                return
        self._done(turn, app)

    def _done(self, turn: int, app: MessagePump, *, last: bool = False) -> None:
        if turn != self._turn or not self._busy:
            return
        settled = self._is_settled()
        if not last and not (settled and self._was_settled):
            # once more after it has settled: what it closed still sends the screen a message
            self._was_settled = settled
            app.set_timer(0.01 if not settled else 0.03, partial(self._done, turn, app))
            return
        self._was_settled = True
        self._busy = False
        self._send_next()
