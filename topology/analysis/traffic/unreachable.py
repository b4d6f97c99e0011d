"""What stops a collective between nodes."""

from __future__ import annotations


class Unreachable(Exception):
    """Two nodes with no path between them; carries their groups."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        super().__init__(f"no path from {source} to {target}")

    @property
    def words(self) -> str:
        """Which devices do not reach which; of one group it may be some of them only."""
        if self.source == self.target:
            return f"there is no path between some devices of {self.source} and others of it"
        return f"there is no path from {self.source} to {self.target}"
