"""Which switches and NICs accept a cable or module, by the makers' pages.

A plug that fits a cage may still be rejected: makers code cables and modules for their own
devices, and some devices accept no others.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Literal

from toposmith.catalog.parts import Cable, Nic, Part, Switch, Transceiver
from toposmith.catalog.pieces import CableEnd

GENERIC = "generic"
"""Vendor of generic parts, which stand for those of every maker."""

Taken = Literal["taken", "to be coded", "not listed", "excluded"]
"""``taken``: a page of either maker states it. ``to be coded``: a generic part, or of a maker that
codes it for the device that the order names. ``not listed``: its maker lists other platforms, or
none. ``excluded``: its maker's page rules the device out."""


def taken_by(plug: Cable | Transceiver, device: Switch | Nic, end: CableEnd | None = None) -> Taken:
    """Return whether a device accepts a plug, as far as makers' pages say.

    Parameters
    ----------
    plug : Cable or Transceiver
        What is plugged in.
    device : Switch or Nic
        What it is plugged into.
    end : CableEnd, optional
        The end of the cable that is plugged in there.
    """
    listed = (end.platforms if end is not None else ()) or plug.platforms
    if device.platform in listed or _is_bare_copper(plug):
        return "taken"
    if plug.only_for == "platforms" and device.platform is not None:
        return "excluded"
    if plug.only_for == "adapters" and isinstance(device, Switch):
        return "excluded"
    if device.optics == "any maker":
        return "taken"
    to_be_coded = plug.vendor == GENERIC or plug.coded_to_order
    return "to be coded" if to_be_coded else "not listed"


def _is_bare_copper(plug: Cable | Transceiver) -> bool:
    """Twisted pair has no EEPROM from which a device could read the maker."""
    return isinstance(plug, Cable) and plug.medium == "twisted pair"


def platforms_of(parts: Iterable[Part]) -> frozenset[str]:
    """The platforms that switches and NICs say they are of."""
    return frozenset(
        part.platform for part in parts if isinstance(part, Switch | Nic) and part.platform
    )


def platform_faults(part: Part, known: frozenset[str]) -> Iterator[str]:
    """Platforms that a cable or module names, and no switch or NIC is of."""
    for field, names in _named(part):
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)
                hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
                yield f"{field}: no switch or NIC is of a platform {name!r}{hint}"


def platform_warnings(device: Switch | Nic, parts: Iterable[Part]) -> Iterator[str]:
    """A platform that no cable or module names, and whose spelling is close to one they do."""
    named = {name for part in parts for _, names in _named(part) for name in names}
    own = device.platform
    if own is None or own in named:
        return
    alike = [name for name in named if _digits(name) == _digits(own)]
    if near := difflib.get_close_matches(own, sorted(alike), n=1, cutoff=0.8):
        yield f"platform: no cable or module is for {own!r}; did you mean {near[0]!r}?"


def _digits(name: str) -> str:
    """Its digits, which distinguish generations."""
    return "".join(filter(str.isdigit, name))


def _named(part: Part) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(part, Cable | Transceiver):
        yield "platforms", part.platforms
    if isinstance(part, Cable):
        yield "a.platforms", part.a.platforms
        yield "b.platforms", part.b.platforms
