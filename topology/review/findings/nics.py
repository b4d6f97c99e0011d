"""NICs of nodes: too few, uneven, on the wrong socket, idle, or faster than their slot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toposmith.catalog.parts import Node
from toposmith.topology.fabric.plan import Finding, PortGroup, Value
from toposmith.topology.review.findings.protocols import best_nic
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject, found
from toposmith.topology.units import line_rate_GBps


def fewer_than_gpus(subject: Subject, finding: Finding) -> Explained:
    """NICs for each GPU, and what the policy's count would give."""
    group, ports = _of(subject, finding.where)
    if group is None or ports is None or ports.nic is None:
        return None, None
    figure = f"{ports.nics / group.gpus:.3g} NICs per GPU"
    wanted = min(ports.slots, group.gpus)
    if wanted <= ports.nics:
        return figure, f"take a node with {group.gpus} slots; this one has {ports.slots}"
    each = wanted * line_rate_GBps(ports.nic.together_gbit) / group.gpus
    return figure, f"fit {wanted} of {ports.slots} slots: {each:.3g} GB/s of line rate per GPU"


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether a count of NICs is one that the policy allows."""
    if finding.code != "fewer-nics-than-gpus" or finding.value is None:
        return False
    return not finding.value.beyond(subject.policy.limits.nics_per_gpu)


def slot_too_slow(subject: Subject, finding: Finding) -> Explained:
    """The NIC that the slot can feed."""
    node, ports = _of(subject, finding.where)
    if node is None or ports is None or ports.nic is None:
        return None, None
    wanted = line_rate_GBps(ports.nic.together_gbit)
    link = next((o for o in subject.plan.links if finding.where in (o.a.label, o.b.label)), None)
    speeds = sorted({ports.nic.speed_gbit, ports.nic.speed_gbit // 2, ports.nic.speed_gbit // 4})
    protocol = link.protocol if link else ports.nic.protocols[0]
    nic = best_nic(subject, protocol, speeds, node.slots[ports.name].pcie)
    remedy = f"fit {nic.id}, which the slot can feed" if nic else "take a node with faster slots"
    return f"needs {wanted:.3g} GB/s", remedy


def uneven(subject: Subject) -> Iterator[Finding]:
    """Nodes whose GPUs do not divide over their NICs."""
    for group, ports in subject.node_groups():
        node = group.node
        if node is None or ports.nics >= node.gpus or subject.network.world.nodes < 2:
            continue
        if node.gpus % ports.nics:
            most = -(-node.gpus // ports.nics)
            text = f"{node.gpus} GPUs do not divide over {ports.nics} NICs: one serves {most} GPUs"
            works = [n for n in range(1, ports.slots + 1) if _suits(node, ports.name, n)]
            more = [n for n in works if n > ports.nics]
            fewer = f"fit {max(works)}, " if works else ""
            remedy = f"fit {more[0]}" if more else f"{fewer}or take a node with {node.gpus} slots"
            where = f"{group.name}.{ports.name}"
            yield found("nics-uneven", where, text, f"{node.gpus} over {ports.nics}", remedy)


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
        figure = f"{far} of {group.node.gpus} GPUs"
        text = f"all {ports.nics} NICs are below other sockets than {far} of its GPUs"
        more = range(ports.nics + 1, ports.slots + 1)
        enough = next((n for n in more if _suits(group.node, ports.name, n)), None)
        remedy = (
            f"fit {enough} NICs, the fewest that reach every socket and that GPUs divide over"
            if enough
            else "take a node with slots below every socket"
        )
        where = f"{group.name}.{ports.name}"
        yield found("nic-far-socket", where, text, figure, remedy, Value(far, "GPUs"))


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
        text = f"{use.free} of {use.cages} ports of {ports.nic.name} have no cable"
        figure = f"{use.free} of {use.cages} ports"
        remedy = f"cable them, or fit {-(-use.used // ports.nic.ports)} NICs"
        value = Value(use.free, "ports")
        yield found("nics-idle", f"{name}.{slots}", text, figure, remedy, value)


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


def _of(subject: Subject, where: str) -> tuple[Node | None, PortGroup | None]:
    name, _, slots = where.partition(".")
    group = subject.plan.groups.get(name)
    if group is None:
        return None, None
    return group.node, group.port_groups.get(slots)


FIND: tuple[Find, ...] = (uneven, far_socket, idle)
EXPLAIN: Explainers = {
    "fewer-nics-than-gpus": fewer_than_gpus,
    "slot-slower-than-nic": slot_too_slow,
}
