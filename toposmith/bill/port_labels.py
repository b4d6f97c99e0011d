"""Port labels of devices, and the order of ports on the device.

InfiniBand switches number their cages and the ports in them, ``5/2``, and a split port once more,
``5/2/1``; a cage of one port is its number, ``5``. NVIDIA's Ethernet switches say ``swp5``, split
``swp5s1`` (Cumulus Linux counts the parts from 0). For other makers it is the number on the front
plate, split ``5/1``. A node's built-in cages have the maker's names, ``OSFP4 P2``; other ports are
those of the slot, ``compute3``, of NICs with two ports ``compute3 P2``. The management port is
``BMC`` at nodes and storage, ``MGMT`` at switches.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.bill.link_cages import cage_of_port, cage_slots
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, LinkEnd

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
