"""What launches jobs as the figures have them: hosts in the order of ranks, and NCCL's settings.

Host files: Open MPI, ``host slots=N``. Settings: ``/etc/nccl.conf``, in which lines that begin with
``#`` are comments (NVIDIA/nccl, src/misc/param.cc and docs/userguide/source/env.rst).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.contention.job_words import runs_words
from toposmith.contention.together import JobFigure, jobs_together
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import DeviceInventory, NameRule
from toposmith.plain_text import visible
from toposmith.racks.connections import number_of
from toposmith.racks.locked_devices import device_names
from toposmith.text import counted

HOST_FILE_NAMES = NameRule("a host file", longest=63, same_case=True)
ALL_NODES = "all: all, all_reduce"
"""The job of a design that names none."""


def host_files(cluster: DeviceInventory) -> Iterator[tuple[str, Iterable[bytes]]]:
    """A host file for each job of the design, or for one on all nodes, by its name.

    Hosts stand in the order of ranks: rank r runs on GPU r mod slots of its host.

    Raises
    ------
    ExportError
        If no node has GPUs.
    """
    if not cluster.of_kind("node"):
        raise ExportError("the design has no nodes")
    wanted = cluster.design.design.jobs or (ALL_NODES,)
    names = cluster.device_names(HOST_FILE_NAMES)
    for one in jobs_together(wanted, cluster.design.design, cluster.design.catalog):
        lines = [*_figures(one), *_hosts(cluster, one, names)]
        yield f"{HOST_FILE_NAMES.title(one.job.name)}.hosts", ["\n".join(lines).encode() + b"\n"]


def _figures(one: JobFigure) -> Iterator[str]:
    each = "in all" if one.job.is_storage else "per GPU"
    yield f"# {one.job.name}: {counted(one.job.gpus, 'GPU')}; {runs_words(one)}"
    yield f"# {one.alone_GBps:.4g} GB/s {each} alone, {one.together_GBps:.4g} with all jobs"
    yield f"# ({one.label.words})"


def _hosts(cluster: DeviceInventory, one: JobFigure, names: dict[str, str]) -> Iterator[str]:
    for name, at in one.job.nodes:
        group = cluster.plan.groups[name]
        own = device_names(cluster.plan, name)(number_of(group, at))
        yield f"{names[own]} slots={gpus_of(group)}"


def nccl_conf(cluster: DeviceInventory) -> Iterator[str]:
    """``/etc/nccl.conf``: what of NCCL's settings follows from the design and its figures.

    Raises
    ------
    ExportError
        If no node has a cable to another.
    """
    request, network = cluster.design.asked, cluster.design.network
    if not network.world.gpus:
        raise ExportError("no node has GPUs, and NCCL runs on these")
    protocols = {
        link.protocol
        for link in cluster.plan.every_link
        for end in (link.a, link.b)
        if network.slots.get(end.group) == end.ports
    }
    yield f"# NCCL on {visible(cluster.name)}, as its figures assume; written by toposmith\n"
    yield "# Not known to the design: NCCL_SOCKET_IFNAME, NCCL_IB_HCA, NCCL_IB_TC, NCCL_IB_SL\n"
    if list(rails_apart(network)):
        yield "# no switch joins the rails: a ring or tree stays on its NIC\nNCCL_CROSS_NIC=0\n"
    mode, pairs = request.routing.mode, request.routing.queue_pairs
    if mode == "adaptive" and "ethernet" in protocols:
        yield "# adaptive routing, which NCCL takes for granted on InfiniBand alone\n"
        yield "NCCL_IB_ADAPTIVE_ROUTING=1\n"
    told = {
        f"# static routing over {pairs} paths\nNCCL_IB_QPS_PER_CONNECTION={pairs}\n": pairs > 1,
        "# switches reduce (SHARP)\nNCCL_COLLNET_ENABLE=1\n": request.sharp,
        "NCCL_PXN_DISABLE=1\n": not request.pxn,
        "# TCP sockets on the same NICs, not RDMA\nNCCL_NET=Socket\n": request.tcp,
        "NCCL_NET_GDR_LEVEL=LOC\n": not request.gpudirect,
    }
    yield from (text for text, said in told.items() if said)
