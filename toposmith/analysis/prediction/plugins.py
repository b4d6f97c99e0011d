"""The protocols and algorithms that a network's software allows NCCL to use.

A network plugin, or the settings that its maker requires, may disable a protocol. LL and
LL128 need bytes to arrive in order in GPU memory, which not every transport guarantees
(aws/aws-ofi-nccl issue 76: other protocols "could lead to data corruption").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.catalog.parts import Transport
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS, Algorithm, NcclProtocol

EFA_WRITES_FROM = 90
"""Compute capability of the GPUs beside which EFA writes by RDMA: P5, of H100, and later. There
aws-ofi-nccl leaves all protocols since 1.7.3; elsewhere it sets ``NCCL_PROTO=simple`` since 1.5,
and asked for it before (aws/aws-ofi-nccl, src/platform-aws and doc/efa-env-var.md; pull request
280)."""

TCPXO_LL128_FROM = NcclVersion(2, 23)
TCPXO_NVLS_FROM = NcclVersion(2, 26)
"""Releases of NCCL that come with those of GPUDirect-TCPXO that let LL128 (May 2025) and NVLSTree
(August 2025) run; before, Simple by rings and trees (release notes in gpudirect-tcpxo/README.md of
GoogleCloudPlatform/container-engine-accelerators)."""

RINGS_AND_TREES: tuple[Algorithm, ...] = ("tree", "ring")


@dataclass(frozen=True)
class Leave:
    """What NCCL may run, and which software restricts it.

    Parameters
    ----------
    by : str
        The software, in a few words.
    protocols, algorithms : tuple of str
        Those that it allows.
    """

    by: str
    protocols: tuple[NcclProtocol, ...] = PROTOCOLS
    algorithms: tuple[Algorithm, ...] = ALGORITHMS

    def and_also(self, other: Leave) -> Leave:
        """What both allow."""
        return Leave(
            self.by if self.by == other.by else f"{self.by} and {other.by}",
            tuple(one for one in self.protocols if one in other.protocols),
            tuple(one for one in self.algorithms if one in other.algorithms),
        )


def leave(
    transports: Iterable[Transport],
    *,
    gpudirect: bool,
    compute_capability: int,
    version: NcclVersion,
) -> Leave | None:
    """What the software of all these networks allows; None where NCCL drives the NICs itself.

    Parameters
    ----------
    transports : iterable of str
        How payload travels between nodes.
    gpudirect : bool
        Whether NICs reach the memory of GPUs.
    compute_capability : int
        The lowest of the GPUs, 90 for 9.0.
    version : NcclVersion
        The release of NCCL, which selects that of GPUDirect-TCPXO.
    """
    found: Leave | None = None
    for over in transports:
        one = _of(over, gpudirect, compute_capability, version)
        found = one if found is None or one is None else found.and_also(one)
    return found


def _of(
    over: Transport, gpudirect: bool, compute_capability: int, version: NcclVersion
) -> Leave | None:
    match over:
        case "efa":
            writes = gpudirect and compute_capability >= EFA_WRITES_FROM
            return Leave("aws-ofi-nccl", PROTOCOLS if writes else ("simple",))
        case "slingshot":
            # without GPUDirect aws-ofi-nccl sets Simple (since 1.15; pull request 850); with it,
            # CSCS sets ^LL128 (eth-cscs/cscs-docs, docs/software/communication/nccl_env_vars)
            if not gpudirect:
                return Leave("aws-ofi-nccl", ("simple",))
            return Leave("NCCL_PROTO=^LL128, as at CSCS", ("ll", "simple"))
        case "tcpx":
            # gpudirect-tcpx/README.md of the same repository, June 2026
            return Leave("GPUDirect-TCPX", ("simple",), RINGS_AND_TREES)
        case "tcpxo":
            protocols: tuple[NcclProtocol, ...] = ("ll128", "simple")
            return Leave(
                "GPUDirect-TCPXO",
                protocols if version >= TCPXO_LL128_FROM else ("simple",),
                ALGORITHMS if version >= TCPXO_NVLS_FROM else RINGS_AND_TREES,
            )
        case _:
            return None
