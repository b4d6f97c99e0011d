"""Questions of a template about networks beside compute: storage, in-band, out-of-band."""

from __future__ import annotations

from collections.abc import Callable

from toposmith.catalog import Catalog, Nic, Node, Switch
from toposmith.catalog.search import find_parts
from toposmith.templates import SettingValue
from toposmith.tui.asking import Asks, Here, number, pick
from toposmith.tui.parts.fits import nic_choices
from toposmith.tui.parts.part_lines import part_choice
from toposmith.tui.questions import Choice

TemplateValues = dict[str, SettingValue]

_NONE = "none"
_STORAGE = "storage"
_TITLES = {
    "in_band": "switches of the in-band network",
    "out_of_band": "switches of the out-of-band network (management ports, RJ45)",
    "out_of_band_core": "two switches that the uplinks of the out-of-band network meet at",
}
NETWORKS = (_STORAGE, *_TITLES)


def is_asked(catalog: Catalog, name: str, values: TemplateValues) -> bool:
    """Whether a question makes sense: nodes without storage slots have no ports for two of them."""
    if name == "out_of_band_core":
        return _uplink_gbit(catalog, values) is not None
    node = catalog.get(str(values.get("node", "")))
    if name not in (_STORAGE, "in_band") or not isinstance(node, Node):
        return True
    return _STORAGE in node.slots


def network(
    here: Here, name: str, values: TemplateValues, told: Callable[[TemplateValues], str]
) -> Asks[TemplateValues]:
    """The settings that an answer makes."""
    if name == _STORAGE:
        many = yield from number(
            "storage appliances on a network of their own, 0 for none",
            0,
            told=lambda many: told({**values, _STORAGE: many}),
            lowest=0,
            highest=4096,
        )
        if not many:
            return {}
        return {_STORAGE: many, **(yield from _nic(here, values))}
    hint = _skipped(here.catalog, values) if name == "out_of_band" else ""
    chosen = yield from pick(
        _TITLES[name], lambda: _offered(here, name, values), _NONE, hint=hint, typed=True
    )
    if chosen == _NONE:
        return {}
    return {name: chosen, **((yield from _nic(here, values)) if name == "in_band" else {})}


def _skipped(catalog: Catalog, values: TemplateValues) -> str:
    """Why nobody was asked for a storage or an in-band network; empty where that was asked."""
    if is_asked(catalog, _STORAGE, values):
        return ""
    node = catalog[str(values["node"])]
    return f"no storage or in-band network: {node.name} has no storage slots"


def _offered(here: Here, name: str, values: TemplateValues) -> list[Choice]:
    parts = _switches(here.catalog, name, values)
    return [Choice(_NONE, "none: not drawn"), *(part_choice(part, here.catalog) for part in parts)]


def _switches(catalog: Catalog, name: str, values: TemplateValues) -> list[Switch]:
    """Ethernet switches: with RJ45 ports for management ports, without for NICs and uplinks."""
    parts = (part for part in find_parts(catalog, "") if isinstance(part, Switch))
    wanted = name == "out_of_band"
    gbit = _uplink_gbit(catalog, values) if name == "out_of_band_core" else None
    return [
        part
        for part in parts
        if part.protocol == "ethernet"
        and (part.cages.cage == "rj45") is wanted
        and (gbit is None or part.mode_for(gbit) is not None)
    ]


def _uplink_gbit(catalog: Catalog, values: TemplateValues) -> int | None:
    """The speed of an uplink of the out-of-band switches; None without such."""
    switch = catalog.get(str(values.get("out_of_band", "")))
    if not isinstance(switch, Switch) or not switch.more_cages:
        return None
    return switch.more_cages[0].modes[0].speed_gbit


def _nic(here: Here, values: TemplateValues) -> Asks[TemplateValues]:
    """The NIC for open storage slots of the nodes, where there are such without one."""
    node = here.catalog.get(str(values["node"]))
    room = node.slots.get(_STORAGE) if isinstance(node, Node) else None
    if not isinstance(node, Node) or room is None or room.nic is not None:
        return {}
    if "storage_nic" in values:
        return {}
    fitting = [
        one.part
        for one in nic_choices(here.catalog, node)
        if one.slots == _STORAGE and not one.refusal and isinstance(one.part, Nic)
    ]
    offered = [part_choice(nic, here.catalog) for nic in fitting]
    title = "NICs for the open storage slots of a node"
    return {"storage_nic": (yield from pick(title, offered, typed=True))}
