"""The loss of an NVLink switch tray of a rack, whether a design draws these or not.

Every GPU has as many links to each tray. Without one it has the others, and a collective is held
by the rack that lost it.
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Catalog, Gpu
from toposmith.topology.analysis.network import Network
from toposmith.topology.fabric.counts import device_counts
from toposmith.topology.fabric.nvlink_links import fewest_nvlinks
from toposmith.topology.review.failures.breakable import Failure
from toposmith.topology.review.failures.without import Intact, Kept, Outcome, figures_of

KIND = "NVLink switch tray"


def switch_tray_losses(start: Intact) -> Iterator[Outcome]:
    """What is kept without one switch tray, for every group of nodes that it joins."""
    collectives = tuple(start.figures)
    for name, trays, gpu, left in _tray_groups(start.network, start.catalog):
        failure = Failure(KIND, name, (), trays)
        fewer = _with_links(start.catalog, gpu, left)
        after = figures_of(start.network, fewer, start.request, collectives)
        kept = tuple(
            Kept(each, start.figures[each][0], *after[each], label=start.labels[each])
            for each in collectives
        )
        yield Outcome((failure,), kept, 0, 1, start.gpus)


def _tray_groups(network: Network, catalog: Catalog) -> Iterator[tuple[str, int, Gpu, int]]:
    """Groups of switch trays: their name, how many, the GPUs, and their links without one tray.

    Trays that are not drawn are those of the rack, where links divide evenly over these.
    """
    for group in network.world.groups if network.world.joined else ():
        gpu = catalog.get(group.node.gpu) if group.node else None
        if not isinstance(gpu, Gpu) or gpu.nvlink is None:
            continue
        if group.nvlink is not None:
            many = device_counts(network.plan)[group.nvlink.switches]
            left = fewest_nvlinks(network.plan, group.name) - group.nvlink.per_switch
            if left > 0:
                yield group.nvlink.switches, many, gpu, left
            continue
        trays = group.node.nvlink.switch_trays if group.node and group.node.nvlink else None
        links = gpu.nvlink.links
        if trays and 1 < trays <= links and links % trays == 0:
            many = trays * _racks(network, group.name)
            yield group.name, many, gpu, links - links // trays


def _racks(network: Network, name: str) -> int:
    return sum(block.group.name == name for block in network.world.blocks)


def _with_links(catalog: Catalog, gpu: Gpu, links: int) -> Catalog:
    """The catalog with so many NVLinks on a GPU."""
    assert gpu.nvlink is not None
    fewer = gpu.model_copy(update={"nvlink": gpu.nvlink.model_copy(update={"links": links})})
    return Catalog([fewer if part.id == gpu.id else part for part in catalog])
