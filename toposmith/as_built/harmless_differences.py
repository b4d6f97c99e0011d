"""What differs and does no harm, each reason in one sentence with its cables as details."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cabling_difference import (
    CableDetail,
    CablingDifference,
    DifferenceKind,
    PlanWords,
)
from toposmith.as_built.placed_cables import UNKNOWN, PlacedCable
from toposmith.text import counted, natural

Met = tuple[PlacedCable, ListedCable]
"""A found cable, and the planned one that it is."""


def crossed(
    words: PlanWords, met: Sequence[Met], placed: Sequence[PlacedCable]
) -> Iterator[CablingDifference]:
    """Cables on other ports of the two devices that they join."""
    if not met:
        return
    holders = {end.end: one for one in placed for end in one.ends if end.port is not None}
    details = [detail(one, meant) for one, meant in met]
    exchanged = {
        at
        for at, (one, meant) in enumerate(met)
        for end in (meant.a, meant.z)
        if end in holders and holders[end] is not one
    }
    one, meant = met[0]
    ends = (one.a.end, one.z.end)
    text = f"{words.cable(*ends)}, planned {words.cable(meant.a, meant.z)}"
    for end in (meant.a, meant.z):
        holder = holders.get(end)
        if holder is not None and holder is not one:
            other = next((each.end for each in holder.ends if each.end != end), end)
            text += f"; {words.end(end)} holds {words.end(other)}"
            break
    text = f"works as planned: {_on_other_ports(len(met))}{text}: correct the plan instead?"
    yield _folded("swapped" if exchanged else "moved", text, words, details)


def _on_other_ports(many: int) -> str:
    if many == 1:
        return ""
    return f"{counted(many, 'cable')} on other ports of the devices that they join, the first: "


def slips(words: PlanWords, met: Sequence[Met]) -> Iterator[CablingDifference]:
    """Cables of adapters that the plan does not know, where a cable of that host is planned."""
    if not met:
        return
    one, meant = met[0]
    several = ""
    if len(met) > 1:
        several = f"{counted(len(met), 'cable')} at host ports that the plan does not know, such as"
        several += " "
    text = (
        f"{several}found {words.cable(one.a.end, one.z.end)} where the plan says "
        f"{words.cable(meant.a, meant.z)}: the host has no such port; a slip of the plan? "
        "correct the plan instead?"
    )
    yield _folded("moved", text, words, [detail(one, meant) for one, meant in met])


def exchanged(
    words: PlanWords, plan: Cabling, circles: Sequence[Mapping[str, str]]
) -> Iterator[CablingDifference]:
    """Devices that are cabled as others of their kind: one difference for hosts, one for others.

    Details have the planned device twice: by the name that it has, and by what it is cabled as.
    """
    by_kind: dict[bool, list[Mapping[str, str]]] = defaultdict(list)
    for circle in circles:
        by_kind[plan.devices[next(iter(circle))].kind == "host"].append(circle)
    for is_host, held in by_kind.items():
        known = sorted((plan.devices[key].name for circle in held for key in circle), key=natural)
        names = " and ".join(known)
        if len(known) > 2:
            kind = counted(len(known), "host" if is_host else "switch")
            names = f"{kind} ({', '.join(known[:3])}{', ...' if len(known) > 3 else ''})"
        details = [
            CableDetail(ListedEnd(own, ""), ListedEnd(other, ""), None, "")
            for circle in held
            for own, other in circle.items()
        ]
        text = (
            f"works as planned: {names} stand for each other, each with all cables of the other: "
            "no cable has to be moved; exchange their names, or correct the plan"
        )
        yield _folded("swapped", text, words, details)


def outside(
    words: PlanWords, dump: Cabling, placed: Sequence[PlacedCable], notes: list[str]
) -> Iterator[CablingDifference]:
    """What the plan does not hold: a difference for each device, none of them a fault."""
    strange = [one for one in placed if one.a.outside and one.z.outside]
    if strange:
        text = f"the first {words.cable(strange[0].a.end, strange[0].z.end)}"
        many = counted(len(strange), "cable")
        notes.append(
            f"{many} between devices of the dump that the plan does not hold, {text}: are these "
            "two fabrics in one dump?"
        )
        text = f"{many} among devices that are not in the plan, {text}"
        yield _folded("outside", text, words, [detail(one) for one in strange])
    by_device: dict[str, list[PlacedCable]] = defaultdict(list)
    for one in placed:
        if one.a.outside != one.z.outside:
            key = (one.a if one.a.outside else one.z).vertex[1]
            by_device[UNKNOWN if dump.devices[key].unnamed else key].append(one)
    for key, cables in by_device.items():
        strange_end, at = cables[0].ends if cables[0].a.outside else cables[0].ends[::-1]
        name = dump.devices[strange_end.vertex[1]].name
        many = counted(len(cables), "cable")
        what = f"{name} ({many})"
        if key == UNKNOWN and len(cables) > 1:
            what = f"{many} of adapters without a name, the first {name}"
        text = f"{what} at {words.end(at.end)}: not in the plan"
        yield _folded("outside", text, words, [detail(one) for one in cables])


def detail(one: PlacedCable, meant: ListedCable | None = None) -> CableDetail:
    """A found cable, with the planned one that it is."""
    expected = None if meant is None else (meant.a, meant.z)
    return CableDetail(one.a.end, one.z.end, expected, one.cable.place)


def _folded(
    kind: DifferenceKind, text: str, words: PlanWords, details: list[CableDetail]
) -> CablingDifference:
    first = details[0]
    return CablingDifference(
        kind, False, text, first.a, first.z, first.expected, details=details, place=first.place,
        spot=words.spot(first.z, first.a),
    )  # fmt: skip
