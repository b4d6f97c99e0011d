"""Cabling that no fabric has is refused in words: hosts without a switch, ports without an end."""

from __future__ import annotations

import pytest

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedEnd,
    ListedKind,
    UnreadableError,
)
from toposmith.as_built.regularity import regularity_of
from toposmith.foreign_values import NumberError


def _joined(one: ListedKind, other: ListedKind, port: str, far: str) -> Cabling:
    """Two devices, both of which report the cable between them, each in its own words."""
    cabling = Cabling("dump.out", observed={"a", "z"})
    cabling.device("a", "a", one)
    cabling.device("z", "z", other)
    here, there = ListedEnd("a", port), ListedEnd("z", port)
    cabling.cables += [
        ListedCable(here, ListedEnd("z", far), 400.0, "dump.out:1"),
        ListedCable(there, ListedEnd("a", far), 400.0, "dump.out:2"),
    ]
    return cabling


def test_named_hosts_without_a_switch_are_no_regular_fabric() -> None:
    cabling = _joined("host", "host", "1", "1").settle()
    with pytest.raises(UnreadableError, match=r"dump\.out: no host .* is cabled to a switch in it"):
        regularity_of(cabling)


@pytest.mark.parametrize(("port", "far"), [("9" * 5000, "1"), ("1", "Ethernet" + "9" * 5000)])
def test_a_port_of_thousands_of_digits_is_refused_before_ports_are_named(
    port: str, far: str
) -> None:
    with pytest.raises(NumberError, match=r"dump\.out:1: found "):
        _joined("switch", "switch", port, far).settle()
