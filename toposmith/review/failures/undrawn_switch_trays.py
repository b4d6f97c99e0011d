"""The loss of an NVLink switch tray of a rack where a design does not draw these.

Every GPU has as many links to each tray. Without one it has the others, and a collective is held
by the rack that lost it.
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Catalog, Gpu
from toposmith.review.failures.breakable import NVLINK_SWITCH_TRAY, Failure
from toposmith.review.failures.without import (
    DegradedDesign,
    Intact,
    KeptBandwidth,
    figures_of,
)


def switch_tray_losses(start: Intact) -> Iterator[DegradedDesign]:
    """What is kept without one switch tray, for every group of nodes that it joins."""
    collectives = tuple(start.figures)
    for name, trays, gpu, left in _tray_groups(start.network, start.catalog):
        failure = Failure(NVLINK_SWITCH_TRAY, name, (), trays)
        fewer = _with_links(start.catalog, gpu, left)
        after = figures_of(start.network, fewer, start.request, collectives)
        kept = tuple(
            KeptBandwidth(each, start.figures[each][0], *after[each], label=start.labels[each])
            for each in collectives
        )
        yield DegradedDesign((failure,), kept, 0, 1, start.gpus)


def _tray_groups(network: ComputeNetwork, catalog: Catalog) -> Iterator[tuple[str, int, Gpu, int]]:
    """Groups of racks: how many switch trays they have, the GPUs, and their links without one.

    Trays that are not drawn are those of the rack, where links divide evenly over these.
    """
    for group in network.world.groups if network.world.joined else ():
        gpu = catalog.get(group.node.gpu) if group.node else None
        if group.nvlink is not None or not isinstance(gpu, Gpu) or gpu.nvlink is None:
            continue
        trays = group.node.nvlink.switch_trays if group.node and group.node.nvlink else None
        links = gpu.nvlink.links
        if trays and 1 < trays <= links and links % trays == 0:
            many = trays * _racks(network, group.name)
            yield group.name, many, gpu, links - links // trays


def _racks(network: ComputeNetwork, name: str) -> int:
    return sum(block.group.name == name for block in network.world.blocks)


def _with_links(catalog: Catalog, gpu: Gpu, links: int) -> Catalog:
    """The catalog with so many NVLinks on a GPU."""
    assert gpu.nvlink is not None
    fewer = gpu.model_copy(update={"nvlink": gpu.nvlink.model_copy(update={"links": links})})
    return Catalog([fewer if part.id == gpu.id else part for part in catalog])
