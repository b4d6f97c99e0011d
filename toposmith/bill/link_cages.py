"""The ends of a link: the cage, the plugs that fit, the ports behind it, and their labels."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog.parts import Cage, HeatSink, Nic, Switch
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, LinkEnd, LinkPlan, Plan

# Cages that also take the plugs of others: QSFP grew without changing its shape (SFF-8665), and a
# QSFP-DD cage takes a QSFP28 or QSFP56 plug in its first row of contacts (QSFP-DD MSA).
_ALSO_TAKES: dict[Cage, tuple[Cage, ...]] = {
    "sfp28": ("sfp+",),
    "qsfp28": ("qsfp+",),
    "qsfp56": ("qsfp28", "qsfp+"),
    "qsfp112": ("qsfp56", "qsfp28", "qsfp+"),
    "qsfp-dd": ("qsfp56", "qsfp28"),
    "qsfp-dd800": ("qsfp-dd", "qsfp112", "qsfp56", "qsfp28"),
}


@dataclass(frozen=True)
class LinkCage:
    """One cage at the end of a link.

    Parameters
    ----------
    cage, heat_sink
        What fits in mechanically; a heat sink of None takes any.
    ports : int
        Ports behind the cage at the link's speed: 2 for a twin-port cage or a split port.
    """

    cage: Cage
    heat_sink: HeatSink | None
    ports: int

    def takes(self, plug: Cage) -> bool:
        """Whether a plug of this form goes into the cage."""
        return plug == self.cage or plug in _ALSO_TAKES.get(self.cage, ())

    def takes_heat_sink(self, heat_sink: HeatSink | None) -> bool:
        """Whether a module with this heat sink goes into the cage."""
        return self.heat_sink is None or heat_sink is None or heat_sink == self.heat_sink


def socket_of(plan: Plan, end: LinkEnd) -> LinkCage:
    """The cage that one end of a sound link plugs into."""
    group = plan.groups[end.group]
    cages = group.cages
    if cages is not None and not end.ports:
        return LinkCage(cages.cage, cages.heat_sink, end.breakout)
    device = _nic(group, end)
    shared = cage_slots(group, end.ports)
    slots = max(map(len, shared.values()), default=1)
    ports = slots * device.ports if shared else 1
    return LinkCage(device.cage, device.heat_sink, ports)


def device_of(plan: Plan, end: LinkEnd) -> Switch | Nic | None:
    """What one end of a sound link plugs into; None for NVLink switches, which take all NVLink."""
    group = plan.groups[end.group]
    if group.cages is not None and not end.ports:
        return group.switch
    if end.ports == UPLINK:
        return group.switch
    return _nic(group, end)


def _nic(group: GroupPlan, end: LinkEnd) -> Nic:
    nic = group.port_groups[end.ports].nic
    assert nic is not None
    return nic


def cage_slots(group: GroupPlan, ports: str) -> dict[str, tuple[int, ...]]:
    """Which built-in NICs share which cage of a node; empty where every port has its own."""
    if group.host is None or ports not in group.host.slots:
        return {}
    room = group.host.slots[ports]
    nic = group.port_groups[ports].nic
    return dict(room.cages) if nic is not None and nic.id == room.nic else {}


def cage_of_port(group: GroupPlan, ports: str) -> dict[int, tuple[int, int]]:
    """Cage and place in it of every port of a node that shares a cage; empty where none does."""
    held = group.port_groups[ports]
    found: dict[int, tuple[int, int]] = {}
    for cage, slots in enumerate(cage_slots(group, ports).values()):
        places = [port for slot in slots for port in held.ports_of_nic(slot)]
        found |= {port: (cage, place) for place, port in enumerate(places)}
    return found


def fills_plugs(plan: Plan, link: LinkPlan, end: LinkEnd, carried: int) -> bool:
    """Whether ports can be taken ``carried`` at a time, each time all of them to the same peer.

    A plug that carries several ports leads to one device, so a straight cable of a twin-port
    cage requires this.
    """
    if carried == 1:
        return True
    if link.cables_per_pair % carried:
        return False
    group = plan.groups[end.group]
    for slots in cage_slots(group, end.ports).values():
        peers = {
            tuple((port_peer(plan, link, end, port) or {}).items())
            for slot in slots
            for port in group.port_groups[end.ports].ports_of_nic(slot)
        }
        if len(peers) > 1:
            return False
    return True


# More than any slot group of a node, or any cage of a switch, has.
_MOST_PORTS = 5000


@dataclass(frozen=True)
class PortLabels:
    """Ports of one end of a link.

    Parameters
    ----------
    labels : list of str
        By number of the port; for a switch by place: cage, then port in the cage.
    order : list of int
        Sort position of each port on the device; ports of all slot
        groups, and of all modes of a switch, can be compared.
    """

    labels: list[str]
    order: list[int]


def port_labels(group: GroupPlan, end: LinkEnd) -> PortLabels:
    """The ports that links of one end use, as the device labels them."""
    if group.cages is None or end.ports:
        return _node_ports(group, end.ports)
    labels = [
        _switch_port(group, cage, port, end.breakout)
        for cage in range(1, group.cages.count + 1)
        for port in range(end.breakout)
    ]
    order = [
        cage * _MOST_PORTS + port
        for cage in range(group.cages.count)
        for port in range(end.breakout)
    ]
    return PortLabels(labels, order)


def labels_of(group: GroupPlan, gbit: str = "") -> frozenset[str]:
    """All ports that the part of a group has, as the device labels them.

    Cages count in whatever mode; with ``gbit`` in those whose ports run at so many Gb/s.
    """
    ends = [LinkEnd(group.name, slots) for slots in group.port_groups]
    if group.cages is not None:
        ends += [
            LinkEnd(group.name, "", breakout=mode.ports)
            for mode in group.cages.modes
            if gbit in ("", str(mode.speed_gbit))
        ]
    return frozenset(label for end in ends for label in port_labels(group, end).labels)


def _switch_port(group: GroupPlan, cage: int, port: int, breakout: int) -> str:
    """One port of a cage, both counted as on the plate."""
    assert group.cages is not None
    native = group.cages.modes[0].ports
    if group.switch and group.switch.protocol == "ethernet" and group.switch.vendor == "NVIDIA":
        return f"swp{cage}s{port}" if breakout > 1 else f"swp{cage}"
    if breakout <= native:
        return f"{cage}/{port + 1}" if native > 1 else str(cage)
    if native == 1:
        return f"{cage}/{port + 1}"
    each = breakout // native
    return f"{cage}/{port // each + 1}/{port % each + 1}"


def _uplinks(group: GroupPlan) -> PortLabels:
    """Uplinks, counted on after the ports of the other cages, as on the plate."""
    assert group.switch is not None
    first = group.switch.cages.count + 1
    before = list(group.port_groups).index(UPLINK) * _MOST_PORTS
    places = range(group.port_groups[UPLINK].ports)
    labels = [_switch_port(group, first + place, 0, 1) for place in places]
    return PortLabels(labels, [before + place for place in places])


def _node_ports(group: GroupPlan, ports: str) -> PortLabels:
    if ports == UPLINK and group.switch is not None:
        return _uplinks(group)
    held = group.port_groups[ports]
    socket = ports
    if ports == MANAGEMENT and (group.host is None or ports not in group.host.slots):
        socket = "BMC" if group.host else "MGMT"
    cages = list(cage_slots(group, ports))
    shared = cage_of_port(group, ports)
    labels: list[str] = []
    for port in range(held.ports):
        if port in shared:
            cage, place = shared[port]
            labels.append(f"{cages[cage]} P{place + 1}")
        else:
            slot, turn = held.nic_of(port), held.place_on_nic(port)
            number = "" if socket != ports and held.ports == 1 else slot
            labels.append(f"{socket}{number}" + (f" P{turn + 1}" if held.each > 1 else ""))

    def in_order(port: int) -> tuple[int, int, int, int]:
        cage, place = shared.get(port, (len(cages), 0))
        return cage, place, held.nic_of(port), held.place_on_nic(port)

    read = sorted(range(held.ports), key=in_order)
    order = [0] * held.ports
    before = list(group.port_groups).index(ports) * _MOST_PORTS
    for place, port in enumerate(read):
        order[port] = before + place
    return PortLabels(labels, order)
