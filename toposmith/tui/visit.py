"""A visit: the app for somebody else, in a browser or over SSH, on the machine of its owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.errors import ToposmithError

Reach = Literal["design", "files", "review"]
"""What an action reads or writes: the design and nothing else, other files, the review."""

NO_FILES = "not for visitors: only the design that is served is read and written here"
NO_REVIEW = "not for visitors: comments take one author (toposmith serve --author)"


@dataclass(frozen=True)
class Visit:
    """What a visitor may do beyond looking.

    Parameters
    ----------
    author : str
        The name that comments and decisions get; empty where there are none.
    """

    author: str = ""

    def refusal(self, reach: Reach) -> str:
        """Why something is not for this visitor; empty where it is."""
        return {"design": "", "files": NO_FILES, "review": "" if self.author else NO_REVIEW}[reach]


def refuse_visitor(visit: Visit | None, reach: Reach) -> None:
    """Raise ToposmithError for what is not for a visitor; without a visit all is."""
    if visit is not None and (refusal := visit.refusal(reach)):
        raise ToposmithError(refusal)
