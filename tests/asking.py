"""Questions that tests ask of designs."""

from __future__ import annotations

from toposmith.analysis.request import Collective, Request
from toposmith.collectives import LARGEST_MESSAGE_BYTES


def ring_at_large_sizes(collective: Collective = "all_reduce") -> Request:
    """NCCL's ring at a size where latency vanishes; an exchange likewise."""
    exchange = collective in ("all_to_all", "send_recv")
    return Request(
        collective,
        LARGEST_MESSAGE_BYTES,
        algorithm=None if exchange else "ring",
        protocol="simple",
    )
