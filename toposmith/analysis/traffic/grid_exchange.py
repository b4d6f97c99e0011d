"""The fabric under a uniform all-to-all over a torus or HyperX without faults.

Shortest paths between two switches cross as many cables along an axis as the two lie apart on it,
whichever way they take, and the fabric looks the same from all cables of an axis: so that the load
of one is the sum of all distances, over how many there are (Dally and Towles, *Principles and
Practices of Interconnection Networks*, 2004, section 3.3.2).
"""

from __future__ import annotations

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.dealt_exchange import at_nics


def grid_exchange_loads(network: ComputeNetwork) -> dict[Arc, float] | None:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    None where the fabric is not just rings and meshes along axes, or has faults.
    """
    grid = network.grid
    if grid is None:
        return None
    each = grid.nodes_per_switch * gpus_of(grid.node)
    per_cable = {
        axis.link.index: each
        * axis.cables_to_all
        / (axis.size * axis.neighbours * axis.link.cables_per_pair)
        for axis in grid.axes
    }
    loads = dict(at_nics(network, network.world.gpus))
    for here, there, key, data in network.classes.graph.edges(keys=True, data=True):
        if data["link"] in per_cable:
            loads[here, there, key] = loads[there, here, key] = per_cable[data["link"]]
    return loads
