"""Words of the messages about a file: found text made safe to show, and the nearest known word.

Text from a file is shown escaped, so that a terminal never obeys it, and cut, so that a message
stays a message.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

LONGEST_SHOWN = 60
MOST_NAMES_LISTED = 12
MOST_NAMES_COMPARED = 500

Location = tuple[str | int, ...]
"""Where a value sits in a document: keys and list positions from the top."""

KEY = "[key]"
"""Last step of a location that means the key itself and not its value."""


def shown(value: object) -> str:
    """What was found, in words that fit into a sentence and hold no control characters."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        cut = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "..."
        return repr(cut)
    if isinstance(value, dict):
        return "keys with values"
    if isinstance(value, (list, tuple)):
        return "an empty list" if not value else f"a list of {len(value)}"
    return escaped(str(value))


def escaped(text: str) -> str:
    """``text`` without quotes around it, cut, and with everything unprintable escaped."""
    cut = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in cut)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def path_words(location: Location) -> str:
    """A location as a person writes it: ``groups.leaf.per[0]``."""
    words = ""
    for step in location:
        if isinstance(step, int):
            words += f"[{step}]"
        else:
            words += ("." if words else "") + escaped(step)
    return words


def listed(names: Iterable[str]) -> str:
    """The names in their order, with commas; of many only the first."""
    all_names = names if isinstance(names, Collection) else list(names)
    words = ", ".join(escaped(name) for name in islice(all_names, MOST_NAMES_LISTED))
    more = len(all_names) - MOST_NAMES_LISTED
    return f"{words} and {more} more" if more > 0 else words


def any_of(words: Sequence[str]) -> str:
    """One of the words: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def suggestion(word: str, known: Iterable[str]) -> str:
    """``did you mean ...?`` with the nearest known word and the list of all of them."""
    names = list(known)
    if not names:
        return "none is known here"
    nearest = difflib.get_close_matches(word[:LONGEST_SHOWN], names[:MOST_NAMES_COMPARED], n=1)
    known = f"known: {listed(names)}"
    return f"did you mean {nearest[0]!r}? ({known})" if nearest else known
