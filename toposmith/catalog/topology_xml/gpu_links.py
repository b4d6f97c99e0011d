"""How the GPUs of a topology file are joined: NVLinks and xGMI, direct or through switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.catalog.pieces import NvlinkFabric
from toposmith.catalog.topology_xml.notes import Notes
from toposmith.catalog.topology_xml.words import CPU_BRIDGE_CLASS, NVSWITCH_CLASS
from toposmith.catalog.topology_xml.xml_devices import XmlDevice
from toposmith.text import counted

_Pairs = dict[tuple[int, int], int]


@dataclass(frozen=True)
class JoinedGpus:
    """How GPUs are joined, and the most links that one of them has."""

    fabric: NvlinkFabric
    most: int


def joined_gpus(gpus: Sequence[XmlDevice], notes: Notes) -> JoinedGpus | None:
    """Find how GPUs are joined; None where the file states no links.

    Raises
    ------
    ImportRefused
        When GPUs are joined both directly and through NVSwitches.
    """
    place = {gpu.bus: number for number, gpu in enumerate(gpus) if gpu.bus}
    to_switches: list[Counter[str]] = []
    stated: dict[tuple[int, int], int] = {}
    for number, gpu in enumerate(gpus):
        switches: Counter[str] = Counter()
        for link in gpu.words.all("nvlink", "xgmi") if gpu.words else ():
            target, count = link.get("target").lower(), _count(link.get("count"))
            kind = link.get("tclass").lower()
            if kind.startswith(CPU_BRIDGE_CLASS):
                notes.add(link.line, "links into the CPU; left out")
            elif target in place:
                other = place[target]
                if other == number:
                    notes.add(link.line, "links of a GPU to itself; left out")
                else:
                    stated[number, other] = stated.get((number, other), 0) + count
            elif kind.startswith(NVSWITCH_CLASS) or not kind:
                switches[target] += count
            else:
                notes.add(link.line, "links to a GPU that is not in this file; left out")
        to_switches.append(switches)
    line = gpus[0].line
    if any(to_switches):
        if stated:
            raise notes.refusal(line, "GPUs joined both directly and through NVSwitches")
        return _switched(to_switches, notes, line)
    pairs = _pairs(stated, notes, line)
    return _direct(pairs, len(gpus)) if pairs else None


def _count(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _switched(to_switches: Sequence[Counter[str]], notes: Notes, line: int) -> JoinedGpus:
    counts = Counter(sum(switches.values()) for switches in to_switches)
    usual = max(counts, key=lambda links: (counts[links], links))
    if len(counts) > 1:
        each = ", ".join(
            f"{counted(links, 'link')} on {counted(many, 'GPU')}"
            for links, many in sorted(counts.items())
        )
        notes.add(line, f"not all GPUs have as many NVLinks ({each}); counted as {usual} each")
    switches = {target for found in to_switches for target in found}
    known = len(switches) if all(_is_bus(target) for target in switches) else None
    return JoinedGpus(NvlinkFabric(shape="nvswitch", switches=known), max(usual, 1))


def _is_bus(target: str) -> bool:
    """Whether a target is a device; a virtual machine, or a rack, shows all f."""
    return bool(target) and set(target) - set("f:.") != set()


def _pairs(stated: _Pairs, notes: Notes, line: int) -> _Pairs:
    """Links between two GPUs, each of which should state them."""
    pairs: _Pairs = {}
    for (a, b), count in stated.items():
        low, high = min(a, b), max(a, b)
        back = stated.get((b, a))
        if back != count and (low, high) not in pairs:
            links = counted(count, "link")
            said = f"GPU {a} states {links} to GPU {b}, which states {back or 'none'} back"
            notes.add(line, f"{said}; counted as {max(count, back or 0)}")
        pairs[low, high] = max(count, back or 0)
    return {pair: count for pair, count in sorted(pairs.items()) if count}


def _direct(pairs: _Pairs, gpus: int) -> JoinedGpus:
    used: Counter[int] = Counter()
    for pair, count in pairs.items():
        for gpu in pair:
            used[gpu] += count
    most, counts = max(used.values()), set(pairs.values())
    if len(counts) == 1:
        links = counts.pop()
        if len(pairs) == gpus * (gpus - 1) // 2 and gpus > 2:
            return JoinedGpus(NvlinkFabric(shape="mesh", links_per_pair=links), most)
        if all(count == links for count in used.values()) or gpus == 2:
            names = tuple(pairs)
            return JoinedGpus(NvlinkFabric(shape="bridge", links_per_pair=links, pairs=names), most)
    triples = tuple((a, b, count) for (a, b), count in pairs.items())
    return JoinedGpus(NvlinkFabric(shape="mesh", pairs=triples), most)
