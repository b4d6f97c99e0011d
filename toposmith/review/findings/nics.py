"""NICs of nodes: too few, uneven, on the wrong socket, idle, or faster than their slot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toposmith.catalog.parts import Node
from toposmith.fabric.plan import PortGroup
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import Place, at_group
from toposmith.review.findings.protocols import best_nic
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject
from toposmith.units import line_rate_GBps


def fewer_than_gpus(subject: Subject, finding: Finding) -> Explained:
    """NICs for each GPU, and what the policy's count would give."""
    node, ports = _of(subject, finding.place)
    if node is None or ports is None or ports.nic is None:
        return {}
    enough = min(ports.slots, node.gpus)
    if enough <= ports.nics:
        return {"slots": ports.slots}
    each = enough * line_rate_GBps(ports.nic.together_gbit) / node.gpus
    return {"slots": ports.slots, "enough": enough, "enough_GBps": each}


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether a count of NICs is one that the policy allows."""
    if finding.code != "fewer-nics-than-gpus" or finding.value is None:
        return False
    return not finding.value.beyond(subject.policy.limits.nics_per_gpu)


def slot_too_slow(subject: Subject, finding: Finding) -> Explained:
    """The NIC that the slot can feed."""
    node, ports = _of(subject, finding.place)
    if node is None or ports is None or ports.nic is None:
        return {}
    ends = ((one, end) for one in subject.plan.links for end in (one.a, one.b))
    here = (finding.place.group, finding.place.slots)
    link = next((one for one, end in ends if (end.group, end.ports) == here), None)
    speeds = sorted({ports.nic.speed_gbit, ports.nic.speed_gbit // 2, ports.nic.speed_gbit // 4})
    protocol = link.protocol if link else ports.nic.protocols[0]
    nic = best_nic(subject, protocol, speeds, node.slots[ports.name].pcie)
    return {"nic_that_fits": nic.id if nic else ""}


def uneven(subject: Subject) -> Iterator[Finding]:
    """Nodes whose GPUs do not divide over their NICs."""
    for group, ports in subject.node_groups():
        node = group.node
        if node is None or ports.nics >= node.gpus or subject.network.world.nodes < 2:
            continue
        if node.gpus % ports.nics:
            most = -(-node.gpus // ports.nics)
            works = [n for n in range(1, ports.slots + 1) if _suits(node, ports.name, n)]
            more = [n for n in works if n > ports.nics]
            yield found(
                "nics-uneven",
                at_group(group.name, ports.name),
                gpus=node.gpus,
                nics=ports.nics,
                most_gpus=most,
                more=more[0] if more else None,
                fewer=max(works, default=None),
            )


def far_socket(subject: Subject) -> Iterator[Finding]:
    """Nodes with enough NICs for every socket with GPUs, but none below one of them."""
    for group, ports in subject.node_groups():
        if group.node is None or subject.network.world.nodes < 2:
            continue
        gpus = Counter({s: n for s, n in _per_socket(group.node, None, 0).items() if n})
        nics = _per_socket(group.node, ports.name, ports.nics)
        bare = [socket for socket in gpus if not nics[socket]]
        if not bare or ports.nics < len(gpus):
            continue
        far = sum(gpus[socket] for socket in bare)
        more = range(ports.nics + 1, ports.slots + 1)
        enough = next((n for n in more if _suits(group.node, ports.name, n)), None)
        yield found(
            "nic-far-socket",
            at_group(group.name, ports.name),
            nics=ports.nics,
            far_gpus=far,
            gpus=group.node.gpus,
            enough=enough,
        )


def idle(subject: Subject) -> Iterator[Finding]:
    """Ports of NICs that collectives use, or that the design itself fits, without a cable."""
    compute = subject.network.slots
    for (name, slots), use in subject.uses.items():
        group = subject.plan.groups[name]
        ports = group.port_groups[slots]
        chosen = slots in group.spec.nics or compute.get(name) == slots
        if group.node is None or not chosen or ports.nic is None or use.free <= 0:
            continue
        if not use.used and name not in compute:
            continue  # the whole node is unwired, which is said elsewhere
        yield found(
            "nics-idle",
            at_group(name, slots),
            nic=ports.nic.name,
            free=use.free,
            ports=use.cages,
            used=use.used,
            nics=ports.nics,
            on_board=bool(group.node.slots[slots].cages),
            nics_needed=-(-use.used // ports.nic.ports),
        )


def _suits(node: Node, slots: str, nics: int) -> bool:
    """Whether GPUs divide over so many NICs, and every socket with GPUs has one where it could."""
    gpus = Counter({s: n for s, n in _per_socket(node, None, 0).items() if n})
    below = _per_socket(node, slots, nics)
    bare = nics >= len(gpus) and any(not below[socket] for socket in gpus)
    return not bare and (nics >= node.gpus or node.gpus % nics == 0)


def _per_socket(node: Node, slots: str | None, fitted: int) -> Counter[int]:
    """NICs of a slot group below each socket, the first slots filled; GPUs without a group."""
    count: Counter[int] = Counter()
    for branch in node.branches:
        if slots is None:
            count[branch.socket] += len(branch.gpus)
        else:
            count[branch.socket] += sum(n < fitted for n in branch.slots.get(slots, ()))
    return count


def _of(subject: Subject, place: Place) -> tuple[Node | None, PortGroup | None]:
    group = subject.plan.groups.get(place.group)
    if group is None:
        return None, None
    return group.node, group.port_groups.get(place.slots)


FIND: tuple[Find, ...] = (uneven, far_socket, idle)
EXPLAIN: Explainers = {
    "fewer-nics-than-gpus": fewer_than_gpus,
    "slot-slower-than-nic": slot_too_slow,
}
