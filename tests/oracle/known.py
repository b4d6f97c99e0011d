"""What the program is known to do otherwise than the documents say.

Each of these has a design of its own in `test_disagreements.py` that is expected to fail. Where the
program does right, that test says so: then the entry goes, and random designs are held to it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle import cuts
from tests.oracle.expansion import Device, Fabric, expand

if TYPE_CHECKING:
    from tests.oracle.compare import Disagreement


def known_as(text: str, one: Disagreement) -> str | None:
    """Name of the known disagreement that this is one of."""
    fabric = expand(text)
    if one.check == "billed_cables" and _links_share_splitters(fabric):
        return "two links share a splitter in the bill, not in the schedule"
    if one.check == "all_to_all_bound" and _is_loose(fabric, one.text):
        return "cuts of exchanges: nothing inside nodes"
    return None


def _links_share_splitters(fabric: Fabric) -> bool:
    """Whether two links of one switch end at ports of one speed below that of whole cages."""
    links: dict[tuple[Device, int], set[int]] = {}
    for cable in fabric.cables:
        for device in (cable.a, cable.b):
            switch = fabric.part_of(device)
            cages = switch.get("cages")
            if cages and cable.gbit < cages["modes"][0]["speed_gbit"]:
                links.setdefault((device, cable.gbit), set()).add(cable.link)
    return any(len(found) > 1 for found in links.values())


def _is_loose(fabric: Fabric, text: str) -> bool:
    word = text.split()[1].rstrip(",")
    if word == "None":
        return False
    found = float(word)
    bound = float(cuts.loose_all_to_all_busbw(cuts.cluster(fabric), fabric))
    return abs(found - bound) < 1e-5 * bound
