"""The writers of formats for other programs, by name of the format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from toposmith.exports.neighbours import (
    address_plan,
    ethernet,
    fabric_json,
    infiniband,
    job_launch,
    netbox,
    schedulers,
    simulators,
    workbooks,
)
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.proof.certificate import proof

Writer = Callable[[DeviceInventory], Iterable[bytes]]
"""Gives a file piece by piece; what refuses a design is raised before the first."""


def text_writer(write: Callable[[DeviceInventory], Iterable[str]]) -> Writer:
    """A writer of what is given line by line, as UTF-8."""

    def written(cluster: DeviceInventory) -> Iterator[bytes]:
        for line in write(cluster):
            yield line.encode("utf-8")

    return written


WRITERS: Mapping[str, Writer] = {
    "slurm-tree": text_writer(schedulers.slurm_tree),
    "slurm-block": text_writer(schedulers.slurm_block),
    "slurm-yaml": text_writer(schedulers.slurm_yaml),
    "topo": text_writer(infiniband.topology_file),
    "ufm-ndt": text_writer(infiniband.ndt),
    "netbox-cables": text_writer(netbox.netbox_cables),
    "k8s-labels": text_writer(schedulers.node_labels),
    "kueue": text_writer(schedulers.kueue_topology),
    "containerlab": text_writer(ethernet.containerlab),
    "ptm": text_writer(ethernet.ptm_topology),
    "cvt": workbooks.point_to_point_workbook,
    "astra-sim": text_writer(simulators.astra_sim),
    "simai": text_writer(simulators.simai_topology),
    "sonic": text_writer(ethernet.sonic_neighbours),
    "json": text_writer(fabric_json.fabric_json),
    "proof": text_writer(proof),
    "nccl-conf": text_writer(job_launch.nccl_conf),
    **{name: text_writer(plan) for name, plan in address_plan.ADDRESS_PLANS.items()},
}

FOLDERS: Mapping[str, Callable[[DeviceInventory], Iterable[tuple[str, Iterable[bytes]]]]] = {
    "netbox": netbox.netbox_folder,
    "hostfiles": job_launch.host_files,
}
"""Forms of several files: what gives these by name."""
