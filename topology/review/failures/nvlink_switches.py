"""The loss of an NVLink switch tray of a rack, which is no device of a design.

Every GPU has as many links to each tray. Without one it has the others, and a collective is held
by the rack that lost it.
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Catalog, Gpu
from toposmith.topology.analysis.network import Network
from toposmith.topology.review.failures.breakable import Failure
from toposmith.topology.review.failures.without import Intact, Kept, Outcome, figures_of

KIND = "NVLink switch tray"


def switch_tray_losses(start: Intact) -> Iterator[Outcome]:
    """What is kept without one switch tray, for every group of nodes that it joins."""
    collectives = tuple(start.figures)
    for name, trays, gpu in _tray_groups(start.network, start.catalog):
        failure = Failure(KIND, name, (), trays * _racks(start.network, name))
        fewer = _with_fewer_links(start.catalog, gpu, trays)
        after = figures_of(start.network, fewer, start.request, collectives)
        kept = tuple(
            Kept(each, start.figures[each][0], *after[each], label=start.labels[each])
            for each in collectives
        )
        yield Outcome((failure,), kept, 0, 1, start.gpus)


def _tray_groups(network: Network, catalog: Catalog) -> Iterator[tuple[str, int, Gpu]]:
    """Groups of racks with the switch trays of one, where links divide evenly over these."""
    for group in network.world.groups if network.world.joined else ():
        gpu = catalog.get(group.node.gpu) if group.node else None
        trays = group.node.nvlink.switch_trays if group.node and group.node.nvlink else None
        links = gpu.nvlink.links if isinstance(gpu, Gpu) and gpu.nvlink else 0
        if isinstance(gpu, Gpu) and trays and 1 < trays <= links and links % trays == 0:
            yield group.name, trays, gpu


def _racks(network: Network, name: str) -> int:
    return sum(block.group.name == name for block in network.world.blocks)


def _with_fewer_links(catalog: Catalog, gpu: Gpu, trays: int) -> Catalog:
    """The catalog with one tray's share of links less on a GPU."""
    assert gpu.nvlink is not None
    left = gpu.nvlink.links - gpu.nvlink.links // trays
    fewer = gpu.model_copy(update={"nvlink": gpu.nvlink.model_copy(update={"links": left})})
    return Catalog([fewer if part.id == gpu.id else part for part in catalog])
