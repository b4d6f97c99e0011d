"""A view as a record: what it lists, what it is asked, and its keys with what they do to a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toposmith.tui.asking import Act, Asking, FlowOutcome, Go, Here, Show
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, KeyWords, OwnKeys

if TYPE_CHECKING:
    from toposmith.cancellation import TimeLimit
    from toposmith.catalog import Catalog
    from toposmith.documents.table import Row, Table
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.figures.shared_figures import Wanted

OF_TABLES: KeyWords = (("/", "filter"), ("<", "sort by"), (">", "sort by"), ("r", "reverse"))
SIGNS = {"percent_sign": "%", "enter": "Enter"}


@dataclass(frozen=True)
class ViewJob:
    """What a view computes: in a thread, for as long as it is wanted.

    Parameters
    ----------
    wanted : Wanted
        The design, and what is measured of it.
    catalog : Catalog
        Where its parts are.
    asked : object
        What the view is asked.
    went : callable
        Reports how much of how much is done; False where it is no longer wanted.
    so_far : callable
        Is told how to make what is found until now, for a table that fills meanwhile.
    limit : TimeLimit
        Ended by Escape, where the view may end early.
    """

    wanted: Wanted
    catalog: Catalog
    asked: Any
    went: Callable[[int, int], bool]
    so_far: Callable[[Callable[[], object]], None]
    limit: TimeLimit


@dataclass(frozen=True)
class On:
    """What a key is pressed on: the selected row, what was found, what the view was asked."""

    here: Here
    row: Row | None
    found: Any
    asked: Any

    @property
    def of(self) -> Any:
        """What the row is of; None without a row."""
        return None if self.row is None else self.row.of

    @property
    def there(self) -> Go | None:
        """The place that the row is about."""
        return None if self.row is None else Go(self.row.groups, self.row.links)


@dataclass(frozen=True)
class Key:
    """A key of a view, its words in the bottom line and in help, and what it does.

    ``changes`` where it changes the design, which a review forbids; then answers are previewed.
    """

    key: str
    label: str
    help: str
    do: Callable[[On], Asking | FlowOutcome]
    changes: bool = False

    @property
    def sign(self) -> str:
        """The key as it is shown."""
        return SIGNS.get(self.key, self.key)


@dataclass(frozen=True)
class Listing:
    """A table in place of the fabric.

    Parameters
    ----------
    name : str
        Its id, and the id of the action that turns to it.
    title : str or callable
        Its title on the frame; of what it is asked and what was found, where it says that.
    about : str
        What help calls it.
    table : callable
        The table of what was found, given that, what is asked, and the signs to draw with.
    compute : callable, optional
        Finds it, in a thread. Without it ``said`` gives what is shown.
    said : callable, optional
        What is shown of what reviewers and the engine say; None while there is nothing.
    keys : tuple of Key
        Its own keys, in the order of the bottom line.
    begin : callable
        What it is asked at first: a frozen record, which its keys replace.
    counts : callable
        What of it must be computed anew; all else is said by the table alone.
    shown : callable, optional
        What is done elsewhere on the screen where something was found (None: nothing).
    goes : bool
        Whether Enter goes to the place of a row, where no key of its own is Enter.
    ends_early : str
        What is said when Escape ends the computing with what is there; empty where it cannot.
    head_share : int
        One part in so many of the height, at most, goes to what is shown above the table; 0 for
        the table first, and what sums it up below it.
    beside : bool
        Whether the fabric stays above it where the screen is tall.
    """

    name: str
    title: str | Callable[[Any, Any], str]
    about: str
    table: Callable[[Any, Any, Glyphs], Table]
    compute: Callable[[ViewJob], object] | None = None
    said: Callable[..., object | None] | None = None
    keys: tuple[Key, ...] = ()
    begin: Callable[[], Any] = field(default=lambda: None)
    counts: Callable[[Any], object] = field(default=lambda asked: asked)
    shown: Callable[[Any], Act] | None = None
    goes: bool = True
    ends_early: str = ""
    head_share: int = 3
    beside: bool = True

    @property
    def own_keys(self) -> OwnKeys:
        """Every key, for help."""
        own = tuple((key.sign, key.help) for key in self.keys)
        return OwnKeys(self.about, (*own, *TABLE, *(GO_THERE if self._goes else ()), *ESC))

    @property
    def line(self) -> KeyWords:
        """Every key, for the bottom line."""
        own = tuple((key.sign, key.label) for key in self.keys)
        there = (("Enter", "go there"),) if self._goes else ()
        return (*own, *OF_TABLES, *there, ("Esc", "fabric"))

    @property
    def _goes(self) -> bool:
        return self.goes and all(key.key != "enter" for key in self.keys)

    def again(self, asked: object) -> Show:
        """Show it, asked something else."""
        return Show(self.name, asked)
