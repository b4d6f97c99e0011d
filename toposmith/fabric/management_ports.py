"""Out-of-band management ports (RJ45, 1 Gb/s), and uplinks of their switches.

A node's is that of its BMC (iDRAC, iLO, XCC), a switch's the one called MGMT. A device has them in
a plan only where a link names them, as ``node.management`` or ``leaf.management``; so too the cages
of another kind that a switch has besides those for its links, as ``out-of-band.uplink``.
"""

from __future__ import annotations

import re
from itertools import chain

from toposmith.catalog import Nic, Node, Part, Storage, Switch
from toposmith.catalog.pieces import Pcie
from toposmith.design.document import Design
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, Plan, PortGroup

MANAGEMENT_NIC = Nic(
    id="management-port",
    name="management port",
    vendor="generic",
    ports=1,
    speed_gbit=1,
    cage="rj45",
    lanes=1,
    protocols=("ethernet",),
    transports=("tcp",),
    pcie=Pcie(generation=1, width=1),
    source="IEEE 802.3, 1000BASE-T",
)
"""What is behind the socket; it is built in, and no line of a bill."""


def management_ports(part: Part) -> int | None:
    """The number of a device's management ports; None where unknown, or the part has none."""
    return part.management_ports if isinstance(part, Node | Storage | Switch) else None


def named_slots(design: Design) -> frozenset[tuple[str, str]]:
    """The management ports and uplinks that links and single cables name, by group and slots."""
    of_links = (end for link in design.links for end in link.between)
    of_cables = (end for cable in design.cables for end in (cable.a, cable.z))
    ends = [_NAMED.match(end) for end in chain(of_links, of_cables)]
    return frozenset((end["group"], end["slots"]) for end in ends if end is not None)


_NAMED = re.compile(
    rf"\s*(?P<group>[^.\[\s]+)\s*(?:\[[^\]]*\])?\s*\.\s*(?P<slots>{MANAGEMENT}|{UPLINK})\b"
)


def cabled_management(
    named: frozenset[tuple[str, str]], name: str, part: Part
) -> dict[str, PortGroup]:
    """The management ports of a group that a link of the design names; empty where none does.

    One port is assumed where the catalog does not know how many there are. Slots that the part
    itself calls so come first.
    """
    own = part.slots if isinstance(part, Node | Storage) else {}
    if MANAGEMENT in own or (name, MANAGEMENT) not in named:
        return {}
    ports = management_ports(part) or 1
    return {MANAGEMENT: PortGroup(MANAGEMENT, ports, MANAGEMENT_NIC, ports, ports)}


def cabled_uplinks(
    named: frozenset[tuple[str, str]], name: str, switch: Switch
) -> dict[str, PortGroup]:
    """The cages of another kind of a switch, one port each; empty where no link names them."""
    if not switch.more_cages or (name, UPLINK) not in named:
        return {}
    cages = switch.more_cages[0]
    port = MANAGEMENT_NIC.model_copy(
        update={
            "id": UPLINK,
            "name": f"uplink of {switch.name}",
            "vendor": switch.vendor,
            "speed_gbit": cages.modes[0].speed_gbit,
            "cage": cages.cage,
            "lanes": cages.lanes,
            "protocols": (switch.protocol,),
        }
    )
    return {UPLINK: PortGroup(UPLINK, cages.count, port, cages.count, cages.count)}


def assumed_management(plan: Plan) -> list[str]:
    """Parts cabled with one management port because the catalog has no count."""
    cabled = (
        group.part
        for group in plan.groups.values()
        if group.part is not None
        and (held := group.port_groups.get(MANAGEMENT)) is not None
        and held.nic is MANAGEMENT_NIC
    )
    return list(dict.fromkeys(part.id for part in cabled if management_ports(part) is None))


def is_provided(group: GroupPlan) -> bool:
    """Whether it is a cloud provider's machine, whose ports the user does not cable."""
    nics = [ports.nic for ports in group.port_groups.values() if ports.nic is not None]
    return bool(nics) and all(nic.cage == "virtual" for nic in nics)
