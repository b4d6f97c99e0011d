"""What a cluster has to be, and the parts that leave a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog, Nic, Node, Switch
from toposmith.catalog.currencies import CURRENCIES
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.synthesis.fabrics import SHAPES, Ports, Shape
from toposmith.synthesis.search_state import nics_for, switches_for
from toposmith.text import counted

MOST_NODES = 131_072
MOST_UNITS_HIGH = 4
"""Switches of more rack units are left out unless they are named: directors count as one switch."""


@dataclass(frozen=True)
class Requirements:
    """What a cluster has to be.

    Parameters
    ----------
    nodes : int
        Nodes.
    node : str
        Their part.
    needs : mapping of str to float
        Least busbw of a GPU by collective, GB/s.
    request : Request
        What else is measured: message size, groups, NCCL, routing.
    survive : frozenset of str
        ``cable`` and ``switch``: any one of them may fail without cutting off a GPU.
    switches, nics : tuple of str
        Parts that may be used; the NICs that a node comes with, else all that fit, where none is
        named.
    nics_per_node : int, optional
        How many NICs a node gets; every number that deals evenly where it is not given.
    shapes : tuple of str
        Shapes that may be used; all where none is named.
    oversubscription : float, optional
        The most at any tier.
    budget : tuple of Decimal and str, optional
        The most that everything may cost, and its currency.
    kw_per_rack : float, optional
        What a rack may draw.
    longest_m : float, optional
        The longest cable.
    align : int, optional
        Nodes that stand together: an SU holds whole multiples.
    later : int, optional
        Nodes after growth.
    """

    nodes: int
    node: str
    needs: Mapping[Collective, float] = field(default_factory=dict)
    request: Request = field(default_factory=Request)
    survive: frozenset[str] = frozenset()
    switches: tuple[str, ...] = ()
    nics: tuple[str, ...] = ()
    nics_per_node: int | None = None
    shapes: tuple[Shape, ...] = ()
    oversubscription: float | None = None
    budget: tuple[Decimal, str] | None = None
    kw_per_rack: float | None = None
    longest_m: float | None = None
    align: int | None = None
    later: int | None = None


def check_requirements(asked: Requirements, catalog: Catalog) -> None:
    """Raise EditError for what cannot be asked, with what would be right."""
    if not 1 <= asked.nodes <= MOST_NODES:
        raise EditError(f"nodes are a number from 1 to {MOST_NODES:,}, found {asked.nodes:,}")
    if asked.later is not None and asked.later < asked.nodes:
        raise EditError(
            f"growth goes up: {counted(asked.later, 'node')} later, fewer than {asked.nodes:,}"
        )
    node = catalog.node(asked.node)
    if node.nvlink is not None and node.nvlink.domain_gpus is not None:
        raise EditError(
            f"{node.id} is a tray of an NVLink rack: `toposmith new nvlink-racks` (T in the app) "
            "writes its fabrics, the search has none of them"
        )
    held = catalog.get(node.slots[slots_of(asked, catalog)].nic or "")
    if isinstance(held, Nic) and held.cage == "virtual":
        raise EditError(f"the network of {node.id} is its provider's: there is nothing to design")
    for part in asked.switches:
        catalog.switch(part)
    for part in asked.nics:
        catalog.nic(part)


def slots_of(asked: Requirements, catalog: Catalog) -> str:
    """The slot group that is cabled: ``compute`` where there is one, else the first.

    Raises
    ------
    EditError
        If the node has no slots for NICs.
    """
    slots = catalog.node(asked.node).slots
    if not slots:
        raise EditError(f"{asked.node} has no slots for NICs: nothing can be cabled")
    return "compute" if "compute" in slots else next(iter(slots))


def all_ports(asked: Requirements, catalog: Catalog) -> Iterator[Ports]:
    """Every choice of NICs, leaf and spine that the parts leave open."""
    node, slots = catalog.node(asked.node), slots_of(asked, catalog)
    for nic, many, fitted in _nic_choices(asked, catalog, node, slots):
        switches = _switches(asked, catalog, nic)
        for leaf in switches:
            for spine in switches:
                if leaf.protocol != spine.protocol or leaf.protocol not in nic.protocols:
                    continue
                if spine is not leaf and not asked.switches:
                    continue  # two kinds of switches are tried where they are named
                found = _ports(catalog, node, slots, nic if fitted else None, many, leaf, spine)
                if found is not None:
                    yield found
                    yield from _split(found, leaf, spine)


def _nic_choices(
    asked: Requirements, catalog: Catalog, node: Node, slots: str
) -> Iterator[tuple[Nic, int, bool]]:
    """The NIC of the board, or every one that may be fitted in every number that deals evenly."""
    room = node.slots[slots]
    many = asked.nics_per_node
    if room.nic and (room.cages or not (asked.nics or many)):
        held, fitted = catalog.nic(room.nic), room.fitted or room.count
        if asked.nics and held.id not in asked.nics:
            raise EditError(f"the NICs of {node.id} are part of its board: {held.id}")
        if many not in (None, fitted):
            raise EditError(f"the NICs of {node.id} are part of its board: {fitted} of them")
        yield held, fitted, False
        return
    if many is not None and not 1 <= many <= room.count:
        raise EditError(f"{node.id} has {counted(room.count, 'slot')} for NICs, found {many}")
    counts = [each for each in (1, 2, 4, 8, 16) if each <= room.count]
    if room.count not in counts:
        counts.append(room.count)
    for nic in _nics(asked, catalog, node, slots):
        for each in counts if many is None else [many]:
            yield nic, each, True


def _nics(asked: Requirements, catalog: Catalog, node: Node, slots: str) -> list[Nic]:
    if asked.nics:
        return [catalog.nic(part) for part in asked.nics]
    found: dict[str, Nic] = {}
    for protocol in ("infiniband", "ethernet"):
        for nic in nics_for(catalog, slots, node.slots, None, protocol):
            found[nic.id] = nic
    return list(found.values())


def _switches(asked: Requirements, catalog: Catalog, nic: Nic) -> list[Switch]:
    if asked.switches:
        return [catalog.switch(part) for part in asked.switches]
    found: dict[str, Switch] = {}
    for protocol in nic.protocols:
        for ports in (1, 40, 64, 128, 256):
            for part in switches_for(
                catalog, protocol, ports=ports, vendor=nic.vendor, speed_gbit=nic.speed_gbit
            )[:1]:
                if (part.rack_units or 1) <= MOST_UNITS_HIGH:
                    found[part.id] = part
    return list(found.values())


def _ports(
    catalog: Catalog,
    node: Node,
    slots: str,
    nic: Nic | None,
    many: int,
    leaf: Switch,
    spine: Switch,
) -> Ports | None:
    """What the parts offer each other, as in a design of one of each."""
    nics = {slots: FittedNics(part=nic.id, count=many)} if nic else {}
    plan = plan_design(
        Design(
            groups={
                "node": Group(part=node.id, nics=nics),
                "leaf": Group(part=leaf.id),
                "spine": Group(part=spine.id),
            },
            links=(Link(between=(f"node.{slots}", "leaf")), Link(between=("leaf", "spine"))),
        ),
        catalog,
    )
    ports = plan.groups["node"].port_groups.get(slots)
    if len(plan.links) < 2 or ports is None or not ports.ports:
        return None
    if any(finding.severity == "error" for finding in plan.findings):
        return None
    low, high = plan.links
    return Ports(
        node.id,
        slots,
        nic.id if nic else None,
        many if nic else 0,
        ports.ports,
        ports.ports // ports.nics,
        low.speed_gbit,
        high.speed_gbit,
        leaf.id,
        spine.id,
        leaf.cages.count,
        spine.cages.count * high.b.breakout,
        low.b.breakout,
        high.a.breakout,
        node.gpus,
    )


def _split(whole: Ports, leaf: Switch, spine: Switch) -> Iterator[Ports]:
    """The same ports with uplinks split as far down as the speed of a node's: a higher radix."""
    for mode in leaf.cages.modes:
        both = next((one for one in spine.cages.modes if one.speed_gbit == mode.speed_gbit), None)
        if both is not None and whole.node_gbit <= mode.speed_gbit < whole.up_gbit:
            radix = spine.cages.count * both.ports
            yield replace(
                whole, up_gbit=mode.speed_gbit, spine_ports=radix, above=mode.ports, split=True
            )


def shape_named(text: str) -> Shape:
    """The shape of a name, however it is written; raises EditError with those that there are."""
    wanted = text.strip().lower().replace("-", " ").replace("_", " ")
    for shape in SHAPES:
        if shape.replace("-", " ") == wanted:
            return shape
    raise EditError(f"there is no shape {text!r}; there are {', '.join(SHAPES)}")


SURVIVED = ("cable", "switch")


def read_limits(words: Iterable[str]) -> dict[str, Any]:
    """Fields of :class:`Requirements` from words such as ``oversubscription=2``, ``align=4``.

    Several parts, shapes or failures are parted by commas.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = map(str.strip, word.partition("="))
        read = LIMITS.get(name)
        if read is None or not equals or not value:
            raise EditError(f"{word!r} is no limit; there are {', '.join(LIMITS)}, as in align=4")
        field, of = read
        if field in found:
            raise EditError(f"{name} is given twice")
        found[field] = of(value)
    return found


def read_budget(text: str) -> tuple[Decimal, str]:
    """An amount with its currency, ``2500000 USD`` or ``2500000USD``.

    Raises
    ------
    EditError
        If the text is no amount above 0 with a known currency.
    """
    plain = text.strip().replace(",", "").replace(" ", "")
    try:
        value = Decimal(plain[:-3])
    except InvalidOperation:
        value = Decimal(0)
    currency = plain[-3:].upper()
    if not value.is_finite() or value <= 0 or currency not in CURRENCIES:
        raise EditError(f"{text!r} is no budget; write an amount and its currency, as 2500000 USD")
    return value, currency


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise EditError(f"a number above 0 and below 1e9 is needed, found {text!r}")
    return value


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not int(text):
        raise EditError(f"a whole number above 0 is needed, found {text!r}")
    return int(text)


def _several(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _survived(text: str) -> frozenset[str]:
    for each in _several(text):
        if each not in SURVIVED:
            raise EditError(f"what may fail is {' or '.join(SURVIVED)}, found {each!r}")
    return frozenset(_several(text))


LIMITS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "survive": ("survive", _survived),
    "switch": ("switches", _several),
    "nic": ("nics", _several),
    "nics": ("nics_per_node", _whole),
    "shape": ("shapes", lambda text: tuple(map(shape_named, _several(text)))),
    "oversubscription": ("oversubscription", _amount),
    "budget": ("budget", read_budget),
    "kw-per-rack": ("kw_per_rack", _amount),
    "longest": ("longest_m", _amount),
    "align": ("align", _whole),
    "later": ("later", _whole),
}
