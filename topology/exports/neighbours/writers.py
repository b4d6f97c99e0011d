"""What writes each form that another program reads, by the form's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from toposmith.topology.exports.neighbours import (
    cable_workbooks,
    ethernet,
    fabric_json,
    fabric_manager,
    kubernetes,
    netbox,
    simulators,
    slurm,
)
from toposmith.topology.exports.neighbours.cluster import Cluster

Writer = Callable[[Cluster], Iterable[bytes]]
"""Gives a file piece by piece; what refuses a design is raised before the first."""


def _text(write: Callable[[Cluster], Iterable[str]]) -> Writer:
    def written(cluster: Cluster) -> Iterator[bytes]:
        for line in write(cluster):
            yield line.encode("utf-8")

    return written


WRITERS: Mapping[str, Writer] = {
    "slurm-tree": _text(slurm.slurm_tree),
    "slurm-block": _text(slurm.slurm_block),
    "slurm-yaml": _text(slurm.slurm_yaml),
    "topo": _text(fabric_manager.topology_file),
    "ufm-ndt": _text(fabric_manager.ndt),
    "netbox-cables": _text(netbox.netbox_cables),
    "k8s-labels": _text(kubernetes.node_labels),
    "kueue": _text(kubernetes.kueue_topology),
    "containerlab": _text(ethernet.containerlab),
    "ptm": _text(ethernet.ptm_topology),
    "cvt": cable_workbooks.point_to_point_workbook,
    "labels": cable_workbooks.cable_labels,
    "astra-sim": _text(simulators.astra_sim),
    "simai": _text(simulators.simai_topology),
    "sonic": _text(ethernet.sonic_neighbours),
    "json": _text(fabric_json.fabric_json),
}

FOLDERS: Mapping[str, Callable[[Cluster], Iterable[tuple[str, Iterable[bytes]]]]] = {
    "netbox": netbox.netbox_folder
}
"""Forms of several files: what gives these by name."""
