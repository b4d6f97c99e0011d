"""The exception for nodes without a path between them."""

from __future__ import annotations


class Unreachable(Exception):
    """Two nodes have no path between them; carries their groups, and the missing condition."""

    def __init__(self, source: str, target: str, without: str = "") -> None:
        self.source = source
        self.target = target
        self.without = without
        super().__init__(f"no path from {source} to {target}")

    @property
    def words(self) -> str:
        """The groups that do not reach each other; within one group it may be some devices only."""
        if self.source == self.target:
            words = f"there is no path between some devices of {self.source} and others of it"
        else:
            words = f"there is no path from {self.source} to {self.target}"
        return f"{words}{self.without and ' '}{self.without}"


IN_ORDER = "along one axis after the other: other routings go around what is down"

WITHOUT_PXN = "without PXN, which keeps traffic on its rail,"
