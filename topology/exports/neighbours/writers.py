"""What writes each form that another program reads, by the form's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from toposmith.topology.exports.neighbours import slurm
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
}
