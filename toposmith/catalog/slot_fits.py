"""Which NICs go into the slots of a node."""

from __future__ import annotations

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import Nic, Node, Slots

PROVIDERS_OWN = "the provider's own, comes with its nodes only"


def built_in_nics(catalog: Catalog) -> dict[str, str]:
    """NICs that are part of a node's board, by id, with the first node that has them."""
    holders: dict[str, str] = {}
    for holder in catalog:
        if isinstance(holder, Node):
            for room in holder.slots.values():
                if room.cages and room.nic:
                    holders.setdefault(room.nic, holder.name)
    return holders


def slot_refusal(nic: Nic, room: Slots, built_in: dict[str, str]) -> str:
    """Why a NIC does not go into a slot; empty where it does."""
    if room.nic == nic.id:
        return ""
    if nic.cage == "virtual":
        return PROVIDERS_OWN
    if room.cages:
        return "the NICs of these slots are built in"
    if nic.id in built_in:
        return f"comes built into {built_in[nic.id]} only"
    if nic.pcie.width > room.pcie.width:
        return f"needs x{nic.pcie.width} lanes, the slot has x{room.pcie.width}"
    return ""
