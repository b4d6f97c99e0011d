"""What a part may not say: checks that catch figures which cannot be true together.

A part that passes may still be wrong; one that fails certainly is. pydantic has checked types and
ranges before; here stand the rules that need two figures, or a second part.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from toposmith.catalog.library import Catalog
from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.node_checks import gpu_faults, node_faults, slot_faults
from toposmith.catalog.part_numbers import is_whole
from toposmith.catalog.parts import (
    AnyPart,
    Cable,
    Fibre,
    Gpu,
    Nic,
    Node,
    Part,
    Storage,
    Switch,
    Transceiver,
)
from toposmith.catalog.pieces import Pcie, Slots
from toposmith.catalog.plain_text import obeyed_sign, visible
from toposmith.catalog.port_checks import (
    cable_faults,
    length_faults,
    nic_faults,
    switch_faults,
    transceiver_faults,
)


def check_part(part: AnyPart, catalog: Catalog) -> list[str]:
    """Find what cannot be true of a part.

    Parameters
    ----------
    part : AnyPart
        The part to look at.
    catalog : Catalog
        Where the GPUs and NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each fault, beginning with the field; empty when nothing is wrong.
    """
    faults = _citations(part) + _texts(part)
    match part:
        case Gpu():
            faults += gpu_faults(part)
        case Nic():
            faults += nic_faults(part)
        case Switch():
            faults += switch_faults(part)
        case Node():
            faults += node_faults(part, catalog)
        case Storage():
            for group, slots in part.slots.items():
                faults += slot_faults(f"slots.{group}", slots, catalog)
        case Cable():
            faults += cable_faults(part) + _part_numbers(part)
        case Fibre():
            faults += _part_numbers(part) + length_faults(part)
        case Transceiver():
            faults += transceiver_faults(part)
        case _:
            pass
    return faults


def part_warnings(part: AnyPart, catalog: Catalog) -> list[str]:
    """Find what to mind of a part: ports that outrun what they sit in, a number of no length.

    Parameters
    ----------
    part : AnyPart
        The part to look at.
    catalog : Catalog
        Where the NICs are found that a node names.

    Returns
    -------
    list of str
        One line for each, beginning with the field.
    """
    warnings = []
    if part.part_number is not None and not is_whole(part.part_number):
        warnings.append(
            "part_number: names a family, and nothing can be ordered by it; give family:"
        )
    if isinstance(part, Nic):
        if part.ports * part.speed_gbit > pcie_gbit(part.pcie) >= part.speed_gbit:
            warnings.append(
                f"pcie: {part.ports} ports of {part.speed_gbit} Gb/s share {_capacity(part.pcie)}"
            )
        return warnings
    if not isinstance(part, Node | Storage):
        return warnings
    warnings += [
        f"gpu_links: GPU {gpu} gets no more than the {_capacity(link)}"
        for gpu, link in sorted(part.gpu_links.items() if isinstance(part, Node) else ())
    ]
    for group, slots in part.slots.items():
        nic = catalog.get(slots.nic) if slots.nic else None
        if isinstance(nic, Nic):
            warnings += _slow_slots(group, slots, nic)
    return warnings


def _slow_slots(group: str, slots: Slots, nic: Nic) -> list[str]:
    """Slots that a port of their NIC outruns: all of a group, or single ones."""
    usual = {f"slots.{group}": slots.pcie}
    single = {f"slots.{group}.links.{slot}": link for slot, link in sorted(slots.links.items())}
    return [
        f"{field}: a port of {nic.speed_gbit} Gb/s gets no more than the {_capacity(link)}"
        for field, link in (usual | single).items()
        if nic.speed_gbit > pcie_gbit(link)
    ]


def _capacity(pcie: Pcie) -> str:
    return f"{pcie_gbit(pcie):g} Gb/s of PCIe {pcie.generation} x{pcie.width}"


def _part_numbers(part: Cable | Fibre) -> list[str]:
    """Numbers by length have to be whole, and of lengths that are sold."""
    faults = []
    named = (("part_numbers", part.part_numbers), ("ordering_numbers", part.ordering_numbers))
    for field, numbers in named:
        for length, number in numbers.items():
            if not is_whole(number):
                faults.append(f"{field}: {visible(number)!r} is not whole; family: names a family")
            if part.lengths_m and length not in part.lengths_m:
                faults.append(f"{field}: {length:g} m is none of lengths_m")
    return faults


def _citations(part: Part) -> list[str]:
    """Sources, doubts and conflicts must be about fields that the part gives."""
    faults = [] if part.source.strip() else ["source: is empty"]
    listed = (
        ("sources", part.sources),
        ("unverified", part.unverified),
        ("conflicts", part.conflicts),
    )
    for where, paths in listed:
        faults += [
            f"{where}: {path!r} is no field that this part gives"
            for path in paths
            if not _is_given(part, path)
        ]
    return faults


def _is_given(part: Part, path: str) -> bool:
    """Tell whether a dotted path such as ``slots.compute.cages`` leads to a value."""
    value: object = part
    for step in path.split("."):
        if isinstance(value, BaseModel):
            value = getattr(value, step, None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return False
    return value is not None


def _texts(part: Part) -> list[str]:
    """No text may hold signs that a terminal would obey instead of showing."""
    return [
        f"{visible(path)}: holds {visible(sign)}, which a terminal would obey; plain text is wanted"
        for path, text in _strings("", part.model_dump(exclude_unset=True))
        if (sign := obeyed_sign(text))
    ]


def _strings(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Every text of a part with its field; names of slot groups and cages too."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, inner in value.items():
                below = f"{path}.{key}" if path else str(key)
                yield (path, key) if isinstance(key, str) else (path, "")
                yield from _strings(below, inner)
        case tuple() | list():
            for inner in value:
                yield from _strings(path, inner)
