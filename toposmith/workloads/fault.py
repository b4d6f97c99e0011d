"""What is wrong with a workload, in words that say how to fix it."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.errors import ToposmithError


class WorkloadError(ToposmithError):
    """A workload that cannot be read or cannot run; a line for each problem."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))
