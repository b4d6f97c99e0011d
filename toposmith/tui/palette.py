"""The command palette: every action by its name, its help, or another word of the field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider

from toposmith.search_words import rank

WORST = 5.0
"""The rank of what is never found, so that better ones score more."""


class Actions(Provider):
    """Finds what can be done on the screen; lists all of it before something is typed."""

    def _commands(self) -> Iterator[SystemCommand]:
        yield from self.app.get_system_commands(self.screen)

    async def discover(self) -> Hits:
        """All that can be done."""
        for title, words, callback, _ in self._commands():
            yield DiscoveryHit(title, callback, help=words)

    async def search(self, query: str) -> Hits:
        """The actions that a query finds, the likeliest with the highest score."""
        ranked = [(rank(query, one.title, one.help), one) for one in self._commands()]
        near = any(at is not None and at < WORST - 1 for at, _ in ranked)
        for at, (title, words, callback, _) in ranked:
            if at is not None and (at < WORST - 1 or not near):
                yield Hit(WORST - at, title, partial(callback), help=words)
