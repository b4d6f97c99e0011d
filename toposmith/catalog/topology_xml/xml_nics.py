"""The NICs of a topology file: which networks they serve, their slots, and the parts they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toposmith.catalog.own_part import new_id
from toposmith.catalog.part_checks import LINE_RATES_GBIT
from toposmith.catalog.part_text import pcie_gbit
from toposmith.catalog.parts import Nic
from toposmith.catalog.pieces import Pcie, Protocol, Slots, Transport
from toposmith.catalog.topology_xml.words import (
    INFINIBAND_CLASS,
    PART,
    SLOT,
    SLOTS,
    Reading,
    narrowest_for,
    widest,
)
from toposmith.catalog.topology_xml.xml_devices import Tree, XmlDevice
from toposmith.plain_text import shown

_VENDORS = {"15b3": "NVIDIA", "1d0f": "AWS", "14e4": "Broadcom", "8086": "Intel"}
_AWS = "1d0f"
_MOST_PORTS = 4
_LANES = {1: 1, 10: 1, 25: 1, 50: 1}  # four for all others

# How far below a line rate a speed may be that was edited to steer NCCL: 180 Gb/s for 200.
_UNDERSTATED = 0.15


@dataclass(frozen=True)
class NicKind:
    """What a file says of the kind of a NIC; ``named`` is the part that it names itself."""

    named: str
    pci_id: str
    ports: int
    speed_gbit: int
    protocol: Protocol
    sockets: bool

    @property
    def gbit(self) -> int:
        """Gb/s of all its ports."""
        return self.ports * self.speed_gbit


def nic_kind(device: XmlDevice, reading: Reading) -> NicKind | None:
    """The model of a NIC in the file; None for a slot that the file says nothing else about."""
    rates = [rate for net in device.nets if (rate := _rate(net.get("speed"), net.line, reading))]
    if not rates:
        return _by_device(device, reading)
    if len(set(rates)) > 1:
        said = " and ".join(map(str, sorted(set(rates))))
        reading.notes.add(device.line, f"a NIC with ports of {said} Gb/s; counted as the fastest")
    if len(rates) > _MOST_PORTS:
        what = f"a NIC of {len(rates)} ports; the catalog counts up to {_MOST_PORTS}"
        reading.notes.add(device.line, what)
    over_infiniband = device.element.get("class").lower().startswith(INFINIBAND_CLASS)
    return NicKind(
        device.element.get(PART) or next((net.get(PART) for net in device.nets), ""),
        device.pci_id,
        min(len(rates), _MOST_PORTS),
        max(rates),
        "infiniband" if over_infiniband else "ethernet",
        _is_sockets(device),
    )


def nic_part(kind: NicKind, link: Pcie | None, line: int, reading: Reading) -> tuple[Nic, str]:
    """The part of a NIC, and "new", "sure" or "likely": how certain its match in the catalog is."""
    nics = [part for part in reading.catalog.of_kind("nic") if isinstance(part, Nic)]
    for nic in nics:
        if nic.id == kind.named:
            return nic, "sure"
    fitting = [nic for nic in nics if _fits(nic, kind)]
    if not fitting:
        return _new_nic(kind, link, line, reading), "new"
    first, *others = fitting
    if not others:
        return first, "sure"
    also = ", ".join(other.id for other in others)
    reading.notes.add(line, f"NICs taken for {first.id}; {also} would fit as well")
    return first, "likely"


def _by_device(device: XmlDevice, reading: Reading) -> NicKind | None:
    """The kind of a NIC that states no port, where the catalog has one part for its device."""
    nics = [part for part in reading.catalog.of_kind("nic") if isinstance(part, Nic)]
    same = [nic for nic in nics if device.pci_id and device.pci_id in nic.pci_ids]
    if len(same) != 1:
        return None
    nic = same[0]
    return NicKind(
        nic.id, device.pci_id, nic.ports, nic.speed_gbit, nic.protocols[0], sockets=False
    )


def _is_sockets(device: XmlDevice) -> bool:
    """Whether NCCL reaches the NIC through the kernel alone: it has no name in a fabric."""
    return all(net.get("guid").strip("0x") == "" and net.get("gdr") == "0" for net in device.nets)


def _rate(text: str, line: int, reading: Reading) -> int | None:
    """Gb/s of a port; the file should state Mb/s, but some state other units."""
    notes = reading.notes
    if not text.isdecimal() or not 0 < int(text) < 10**13:
        notes.add(line, f"a network port of speed {shown(text)}; Mb/s are wanted, left open")
        return None
    megabits = int(text)
    for unit, scale in (("Mb/s", 1000), ("Gb/s", 1), ("kb/s", 10**6), ("b/s", 10**9)):
        rate, rest = divmod(megabits, scale)
        if not rest and rate in LINE_RATES_GBIT:
            if unit != "Mb/s":
                notes.add(line, f"speed {megabits} makes sense in {unit} only: {rate} Gb/s")
            return rate
    gbit = megabits / 1000
    above = next((rate for rate in LINE_RATES_GBIT if rate >= gbit), None)
    if above is not None and gbit >= above * (1 - _UNDERSTATED):
        why = f"{gbit:g} Gb/s is no line rate: taken for {above}, as some understate to steer NCCL"
        notes.add(line, why)
        return above
    notes.add(line, f"speed {megabits} Mb/s is near no line rate; the port is left open")
    return None


def _fits(nic: Nic, kind: NicKind) -> bool:
    return (
        bool(kind.pci_id)
        and kind.pci_id in nic.pci_ids
        and (nic.ports, nic.speed_gbit) == (kind.ports, kind.speed_gbit)
        and kind.protocol in nic.protocols
    )


def _new_nic(kind: NicKind, link: Pcie | None, line: int, reading: Reading) -> Nic:
    """A NIC part from what the file says alone; its cage is unknown."""
    vendor_id = kind.pci_id.partition(":")[0]
    pcie = link if link and pcie_gbit(link) >= kind.speed_gbit else narrowest_for(kind.speed_gbit)
    transports: tuple[Transport, ...] = ("tcp",) if kind.sockets else ()
    if vendor_id == _AWS:
        transports = ("efa", "tcp")
    what = f"{kind.ports} x {kind.speed_gbit} Gb/s {kind.protocol} {kind.pci_id}".strip()
    reading.notes.add(line, f"the catalog has no NIC of {what}; made a part of what the file says")
    return Nic(
        id=new_id(f"{reading.node_id}-nic", reading.catalog),
        name=f"NIC, {kind.ports} x {kind.speed_gbit} Gb/s",
        vendor=_VENDORS.get(vendor_id, "unknown"),
        ports=kind.ports,
        speed_gbit=kind.speed_gbit,
        cage="virtual" if vendor_id == _AWS else "unknown",
        lanes=_LANES.get(kind.speed_gbit, 4),
        protocols=(kind.protocol,),
        transports=transports,
        pcie=pcie,
        pci_ids=(kind.pci_id,) if vendor_id in _VENDORS else (),
        source=reading.source,
        unverified=("lanes",) if pcie == link else ("lanes", "pcie"),
    )


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
