"""The settings of a template, and reading them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from toposmith.catalog import Catalog, Nic, Switch
from toposmith.design.document import Design
from toposmith.design.loader import listed
from toposmith.errors import EditError

SettingValue = str | int | float
Usual = Callable[[Mapping[str, Any], Catalog], SettingValue | None]


class SettingValues(dict[str, Any]):
    """Every setting of a template by name; ``given`` names those that are no defaults."""

    given: frozenset[str] = frozenset()


PARTS = {
    "node": "node",
    "nic": "nic",
    "switch": "switch",
    "leaf": "switch",
    "spine": "switch",
    "core": "switch",
    "storage_part": "storage",
    "storage_switch": "switch",
    "storage_nic": "nic",
    "in_band": "switch",
    "out_of_band": "switch",
    "out_of_band_core": "switch",
}
NAMES = {*PARTS, "name", "slots"}
RATIO = "oversubscription"
"""The setting that may be written as capacity down over capacity up, such as 3:1 or 1.5."""


@dataclass(frozen=True)
class Parameter:
    """One setting of a template; with a default of None the template computes it.

    ``follows`` names the earlier setting whose value is the default of this one; ``usual`` works
    the default out from the settings before it and those that are given.
    """

    name: str
    default: SettingValue | None
    help: str
    low: int = 1
    high: int = 1_000_000
    follows: str = ""
    usual: Usual | None = field(default=None, repr=False)

    @property
    def is_number(self) -> bool:
        """Whether a number is wanted, whole but for a ratio; else it is a name."""
        return self.name not in NAMES


@dataclass(frozen=True)
class Template:
    """A way to begin: what it is, its settings, and the function that writes the design.

    ``asks`` names the settings that a new user is asked for, in this order.
    """

    name: str
    help: str
    parameters: tuple[Parameter, ...]
    make: Callable[[SettingValues, Catalog], Design] = field(repr=False)
    asks: tuple[str, ...] = ()

    def parameter(self, name: str) -> Parameter:
        """The setting of this name."""
        return next(parameter for parameter in self.parameters if parameter.name == name)


def read_settings(
    template: Template, values: Mapping[str, SettingValue], catalog: Catalog
) -> SettingValues:
    """Every setting of a template, as given or by default; raises EditError for a wrong one."""
    known = {parameter.name: parameter for parameter in template.parameters}
    for name in values:
        if name not in known:
            raise EditError(f"{template.name} has no setting {name!r}{nearest(name, known)}")
    read = SettingValues()
    read.given = frozenset(values)
    for name, parameter in known.items():
        value = values.get(name)
        if value is None:
            value = _usual(parameter, {**values, **read}, catalog)
        if value is None or not parameter.is_number:
            read[name] = None if value is None else str(value)
            if name in PARTS and value is not None:
                _part(name, str(value), catalog)
        else:
            read[name] = _number(parameter, value)
    return read


def _usual(parameter: Parameter, so_far: Mapping[str, Any], catalog: Catalog) -> Any:
    if parameter.usual is not None:
        return parameter.usual(so_far, catalog)
    return so_far[parameter.follows] if parameter.follows else parameter.default


def _number(parameter: Parameter, value: SettingValue) -> int | Fraction:
    try:
        number = as_ratio(value) if parameter.name == RATIO else _whole(value)
    except (TypeError, ValueError, ZeroDivisionError):
        what = "a ratio such as 2, 3:1 or 1.5" if parameter.name == RATIO else "a whole number"
        raise EditError(f"{parameter.name} is {what}, found {value!r}") from None
    if not parameter.low <= number <= parameter.high:
        wanted = f"from {parameter.low} to {parameter.high:,}"
        what = "a ratio" if parameter.name == RATIO else "a whole number"
        raise EditError(f"{parameter.name} is {what} {wanted}, found {value}")
    return number


def _whole(value: SettingValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError
    return int(value)


def as_ratio(value: SettingValue) -> int | Fraction:
    """Such as 3, 3:1, 1.5 or 3:2; TypeError or ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    over, _, under = str(value).partition(":")
    ratio = Fraction(over) / Fraction(under or 1)
    return int(ratio) if ratio.denominator == 1 else ratio


def _part(name: str, part_id: str, catalog: Catalog) -> None:
    kind = PARTS[name]
    part = catalog.get(part_id)
    if part is None or part.kind != kind:
        what = "is not in the catalog" if part is None else f"is a {part.kind}, not a {kind}"
        ids = [part.id for part in catalog.of_kind(kind)]
        raise EditError(f"{name}: {part_id!r} {what}{nearest(part_id, ids)}")


def nearest(name: str, known: Mapping[str, object] | list[str]) -> str:
    """A hint with the known names that are closest to a wrong one."""
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f" (known: {listed(known)})" if known else " (it has none)"


USUAL_SWITCH = "qm9700"
"""Taken where nodes have its speed and protocol, or no NICs are known."""

USUAL_PORTS = 64
"""Of the switches with the speed of the nodes the largest of so many ports at most is taken."""

MOST_UNITS_HIGH = 4
"""Directors are not proposed."""


def usual_switch(values: Mapping[str, Any], catalog: Catalog) -> str:
    """The switch that nodes are wired to: one made for their NICs' speed, from the same maker.

    Parameters
    ----------
    values : mapping
        The settings so far: node, slots, nic.
    catalog : Catalog
        Where the switches are.
    """
    nic = nic_of(values, catalog)
    if nic is None:
        return USUAL_SWITCH

    def distance(switch: Switch) -> tuple[object, ...]:
        ports = ports_at(switch, nic.speed_gbit)
        protocol = nic.protocols.index(switch.protocol)
        too_many = ports > USUAL_PORTS
        fastest = max(mode.speed_gbit for mode in switch.cages.modes)
        lanes = {switch.cages.lanes // mode.ports for mode in switch.cages.modes
                 if mode.speed_gbit == nic.speed_gbit}  # fmt: skip
        return (
            # HDR has four lanes of 50 Gb/s where NDR200 has two of 100
            nic.lanes not in lanes, fastest != nic.speed_gbit, switch.id != USUAL_SWITCH,
            switch.vendor != nic.vendor, protocol, switch.end_of_sale is not None,
            too_many, ports if too_many else -ports, switch.id,
        )  # fmt: skip

    fitting = [
        part
        for part in catalog.of_kind("switch")
        if isinstance(part, Switch)
        and part.protocol in nic.protocols
        and ports_at(part, nic.speed_gbit)
        and (part.rack_units or 1) <= MOST_UNITS_HIGH
    ]
    return min(fitting, key=distance).id if fitting else USUAL_SWITCH


def usual_nodes(most: int, ports_of_node: int, ports: int, ratio: Fraction) -> int:
    """Nodes below a leaf that has ports for as much capacity up, divided by the oversubscription.

    Parameters
    ----------
    most : int
        Nodes at most.
    ports_of_node : int
        Ports of a node at one leaf.
    ports : int
        Ports of the leaf at their speed.
    ratio : Fraction
        Oversubscription; 0 where all ports go to nodes, as for one that will be refused.
    """
    room = Fraction(ports) / (1 + 1 / ratio) if ratio > 0 else Fraction(ports)
    return max(1, min(most, int(room / ports_of_node)))


def ports_at(switch: Switch, gbit: int) -> int:
    """Ports of a switch at a speed; 0 where it does not run it."""
    modes = (mode.ports for mode in switch.cages.modes if mode.speed_gbit == gbit)
    return switch.cages.count * max(modes, default=0)


def nic_of(values: Mapping[str, Any], catalog: Catalog) -> Nic | None:
    """The NIC of a node's slots: of its board, or the one to be fitted."""
    room = catalog.node(values["node"]).slots.get(values["slots"])
    named = values.get("nic") or (room.nic if room is not None else None)
    found = catalog.get(named) if named else None
    return found if isinstance(found, Nic) else None
