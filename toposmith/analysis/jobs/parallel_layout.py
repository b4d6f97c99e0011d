"""Parallel layouts: how the ranks of a job are split over tp, pp, dp, ep and cp, in which order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Literal

from toposmith.collectives import COLLECTIVES

KINDS = ("tp", "cp", "ep", "dp", "pp")
"""Tensor, context, expert, data and pipeline parallelism."""

WORLD = "world"

RankPlacement = Literal["packed", "striped", "scattered"]
PLACEMENTS: tuple[RankPlacement, ...] = ("packed", "striped", "scattered")

MOST_DIGITS = 9

_AXIS = re.compile(r"(?P<kind>[a-z]+)=(?P<size>\d{1,9})")


@dataclass(frozen=True)
class Layout:
    """Sizes of the parallel dimensions in the order of ranks, the fastest first.

    ``tp=8,pp=4,dp=32`` puts ranks 0 to 7 into one tensor-parallel group. Where there are more GPUs
    than ranks, the layout repeats. Without sizes it is the world: all GPUs in one group.
    """

    sizes: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return ",".join(f"{kind}={size}" for kind, size in self.sizes) or WORLD

    @property
    def ranks(self) -> int:
        """Ranks of one copy of the layout."""
        return prod(size for _, size in self.sizes)

    def size(self, kind: str) -> int:
        """Ranks of one group of a kind."""
        return dict(self.sizes)[kind]

    def stride(self, kind: str) -> int:
        """Distance in ranks between neighbours of one group."""
        at = [name for name, _ in self.sizes].index(kind)
        return prod(size for _, size in self.sizes[:at])

    def usual_kind(self, collective: str) -> str:
        """The kind of group that usually runs a collective, unless another is named.

        Experts exchange all-to-all, pipeline stages send to the next, data-parallel groups reduce
        gradients; without the one in question data parallel, else the last.
        """
        kinds = [kind for kind, _ in self.sizes]
        wanted = COLLECTIVES[collective].group
        for kind in (wanted, "dp"):
            if kind in kinds:
                return kind
        return kinds[-1] if kinds else WORLD


def parse_layout(text: str) -> Layout:
    """Read ``world`` or sizes such as ``tp=8,pp=4,dp=32``, the fastest varying first.

    Raises
    ------
    ValueError
        Says what was found and what would be right.
    """
    written = text.strip()
    if written in ("", WORLD):
        return Layout()
    sizes: list[tuple[str, int]] = []
    for part in written.split(","):
        kind, _, size = part.strip().partition("=")
        if kind in KINDS and not (size.isdigit() and len(size) <= MOST_DIGITS):
            raise ValueError(
                f"{part.strip()!r}: the size of {kind} is a whole number, as in {kind}=8"
            )
        found = _AXIS.fullmatch(part.strip())
        if found is None or found["kind"] not in KINDS:
            raise ValueError(
                f"{part.strip()!r} is no parallel dimension; write world, or sizes of "
                f"{', '.join(KINDS)} such as tp=8,pp=4,dp=32"
            )
        if int(found["size"]) < 1:
            raise ValueError(f"{part.strip()!r}: a group has at least one rank")
        if found["kind"] in dict(sizes):
            raise ValueError(f"{found['kind']} is given twice")
        sizes.append((found["kind"], int(found["size"])))
    return Layout(tuple(sizes))
