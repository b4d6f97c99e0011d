"""The NICs of a topology file: which networks they serve, their slots, and the parts they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toposmith.catalog.imported import new_id
from toposmith.catalog.parts import Nic
from toposmith.catalog.pieces import Pcie, Slots
from toposmith.catalog.topology_xml.nic_kinds import NicKind, nic_kind, nic_part
from toposmith.catalog.topology_xml.notes import Reading
from toposmith.catalog.topology_xml.widths import narrowest_for, widest
from toposmith.catalog.topology_xml.words import SLOT, SLOTS
from toposmith.catalog.topology_xml.xml_devices import Tree, XmlDevice

# A port this slow, or this much slower than the compute network's, is for management.
_SLOW_GBIT, _SLOW_SHARE = 10, 8


@dataclass(frozen=True)
class FoundNics:
    """The NICs of a machine.

    Parameters
    ----------
    slots : dict
        The slot groups of the node.
    places : dict
        Slot group and slot number of each device, by ``id`` of the device.
    new : tuple of Nic
        Parts that the catalog does not have.
    unverified : tuple of str
        Fields of the node that the file leaves in doubt.
    """

    slots: dict[str, Slots]
    places: dict[int, tuple[str, int]]
    new: tuple[Nic, ...]
    unverified: tuple[str, ...]


@dataclass(frozen=True)
class _Card:
    device: XmlDevice
    kind: NicKind | None

    @property
    def order(self) -> tuple[object, ...]:
        """NICs as NCCL numbers them; those of which nothing is known come last, by bus."""
        numbers = [int(net.get("dev")) for net in self.device.nets if net.get("dev").isdecimal()]
        slot = self.device.element.get(SLOT)
        stated = int(slot) if slot.isdecimal() else -1
        return (self.kind is None, stated, min(numbers, default=1_000_000), self.device.bus)


def find_nics(tree: Tree, reading: Reading) -> FoundNics:
    """Find the NICs of a file, grouped by the network that they serve."""
    cards = [_Card(device, nic_kind(device, reading)) for device in tree.all("nic")]
    groups = _groups(cards)
    slots: dict[str, Slots] = {}
    places: dict[int, tuple[str, int]] = {}
    new: dict[NicKind, Nic] = {}
    unverified: list[str] = []
    for name, members in groups.items():
        members.sort(key=lambda card: card.order)
        kind = members[0].kind
        nic: Nic | None = None
        if kind is not None:
            nic = new.get(kind)
            if nic is None:
                line = members[0].device.line
                pcie = widest(card.device.link for card in members)
                nic, how = nic_part(kind, pcie, line, reading)
                if how == "new":
                    new[kind] = nic = _with_free_id(nic, new.values(), reading)
                unverified += [f"slots.{name}.nic"] if how == "likely" else []
        slots[name], is_stated = _slots(members, nic)
        unverified += [] if is_stated else [f"slots.{name}.pcie"]
        places |= {id(card.device): (name, number) for number, card in enumerate(members)}
    return FoundNics(slots, places, tuple(new.values()), tuple(unverified))


def _with_free_id(nic: Nic, others: Iterable[Nic], reading: Reading) -> Nic:
    taken = [other.id for other in others]
    return nic.model_copy(update={"id": new_id(nic.id, reading.catalog, taken)})


def _groups(cards: Sequence[_Card]) -> dict[str, list[_Card]]:
    """NICs by the network that they serve.

    Files that this program wrote name the networks. Of others, the fastest NICs are the compute
    network's, and an unidentified slot may be.
    """
    stated: defaultdict[str, list[_Card]] = defaultdict(list)
    others: list[_Card] = []
    for card in cards:
        name = card.device.element.get(SLOTS)
        (stated[name] if name else others).append(card)
    groups = dict(stated)
    kinds = Counter(card.kind for card in others if card.kind is not None)
    fastest = max((kind.gbit for kind in kinds), default=0)
    for kind in sorted(kinds, key=lambda kind: (-kind.gbit, -kinds[kind])):
        name = _free_name(_network(kind, fastest, "compute" in groups), groups)
        groups[name] = [card for card in others if card.kind == kind]
    if unknown := [card for card in others if card.kind is None]:
        groups[_free_name("spare" if groups else "compute", groups)] = unknown
    return groups


def _network(kind: NicKind, fastest: int, has_compute: bool) -> str:
    if not has_compute:
        return "compute"
    is_slow = kind.speed_gbit <= _SLOW_GBIT or kind.gbit * _SLOW_SHARE <= fastest
    return "management" if is_slow else "storage"


def _free_name(name: str, taken: Iterable[str]) -> str:
    used = set(taken)
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    return next(free for free in names if free not in used)


def _slots(members: Sequence[_Card], nic: Nic | None) -> tuple[Slots, bool]:
    """The slots of a group, and whether the file says how fast they are."""
    links = [card.device.link for card in members]
    pcie = widest(links)
    base = pcie or narrowest_for(nic.together_gbit if nic else 0)
    own: dict[int, Pcie] = {
        number: link for number, link in enumerate(links) if link is not None and link != base
    }
    fitted = sum(1 for card in members if card.kind is not None)
    slots = Slots(count=len(members), pcie=base, links=own)
    if nic is not None:
        slots = slots.model_copy(update={"nic": nic.id, "fitted": fitted})
    return slots, pcie is not None
