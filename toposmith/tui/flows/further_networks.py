"""Questions of a template about networks beside compute: storage, in-band, out-of-band."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from toposmith.catalog import Catalog, Nic, Node, Switch
from toposmith.catalog.search import find_parts
from toposmith.design.edits import Edit
from toposmith.templates import SettingValue
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import ask_number
from toposmith.tui.parts.fits import nic_choices
from toposmith.tui.questions import Choice

NetworkAnswers = dict[str, SettingValue]
EditOf = Callable[[NetworkAnswers], Edit]
"""The edit that so many answers make."""

_NONE = "none"
_STORAGE = "storage"
_TITLES = {
    "in_band": "switches of the in-band network",
    "out_of_band": "switches of the out-of-band network (management ports, RJ45)",
    "out_of_band_core": "two switches that the uplinks of the out-of-band network meet at",
}
NETWORKS = (_STORAGE, *_TITLES)


def is_asked(catalog: Catalog, name: str, values: NetworkAnswers) -> bool:
    """Whether a question makes sense: nodes without storage slots have no ports for two of them."""
    if name == "out_of_band_core":
        return _uplink_gbit(catalog, values) is not None
    node = catalog.get(str(values.get("node", "")))
    if name not in (_STORAGE, "in_band") or not isinstance(node, Node):
        return True
    return _STORAGE in node.slots


async def ask_network(
    designer: Designer,
    name: str,
    values: NetworkAnswers,
    edit: EditOf,
    told: Callable[[NetworkAnswers], str],
) -> NetworkAnswers | None:
    """The settings that an answer makes; None where the question was cancelled."""
    if name == _STORAGE or not values.get(_STORAGE):
        values.pop("storage_nic", None)  # asked anew with what it is for
    if name == _STORAGE:
        return await _ask_storage(designer, values, edit, told)
    catalog = designer.editing.workbench.catalog
    without = {key: value for key, value in values.items() if key != name}
    choices = [
        Choice(_NONE, "none: not drawn", edit=partial(edit, without)),
        *(
            Choice(part.id, part.name, edit=partial(edit, {**values, name: part.id}))
            for part in _switches(catalog, name, values)
        ),
    ]
    chosen = await designer.questions.find(_TITLES[name], choices, at=str(values.get(name, _NONE)))
    if chosen is None:
        return None
    values.pop(name, None)
    if name == "out_of_band":
        values.pop("out_of_band_core", None)  # asked anew, by the uplinks of these
    if chosen == _NONE:
        return {}
    if name == "in_band":
        return await _with_nic(designer, {**values, name: chosen}, edit, {name: chosen})
    return {name: chosen}


def _switches(catalog: Catalog, name: str, values: NetworkAnswers) -> list[Switch]:
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


def _uplink_gbit(catalog: Catalog, values: NetworkAnswers) -> int | None:
    """The speed of an uplink of the out-of-band switches; None without such."""
    switch = catalog.get(str(values.get("out_of_band", "")))
    if not isinstance(switch, Switch) or not switch.more_cages:
        return None
    return switch.more_cages[0].modes[0].speed_gbit


async def _ask_storage(
    designer: Designer, values: NetworkAnswers, edit: EditOf, told: Callable[[NetworkAnswers], str]
) -> NetworkAnswers | None:
    many = await ask_number(
        designer,
        "storage appliances on a network of their own, 0 for none",
        int(values.get(_STORAGE, 0)),
        told=lambda many: told({**values, _STORAGE: many}),
        lowest=0,
        highest=4096,
        edit=lambda many: edit({**values, _STORAGE: many}),
    )
    if many is None:
        return None
    if not many:
        values.pop(_STORAGE, None)
        return {}
    return await _with_nic(designer, {**values, _STORAGE: many}, edit, {_STORAGE: many})


async def _with_nic(
    designer: Designer, values: NetworkAnswers, edit: EditOf, answer: NetworkAnswers
) -> NetworkAnswers | None:
    """The answer, with the NIC for open storage slots of the nodes where there are such."""
    catalog = designer.editing.workbench.catalog
    node = catalog.get(str(values["node"]))
    room = node.slots.get(_STORAGE) if isinstance(node, Node) else None
    if not isinstance(node, Node) or room is None or room.nic is not None:
        return answer
    if "storage_nic" in values:
        return answer
    fitting = [
        one.part
        for one in nic_choices(catalog, node)
        if one.slots == _STORAGE and not one.refusal and isinstance(one.part, Nic)
    ]
    chosen = await designer.questions.find(
        "NICs for the open storage slots of a node",
        [
            Choice(nic.id, nic.name, edit=partial(edit, {**values, "storage_nic": nic.id}))
            for nic in fitting
        ],
    )
    return None if chosen is None else {**answer, "storage_nic": chosen}
