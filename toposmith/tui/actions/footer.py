"""Which actions are shown in the bottom line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toposmith.tui.actions.definition import Action

FOOTER_GAP = 2
"""Cells between two actions of the footer."""


FIRST_IN_REVIEW = ("review", "comment", "decide", "findings", "failures")
"""Actions shown first where a design is open for reading only."""


def footer_actions(
    actions: Iterable[Action], width: int, first: Sequence[str] = ()
) -> list[Action]:
    """Choose the actions whose keys and labels fit on one line whole, the highest ranks first.

    Parameters
    ----------
    actions : iterable of Action
        What could be shown.
    width : int
        Cells of the line.
    first : sequence of str
        Actions that come before all others, of any rank.

    Returns
    -------
    list of Action
        Those that fit, in the order of the table behind the first ones.
    """
    before = {action_id: at for at, action_id in enumerate(first)}
    shown = [action for action in actions if action.rank > 0 or action.id in before]
    shown.sort(key=lambda action: before.get(action.id, len(before)))
    room = width + FOOTER_GAP  # none is needed behind the last
    chosen: set[str] = set()
    for candidate in sorted(
        shown, key=lambda action: (before.get(action.id, len(before)), action.rank)
    ):
        cells = footer_cells(candidate)
        if cells > room:
            continue
        room -= cells
        chosen.add(candidate.id)
    return [action for action in shown if action.id in chosen]


def footer_cells(action: Action) -> int:
    """Cells that an action takes in the footer, with the gap behind it."""
    return len(action.first_key) + 1 + len(action.label) + FOOTER_GAP
