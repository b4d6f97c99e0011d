"""Lines of dumps that hold a file's worth of blanks are read as soon as others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from toposmith.as_built.machines import is_machine
from toposmith.as_built.reading import subnet_text
from toposmith.as_built.reading.neighbour_tables import is_neighbour_table

BLANKS = " " * 300_000
"""So many that a search that goes through them twice for each of them would not end."""

LOOKS = (
    subnet_text.is_ibnetdiscover,
    subnet_text.is_port_list,
    subnet_text.is_ibsim,
    subnet_text.is_link_info,
    subnet_text.is_topo_file,
    is_neighbour_table,
    is_machine,
)
LINES = (
    '[4] "S-1"[4] x',
    '[4](1) "H-1"[1](2) # "n" lid 1 x',
    'Switch 64 "S-1" # "leaf" x',
    'Hca 1 "node"',
    "CA 1 1 0x1 4x NDR - SW 1 1 0x2 ( 'a' - 'b' ) x",
    " P1 -4x-100G-> SYSTEM leaf P1 x",
    "leaf> show lldp neighbors",
    "LocalPort RemoteDevice RemotePortID",
    "GPU0 X x",
    "GPU 0: NVIDIA H100 (UUID: GPU-1)",
)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.__name__)
@pytest.mark.parametrize("line", LINES)
def test_blanks_anywhere_in_a_line_do_not_hold_up_what_looks_at_it(
    look: Callable[[list[str]], bool], line: str
) -> None:
    for gap in re.finditer(r"(?<=[\]\) ])|$", line):
        wide = line[: gap.start()] + BLANKS + line[gap.start() :]
        assert look([wide]) == look([line])


def test_a_port_is_read_whatever_stands_between_its_parts() -> None:
    assert subnet_text.is_ibnetdiscover(['[4]   "S-1"  [4]    # "spine" lid 3 4xNDR'])
    assert subnet_text.is_ibnetdiscover(['\t[4][ext 2](1f) "S-1"[4][ext 1](2) '])
    assert not subnet_text.is_ibnetdiscover(['[4] "S-1"[4] x'])
