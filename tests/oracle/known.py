"""What the program is known to do otherwise than the documents say.

Each of these has a design of its own in `test_disagreements.py` that is expected to fail. Where the
program does right, that test says so: then the entry goes, and random designs are held to it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle import cuts
from tests.oracle.expansion import Fabric, expand

if TYPE_CHECKING:
    from tests.oracle.compare import Disagreement


def known_as(text: str, one: Disagreement) -> str | None:
    """Name of the known disagreement that this is one of."""
    fabric = expand(text)
    if one.check == "all_to_all_bound" and _is_loose(fabric, one.text):
        return "cuts of exchanges: nothing inside nodes"
    return None


def _is_loose(fabric: Fabric, text: str) -> bool:
    word = text.split()[1].rstrip(",")
    if word == "None":
        return False
    found = float(word)
    bound = float(cuts.loose_all_to_all_busbw(cuts.cluster(fabric), fabric))
    return abs(found - bound) < 1e-5 * bound
