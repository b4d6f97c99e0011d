"""What a machine says of its own inside, against the part that is planned for it.

``nvidia-smi topo -m`` has a row for each GPU and NIC: ``NV18`` where two GPUs are joined by 18
NVLinks, else where PCIe joins them: at most one switch (PIX), several (PXB), a host bridge (PHB),
one NUMA node (NODE), or beyond it (SYS, once SOC). ``nvidia-smi nvlink -s`` has the rate of each
NVLink of each GPU.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import PurePath
from typing import Any

import networkx as nx

from toposmith.as_built.cable_list import Cabling, UnreadableError, key_of, short_name
from toposmith.catalog import Catalog
from toposmith.catalog.parts import Gpu, Node
from toposmith.design.loader import shown
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.foreign_values import finite_number, whole_number
from toposmith.text import counted, joined

_BEGIN = re.compile(r"\s*GPU0\s+X(?:\s|$)|GPU +\d+: [^(]*\(UUID: ")
_RELATION = re.compile(r"X|NV(\d{1,3})|PIX|PXB|PHB|NODE|SYS|SOC")
_PROMPT = re.compile(r"@([A-Za-z][\w.-]{0,62})\b[^@]{0,200}\Z")
_GPU = re.compile(r"GPU(\d{1,4})")
_GPU_LINKS = re.compile(r"GPU +(\d{1,4}): ")
_LINK = re.compile(r"\s*Link (\d{1,3}): (?:([\d.]{1,20}) GB/s|<?inactive>?)")
_ONE_SWITCH = ("PIX", "PXB")
_MOST_GPUS = 256

Pair = tuple[int, int]


@dataclass
class Machine:
    """One table of a machine.

    Parameters
    ----------
    name : str
        The host in the prompt before the command, else in the file's name.
    place : str
        ``file:line`` of its head.
    gpus : int
        GPUs in the table; of ``nvlink -s`` those that have lines.
    relations : dict
        From a row and a column to what joins them; GPUs are called ``GPU0``.
    rates : dict
        GB/s of each NVLink of each GPU, None where it is inactive.
    """

    name: str
    place: str
    gpus: int = 0
    relations: dict[tuple[str, str], str] = field(default_factory=dict)
    rates: dict[int, dict[int, float | None]] = field(default_factory=dict)

    @property
    def nics(self) -> list[str]:
        """Names of NICs, in the order of the table."""
        names = dict.fromkeys(name for pair in self.relations for name in pair)
        return [name for name in names if not _GPU.fullmatch(name)]

    def between(self, one: str, other: str) -> str:
        """What joins two of a table, by the row of either; empty where none says."""
        return self.relations.get((one, other)) or self.relations.get((other, one), "")

    def nvlinks(self) -> dict[Pair, int]:
        """NVLinks between each two GPUs; the fewer of what both rows say."""
        found = {}
        for a, b in combinations(range(self.gpus), 2):
            ways = ((f"GPU{a}", f"GPU{b}"), (f"GPU{b}", f"GPU{a}"))
            said = [_RELATION.fullmatch(self.relations[way]) for way in ways]
            found[a, b] = min(int((one and one[1]) or 0) for one in said)
        return found


def is_machine(lines: list[str]) -> bool:
    """Whether any line begins a table of a machine."""
    return any(_BEGIN.match(line) for line in lines)


def read_machines(source: str, lines: list[str]) -> list[Machine]:
    """Every table of a file.

    Raises
    ------
    UnreadableError
        Where a table is cut, or has a sign that nvidia-smi does not write.
    """
    found: list[Machine] = []
    host, columns, gpu = PurePath(source).name.split(".")[0], [""], -1
    for number, line in enumerate(lines, 1):
        place, words = f"{source}:{number}", line.split()
        before, command, _ = line.partition("nvidia-smi ")
        if command:
            prompt = _PROMPT.search(before[-300:])
            host, gpu = prompt[1] if prompt else host, -1
        elif head := _GPU_LINKS.match(line):
            if not found or found[-1].relations or found[-1].name != host:
                found.append(Machine(host, place))
            gpu = whole_number(head[1], place)
            found[-1].rates.setdefault(gpu, {})
        elif found and gpu >= 0 and (link := _LINK.match(line)):
            rate = finite_number(link[2], place) if link[2] else None
            found[-1].rates[gpu][whole_number(link[1], place)] = rate
        elif words[:1] == ["GPU0"] and not (words[1:] and _RELATION.fullmatch(words[1])):
            ends = [at for at, word in enumerate(words) if word in ("CPU", "NUMA")]
            columns, gpu = words[: min(ends, default=len(words))], -1
            gpus = sum(bool(_GPU.fullmatch(word)) for word in columns)
            if gpus > _MOST_GPUS or len(set(columns)) < len(columns):
                raise UnreadableError(
                    f"{place}: {gpus} GPUs, or one twice; expected {_MOST_GPUS} at most"
                )
            found.append(Machine(host, place, gpus))
        elif found and gpu < 0 and words[1:] and _RELATION.fullmatch(words[1]):
            _read_row(found[-1], columns, words, place)
    for machine in found:
        _require_whole(machine)
    return found


def _read_row(machine: Machine, columns: list[str], words: list[str], place: str) -> None:
    name, cells = words[0], words[1 : len(columns) + 1]
    for column, cell in zip(columns, cells, strict=False):
        if not _RELATION.fullmatch(cell) or (cell == "X") != (name == column):
            raise UnreadableError(
                f"{place}: {name} - {column}: found {shown(cell)}; expected X for itself, else "
                "NV and a number, PIX, PXB, PHB, NODE or SYS"
            )
        machine.relations[name, column] = cell
    if len(cells) < len(columns):
        raise UnreadableError(
            f"{place}: {name} has {counted(len(cells), 'cell')} for "
            f"{counted(len(columns), 'column')}: was it cut?"
        )


def _require_whole(machine: Machine) -> None:
    for number in range(machine.gpus):
        if (f"GPU{number}", "GPU0") not in machine.relations:
            raise UnreadableError(f"{machine.place}: the table has no row GPU{number}: was it cut?")
    if not machine.gpus and not any(machine.rates.values()):
        raise UnreadableError(f"{machine.place}: no NVLink has a rate here; expected nvlink -s")
    machine.gpus = machine.gpus or len(machine.rates)


def planned_group(machine: Machine, planned: Cabling, plan: Plan) -> GroupPlan:
    """The group of nodes that a machine is of: by its name, else the only kind of node.

    Raises
    ------
    UnreadableError
        Where several kinds of nodes could be meant, or there is none.
    """
    keys = key_of(machine.name), key_of(short_name(machine.name))
    device = next((planned.devices[key] for key in keys if key in planned.devices), None)
    nodes = [(group.node, group) for group in plan.groups.values() if group.node is not None]
    if device is not None:
        nodes = [(node, group) for node, group in nodes if group.name == device.group]
    parts = {node.id: group for node, group in nodes}
    of_its_size = {node.id: group for node, group in nodes if node.gpus == machine.gpus}
    if len(parts) > 1 and len(of_its_size) == 1:
        parts = of_its_size
    if len(parts) != 1:
        kinds = joined(sorted(parts), "or") or "no node of this name"
        raise UnreadableError(
            f"{machine.place}: {shown(machine.name)} is no node of the design, which has {kinds}: "
            "name the file like the node"
        )
    return next(iter(parts.values()))


def compared_machine(
    machine: Machine, planned: Cabling, plan: Plan, catalog: Catalog
) -> dict[str, Any]:
    """A machine and what it has otherwise, as plain data under stable keys (docs/as-built.md).

    Parameters
    ----------
    machine : Machine
        What it says.
    planned : Cabling
        The cables of the design, by whose devices the machine is found.
    plan, catalog
        The design, and where its parts are.

    Raises
    ------
    UnreadableError
        Where it cannot be told which node of the design it is.
    """
    group = planned_group(machine, planned, plan)
    node = group.node
    gpu = catalog.get(node.gpu) if node is not None else None
    differences: list[str] = []
    if node is not None and isinstance(gpu, Gpu):
        links = _planned_links(node, gpu)
        if machine.rates:
            differences += _rate_differences(machine, links, gpu)
        else:
            differences += _link_differences(machine, node, links)
            differences += _nic_differences(machine, node, group)
    return {
        "machine": machine.name,
        "place": machine.place,
        "part": None if node is None else node.id,
        "gpus": machine.gpus,
        "nics": len(machine.nics) if machine.relations else None,
        "differences": differences,
    }


def _planned_links(node: Node, gpu: Gpu) -> dict[Pair, int]:
    """NVLinks between each two GPUs; behind NVSwitches all that a GPU has."""
    fabric, port = node.nvlink, gpu.nvlink
    pairs = dict.fromkeys(combinations(range(node.gpus), 2), 0)
    if fabric is None or port is None:
        return pairs
    if fabric.shape == "nvswitch":
        return dict.fromkeys(pairs, port.links)
    for a, b, *links in fabric.pairs or pairs:
        pairs[min(a, b), max(a, b)] = links[0] if links else fabric.links_per_pair or 0
    return pairs


def _each(links: dict[Pair, int], *, shared: bool) -> dict[int, int]:
    """NVLinks of each GPU: to all others together; behind NVSwitches those to one of them."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for (a, b), count in links.items():
        found[a].append(count)
        found[b].append(count)
    return {gpu: max(counts) if shared else sum(counts) for gpu, counts in found.items()}


def _grouped(words: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Each sentence once, behind the GPUs that it is about."""
    gpus: defaultdict[str, list[str]] = defaultdict(list)
    for sentence, gpu in words:
        gpus[sentence].append(f"GPU{gpu}")
    for sentence, names in gpus.items():
        yield f"{', '.join(names)}: {sentence}"


def _link_differences(machine: Machine, node: Node, planned: dict[Pair, int]) -> Iterator[str]:
    shared = node.nvlink is not None and node.nvlink.shape == "nvswitch"
    links = machine.nvlinks()
    own, wanted = _each(links, shared=shared), _each(planned, shared=shared)
    if machine.gpus != node.gpus:
        yield f"{counted(machine.gpus, 'GPU')}, planned {node.gpus}"
    yield from _grouped(
        (f"{counted(count, 'NVLink')}, planned {wanted[gpu]}", gpu)
        for gpu, count in own.items()
        if gpu in wanted and count != wanted[gpu]
    )
    if shared:
        for (a, b), count in links.items():
            if count < min(own[a], own[b]):
                yield f"GPU{a} - GPU{b}: {counted(count, 'NVLink')}, to other GPUs more"
    elif own == wanted and links.keys() == planned.keys() and not _renumbered(links, planned):
        yield "NVLinks lead to other GPUs than planned"


def _renumbered(links: dict[Pair, int], planned: dict[Pair, int]) -> bool:
    """Whether GPUs are joined as planned under some numbering: drivers number them by PCI bus."""
    one, other = (
        nx.Graph([(a, b, {"links": count}) for (a, b), count in it.items() if count])
        for it in (links, planned)
    )
    return bool(nx.is_isomorphic(one, other, edge_match=lambda a, b: bool(a == b)))


def _nic_differences(machine: Machine, node: Node, group: GroupPlan) -> Iterator[str]:
    fitted = {name: ports.nics for name, ports in group.port_groups.items()}
    nics = machine.nics
    if len(nics) < sum(fitted.values()):
        yield f"{counted(len(nics), 'NIC')}, planned {sum(fitted.values())}"
    near: defaultdict[int, list[int]] = defaultdict(list)
    with_nic = set()
    for number, branch in enumerate(node.branches):
        top = number
        while (above := node.branches[top].below) is not None:
            top = above
        if branch.switch:
            near[top] += branch.gpus
            if any(slot < fitted.get(name, 0) for name, it in branch.slots.items() for slot in it):
                with_nic.add(top)
    planned = sum(len(near[top]) for top in with_nic)
    gpus = [f"GPU{gpu}" for gpu in range(machine.gpus)]
    far = [gpu for gpu in gpus if all(machine.between(gpu, it) not in _ONE_SWITCH for it in nics)]
    if len(gpus) - len(far) < min(planned, len(gpus)):
        near_one = counted(len(gpus) - len(far), "GPU", "have")
        yield (
            f"{near_one} a NIC on the same PCIe switch (PIX or PXB), planned {planned}: "
            f"none for {joined(far)}"
        )


def _rate_differences(machine: Machine, planned: dict[Pair, int], gpu: Gpu) -> Iterator[str]:
    port = gpu.nvlink
    if port is None:
        yield f"NVLinks, and {gpu.name} has none"
        return
    links = port.links if any(planned.values()) else 0
    words = []
    for number, rates in machine.rates.items():
        active = [rate for rate in rates.values() if rate is not None]
        slow = [rate for rate in active if rate < port.GBps_per_link]
        if len(active) != links:
            words.append((f"{counted(len(active), 'NVLink')} active, planned {links}", number))
        if slow:
            slowest = f"{min(slow):g} GB/s, planned {port.GBps_per_link:g}"
            words.append((f"{counted(len(slow), 'NVLink')} at {slowest}", number))
    yield from _grouped(words)
