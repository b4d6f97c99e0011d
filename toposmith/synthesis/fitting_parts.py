"""Parts that could stand in place of others: switches by ports and speed, NICs by slots."""

from __future__ import annotations

from toposmith.catalog import Catalog, Nic, Switch
from toposmith.catalog.part_text import built_in_nics, pcie_gbit, slot_refusal
from toposmith.catalog.parts import Protocol

MOST_PARTS = 2
"""Parts that are tried in place of one, of each speed."""


def switches_for(
    catalog: Catalog,
    protocol: Protocol,
    *,
    ports: int,
    vendor: str = "",
    faster_than: int = 0,
    speed_gbit: int | None = None,
) -> list[Switch]:
    """Switches with so many ports at a speed: the smallest of each speed, the maker's own first.

    Parameters
    ----------
    catalog : Catalog
        Where they are.
    protocol : str
        What they speak.
    ports : int
        Ports that one needs at least, in the mode that is asked for.
    vendor : str
        Whose are taken before others.
    faster_than : int
        Modes of which a port runs faster, Gb/s.
    speed_gbit : int, optional
        The mode that has to be there; else the fastest.
    """
    found: dict[int, list[tuple[tuple[bool, int], Switch]]] = {}
    for part in catalog.of_kind("switch"):
        if not isinstance(part, Switch) or part.protocol != protocol:
            continue
        for mode in part.cages.modes:
            if mode.speed_gbit <= faster_than or speed_gbit not in (None, mode.speed_gbit):
                continue
            offered = part.cages.count * mode.ports
            if offered >= ports:
                order = (part.vendor != vendor, offered)
                found.setdefault(mode.speed_gbit, []).append((order, part))
    chosen = (sorted(parts, key=lambda one: one[0])[:MOST_PARTS] for parts in found.values())
    return list({part.id: part for parts in chosen for _, part in parts}.values())


def nics_for(
    catalog: Catalog, slots: str, rooms: object, held: Nic | None, protocol: Protocol
) -> list[Nic]:
    """NICs that go into some slots, one of each speed from that of the present one on.

    Of equal ones the present one comes first, then those of its maker. Beside the present one NICs
    whose own PCIe link carries more or less of their ports are not equal.
    """
    assert isinstance(rooms, dict)
    built_in = built_in_nics(catalog)
    vendor = held.vendor if held else ""
    best: dict[tuple[int, float, float], tuple[tuple[bool, bool, bool, int], Nic]] = {}
    for place, part in enumerate(catalog.of_kind("nic")):
        if not isinstance(part, Nic) or protocol not in part.protocols:
            continue
        if slot_refusal(part, rooms[slots], built_in):
            continue
        if held is not None and part.together_gbit < held.together_gbit:
            continue
        other = held is not None and part.id != held.id
        order = (other, part.vendor != vendor, held is not None and part.cage != held.cage, place)
        carries = min(part.together_gbit, pcie_gbit(part.pcie)) if held is not None else 0.0
        kind = (part.ports, part.together_gbit, carries)
        if kind not in best or order < best[kind][0]:
            best[kind] = (order, part)
    return [part for _, part in best.values()]
