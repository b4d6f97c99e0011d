"""Networks of which every device is looked at by itself, whatever nothing tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import row_exchange, row_hops
from toposmith.analysis.traffic.row_network import RowNetwork, row_network


def _each(network: ComputeNetwork, *, in_order: bool) -> RowNetwork:
    return row_network(network)


@contextmanager
def every_device_by_itself() -> Iterator[None]:
    """Route over all devices, none of which stands for others."""
    with pytest.MonkeyPatch.context() as patch:
        for routing in (row_exchange, row_hops):
            patch.setattr(routing, "network_of_cells", _each)
        yield
