"""Irregularities of a dump without a plan: deviations from its own pattern."""

from __future__ import annotations

from collections import Counter, defaultdict

from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.device_kinds import know_kinds
from toposmith.text import counted, natural

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
    words = ", ".join(f"{many:,} at {speed:g} Gb/s" for speed, many in speeds.most_common())
    return [f"links run at {len(speeds)} speeds: {words}"]
