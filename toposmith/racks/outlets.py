"""Whether the PDUs of a rack have an outlet for every power supply in it.

A supply takes the outlet that carries what it delivers, by the currents of IEC 60320-1: 10 A at
most for C13, 16 A for C19, which takes the plugs of C13 as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toposmith.catalog import Catalog, Node, Pdu, Switch
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_racks
from toposmith.racks.placement import NOWHERE, Placement

MOST_AMPS_C13 = 10.0
_USUAL_VOLTS = 230.0
_LINE_TO_LINE_V = 300.0


def outlet_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Racks whose devices have more supplies than their PDUs have outlets, alike ones together."""
    feeds = placement.block.feeds
    pdu = catalog.get(feeds.pdu) if feeds else None
    if feeds is None or not isinstance(pdu, Pdu):
        return
    outlets = feeds.count * sum(pdu.outlets.values())
    large_outlets = feeds.count * pdu.outlets.get("C19", 0)
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for rack, wanted in enumerate(_inlets(placement, catalog, _volts(pdu))):
        if wanted[0] > outlets or wanted[1] > large_outlets:
            alike[wanted].append(rack)
    for (inlets, large), racks in alike.items():
        yield found(
            "rack-outlets-short",
            at_racks(placement.label(racks[0]), len(racks) - 1),
            inlets=inlets,
            large=large,
            outlets=outlets,
            too_few=inlets > outlets,
            large_outlets=large_outlets,
            feeds=feeds.count,
            feed=pdu.id,
        )


def _volts(pdu: Pdu) -> float:
    """At an outlet: of three phases between one and the neutral."""
    volts = pdu.volts or _USUAL_VOLTS
    return volts / 3**0.5 if pdu.phases > 1 and volts > _LINE_TO_LINE_V else volts


def _inlets(placement: Placement, catalog: Catalog, volts: float) -> list[tuple[int, int]]:
    """Of every rack, how many supplies stand in it, and how many of them need C19.

    A device whose supplies the catalog lacks counts as one; racks that are sold whole have power
    shelves.
    """
    counts = [[0, 0] for _ in placement.racks]
    for name, racks in placement.rack_of.items():
        part = catalog.get(placement.devices[name].part)
        supplies = part.power_supplies if isinstance(part, Node | Switch) else None
        many = supplies.count if supplies else 1
        is_large = supplies is not None and supplies.rating_w / volts > MOST_AMPS_C13
        for rack in racks:
            if rack != NOWHERE and rack not in placement.whole:
                counts[rack][0] += many
                counts[rack][1] += many * is_large
    return [(inlets, large) for inlets, large in counts]
