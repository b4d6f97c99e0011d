"""Words of the field that find an action in the palette though its name is another."""

from __future__ import annotations

from functools import partial

from textual.command import Hit, Hits, Provider

from toposmith.tui.actions.every_action import actions_of
from toposmith.tui.screens.app_screen import PlaceScreen

SYNONYMS: dict[str, tuple[str, ...]] = {
    "delete": ("remove", "take away", "drop", "unwire", "disconnect"),
    "history": ("undo all", "steps", "versions"),
    "fixes": ("cheaper", "slow", "bottleneck", "improve", "optimise", "spare", "oversubscription"),
    "fabrics": ("cheaper", "generate", "propose", "size a cluster", "requirements"),
    "change": ("growth", "grow", "expand", "migrate", "upgrade", "re-plug"),
    "edit": ("oversubscription", "taper", "speed", "cables"),
    "reshape": ("spread", "axis", "rails", "planes", "pods"),
    "failures": ("break", "redundancy", "resilience", "outage", "single point of failure"),
    "fail": ("break", "take down", "unplug"),
    "bill": ("price", "cost", "money", "shopping list", "BOM"),
    "racks": ("power", "cooling", "elevation"),
    "whole": ("zoom out", "overview", "fit to window"),
    "wire": ("connect", "cable", "link"),
    "fit": ("HCA", "adapter", "DPU"),
    "undo": ("back", "revert"),
    "measure": ("algorithm", "communicator", "job", "ECMP", "SHARP"),
}
"""Other names of each action."""


class Synonyms(Provider):
    """Finds actions by other words than their own; lists nothing before something is typed."""

    async def search(self, query: str) -> Hits:
        """The actions whose other names match."""
        screen = self.screen
        place = screen.PLACE if isinstance(screen, PlaceScreen) else None
        matcher = self.matcher(query)
        for one in actions_of(place) if place is not None else ():
            for word in SYNONYMS.get(one.id, ()):
                score = matcher.match(word)
                if score > 0:
                    yield Hit(
                        score,
                        f"{word}: {one.palette_title}",
                        partial(screen.run_action, f"do('{one.id}')"),
                        help=f"{one.help} (key {one.key_words})",
                    )
