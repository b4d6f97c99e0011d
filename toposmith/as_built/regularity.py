"""The regular fabric closest to a dump: tiers, pods, rails and numbers of cables.

Leaves are switches on which hosts are; pods are leaves that share at least half of their hosts; the
rail of a leaf is the label that most adapters on it have. :mod:`brown_field` lists the cables that
deviate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from toposmith.as_built.cable_list import Cabling, ListedEnd, UnreadableError, know_kinds
from toposmith.text import counted, natural

_FEW = 3
"""A switch with less than a third of the hosts that leaves have is no leaf."""

_SHARED = 0.5
_STRAY = 20
"""A tier has at least one in so many of the cables of the tier below."""

MOST_TIERS = 3


@dataclass
class Regularity:
    """A regular fabric close to a dump.

    Parameters
    ----------
    pods : list of list of str
        Leaves by pod, in the order of rails.
    hosts : list of list of str
        Hosts by pod.
    ports : int
        Ports that most hosts have.
    units : list of list of list of str
        Of each tier above, its switches by unit: one unit, one for each rail, or one for each pod.
    per : list of str
        The criterion of the units of each tier: empty, ``rail`` or ``pod``.
    cables : list of int
        Cables from each leaf to each switch of the second tier of its unit, and so on upwards.
    speed_gbit : float or None
        The speed of most cables, Gb/s.
    left_out : list of str
        Hosts that differ from the others.
    """

    pods: list[list[str]]
    hosts: list[list[str]]
    ports: int
    units: list[list[list[str]]] = field(default_factory=list)
    per: list[str] = field(default_factory=list)
    cables: list[int] = field(default_factory=list)
    speed_gbit: float | None = None
    left_out: list[str] = field(default_factory=list)

    @property
    def rails(self) -> int:
        """Leaves of a pod."""
        return max(map(len, self.pods))


def regularity_of(dump: Cabling, port_of: Mapping[str, int] | None = None) -> Regularity:
    """The regular fabric closest to a dump.

    Parameters
    ----------
    dump : Cabling
        The cables of the fabric.
    port_of : mapping of str to int, optional
        Ports by adapter label, which give the order of rails; without it, or with other labels,
        rails are in the order of the labels.

    Raises
    ------
    UnreadableError
        If there are no hosts, none has a name or a switch, or there are more than three tiers of
        switches.
    """
    know_kinds(dump)
    named = {key for key, one in dump.devices.items() if one.kind == "host" and not one.unnamed}
    hosts = {key for key, one in dump.devices.items() if one.kind == "host"}
    if not named:
        what = "no host in it has a name of its own" if hosts else "there are no hosts in it"
        raise UnreadableError(
            f"{dump.source}: {what}: which adapters form a host, and so pods and rails, is "
            "unknown; rename them (--map works with a plan only), or begin with a template"
        )
    at: dict[str, dict[str, list[ListedEnd]]] = defaultdict(lambda: defaultdict(list))
    joined: Counter[frozenset[str]] = Counter()
    for cable in dump.cables:
        ends = {cable.a.device: cable.a, cable.z.device: cable.z}
        held = [key for key in ends if key in hosts]
        if len(held) == 1 and len(ends) == 2:
            switch = next(key for key in ends if key not in hosts)
            if held[0] in named:
                at[switch][held[0]].append(ends[held[0]])
        elif not held and len(ends) == 2:
            joined[frozenset(ends)] += 1
    leaves = _leaves(at)
    ports = _ports(at, leaves)
    if not ports:
        raise UnreadableError(
            f"{dump.source}: no host with a name of its own is cabled to a switch in it: was the "
            "text cut, or is it of hosts alone?"
        )
    usual = Counter(ports.values()).most_common(1)[0][0]
    alike = {host for host, many in ports.items() if 2 * many > usual and many <= usual}
    pods = _pods({leaf: set(at[leaf]) & alike for leaf in leaves})
    ordered = _by_rail(pods, at, port_of or {})
    everywhere = Counter[str]()
    for near in at.values():
        everywhere.update({host: len(ends) for host, ends in near.items()})
    members = [_members(pod, at, alike, everywhere) for pod in ordered]
    order = sorted(range(len(ordered)), key=lambda n: natural(min(members[n], key=natural)))
    speeds = Counter(one.speed_gbit for one in dump.cables if one.speed_gbit is not None)
    found = Regularity(
        [ordered[n] for n in order], [members[n] for n in order], usual,
        speed_gbit=speeds.most_common(1)[0][0] if speeds else None,
        left_out=sorted((dump.devices[key].name for key in named - alike), key=natural),
    )  # fmt: skip
    _upper(dump, found, joined, leaves)
    return found


def _leaves(at: dict[str, dict[str, list[ListedEnd]]]) -> set[str]:
    many = {switch: len(hosts) for switch, hosts in at.items()}
    return {switch for switch, held in many.items() if _FEW * held >= _usual(many)}


def _usual(many: Mapping[str, int]) -> float:
    """What the fuller half has."""
    return median(sorted(many.values())[len(many) // 2 :]) if many else 0


def _ports(at: dict[str, dict[str, list[ListedEnd]]], leaves: set[str]) -> Counter[str]:
    many: Counter[str] = Counter()
    for leaf in leaves:
        for host, ends in at[leaf].items():
            many[host] += len(ends)
    return many


def _pods(hosts: dict[str, set[str]]) -> list[list[str]]:
    """Leaves that share at least half of their hosts, one with another."""
    leaves = sorted(hosts, key=natural)
    shared: Counter[tuple[str, str]] = Counter()
    on: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        for host in hosts[leaf]:
            on[host].append(leaf)
    for held in on.values():
        for place, one in enumerate(held):
            for other in held[place + 1 :]:
                shared[one, other] += 1
    pod = {leaf: leaf for leaf in leaves}

    def root(leaf: str) -> str:
        while pod[leaf] != leaf:
            leaf = pod[leaf]
        return leaf

    for (one, other), many in shared.items():
        if many >= _SHARED * min(len(hosts[one]), len(hosts[other])):
            pod[root(other)] = root(one)
    found: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        if hosts[leaf]:
            found[root(leaf)].append(leaf)
    return list(found.values())


def _by_rail(
    pods: list[list[str]], at: dict[str, dict[str, list[ListedEnd]]], ports: Mapping[str, int]
) -> list[list[str]]:
    """The leaves of each pod in the order of the ports that most hosts have on them.

    Where these are not known, in that of the leaves' names if it is of the same adapters in every
    pod, so that a design of the fabric calls each leaf as the dump does; else in that of adapters.
    """
    label: dict[str, str] = {}
    for leaf in (leaf for pod in pods for leaf in pod):
        labels = Counter(end.port for ends in at[leaf].values() for end in ends)
        label[leaf] = min(labels, key=lambda one: (-labels[one], natural(one)))
    known = all(one in ports for one in label.values())
    by_name = {tuple(label[leaf] for leaf in sorted(pod, key=natural)) for pod in pods}

    def rail(leaf: str) -> tuple[object, ...]:
        adapter = natural(label[leaf]) if known or len(by_name) > 1 else []
        return (ports[label[leaf]] if known else 0, adapter, natural(leaf))

    return [sorted(pod, key=rail) for pod in pods]


def _members(
    pod: list[str],
    at: dict[str, dict[str, list[ListedEnd]]],
    alike: set[str],
    everywhere: Mapping[str, int],
) -> list[str]:
    """Hosts with most of their ports in a pod, of those ``everywhere``."""
    here: Counter[str] = Counter()
    for leaf in pod:
        here.update({host: len(ends) for host, ends in at[leaf].items()})
    inside = [host for host in here if host in alike and 2 * here[host] > everywhere[host]]
    return sorted(inside, key=natural)


def _upper(
    dump: Cabling, found: Regularity, joined: Counter[frozenset[str]], leaves: set[str]
) -> None:
    """Tiers above the leaves, the units that their switches are in, and the usual cables."""
    switches = {key for key, one in dump.devices.items() if one.kind != "host"}
    below = [leaf for pod in found.pods for leaf in pod]
    known = leaves | set(below)
    where = {leaf: (pod, rail) for pod, held in enumerate(found.pods)
             for rail, leaf in enumerate(held)}  # fmt: skip
    lower = sum(map(len, found.hosts)) * found.ports
    for _ in range(MOST_TIERS):
        tier = sorted(
            {key for pair in joined for key in pair
             if key in switches - known and pair & set(below)}, key=natural
        )  # fmt: skip
        held = {key: sum(joined[frozenset((one, key))] for one in below) for key in tier}
        tier = [key for key in tier if _FEW * held[key] >= _usual(held)]
        if sum(held.values()) * _STRAY < lower:
            break  # a few cables to switches that join nothing else are no tier
        if len(found.units) == MOST_TIERS - 1:
            raise UnreadableError(f"{dump.source}: switches in more than {MOST_TIERS} tiers")
        per = _units_go_by(tier, below, where, joined) if len(found.units) == 0 else ""
        units = _units(tier, per, where, joined)
        pairs = [
            joined[frozenset((one, other))]
            for one in below for other in tier if joined[frozenset((one, other))]
        ]  # fmt: skip
        found.units.append(units)
        found.per.append(per)
        found.cables.append(Counter(pairs).most_common(1)[0][0])
        known |= set(held)
        below, lower = tier, sum(held.values())


def _units_go_by(
    tier: list[str],
    below: list[str],
    where: dict[str, tuple[int, int]],
    joined: Counter[frozenset[str]],
) -> str:
    """Whether switches above join leaves of one rail, of one pod, or all of them."""
    share: dict[str, list[float]] = {"rail": [], "pod": []}
    for switch in tier:
        pods: Counter[int] = Counter()
        rails: Counter[int] = Counter()
        for leaf in below:
            many = joined[frozenset((leaf, switch))]
            if many and leaf in where:
                pods[where[leaf][0]] += many
                rails[where[leaf][1]] += many
        for name, tallied in (("rail", rails), ("pod", pods)):
            if tallied:
                share[name].append(tallied.most_common(1)[0][1] / sum(tallied.values()))
    several = {
        "rail": len({rail for _, rail in where.values()}) > 1,
        "pod": len({pod for pod, _ in where.values()}) > 1,
    }
    for name in ("rail", "pod"):
        if several[name] and share[name] and sum(share[name]) / len(share[name]) > 0.9:
            return name
    return ""


def _units(
    tier: list[str],
    per: str,
    where: dict[str, tuple[int, int]],
    joined: Counter[frozenset[str]],
) -> list[list[str]]:
    """The switches of a tier by the rail or pod that most of their cables go to."""
    if not per:
        return [tier]
    side = 1 if per == "rail" else 0
    units: list[list[str]] = [[] for _ in range(1 + max(at[side] for at in where.values()))]
    for switch in tier:
        tallied: Counter[int] = Counter()
        for leaf, at in where.items():
            tallied[at[side]] += joined[frozenset((leaf, switch))]
        units[tallied.most_common(1)[0][0]].append(switch)
    return units


_USUAL = 0.5


def irregularities(dump: Cabling) -> list[str]:
    """Hosts on a switch above the leaves, bundles with fewer cables than others, mixed speeds."""
    know_kinds(dump)
    kinds = {key: device.kind for key, device in dump.devices.items()}
    hosts: dict[str, list[str]] = defaultdict(list)
    bundles: Counter[frozenset[str]] = Counter()
    for cable in dump.cables:
        a, z = cable.a.device, cable.z.device
        if kinds[a] != "host" and kinds[z] != "host":
            bundles[frozenset((a, z))] += 1
        elif kinds[a] == "host":
            hosts[z].append(a)
        else:
            hosts[a].append(z)
    return [*_hosts_above(dump, hosts, bundles), *_short(dump, bundles), *_speeds(dump)]


def _hosts_above(
    dump: Cabling, hosts: dict[str, list[str]], bundles: Counter[frozenset[str]]
) -> list[str]:
    """Switches that mostly join switches, and have a few hosts all the same."""
    switches = [key for key, device in dump.devices.items() if device.kind != "host"]
    counts = sorted(len(hosts.get(key, [])) for key in switches)
    usual = counts[len(counts) * 3 // 4] if counts else 0
    lines = []
    for key in sorted(switches, key=natural):
        held = hosts.get(key, [])
        up = sum(many for pair, many in bundles.items() if key in pair)
        if held and up > 2 * len(held) and len(held) < usual / 3:
            names = sorted({dump.devices[one].name for one in held}, key=natural)
            lines.append(
                f"{dump.devices[key].name}: {counted(len(held), 'host port')} on a switch that "
                "joins switches "
                f"({', '.join(names[:6])})"
            )
    return lines


def _short(dump: Cabling, bundles: Counter[frozenset[str]]) -> list[str]:
    """Pairs with fewer cables than most pairs of these switches."""
    if len(bundles) < 3:
        return []
    usual, times = Counter(bundles.values()).most_common(1)[0]
    if times < _USUAL * len(bundles):
        return []
    lines = []
    for pair, many in sorted(bundles.items(), key=lambda one: sorted(one[0])):
        if many < usual:
            names = " - ".join(sorted((dump.devices[one].name for one in pair), key=natural))
            lines.append(f"{names}: {many} of {usual} cables")
    return lines


def _speeds(dump: Cabling) -> list[str]:
    speeds = Counter(one.speed_gbit for one in dump.cables if one.speed_gbit is not None)
    if len(speeds) < 2:
        return []
    words = (f"{many:,} at {speed:g} Gb/s" for speed, many in speeds.most_common())
    return [f"links run at {len(speeds)} speeds: {', '.join(words)}"]
