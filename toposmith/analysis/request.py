"""A request: a collective, its message size, the job, and the assumptions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.communicator import Job
from toposmith.design.document import Design, RoutingMode
from toposmith.nccl.listed import names_in
from toposmith.nccl.nccl_version import NEWEST, NcclVersion

if TYPE_CHECKING:
    from toposmith.analysis.calibration_file import Calibration

Collective = str
"""The id of a record of :data:`toposmith.collectives.COLLECTIVES`."""

DEFAULT_MESSAGE_BYTES = 8 * 2**30

ROUTING_MODES: tuple[RoutingMode, ...] = (
    "ideal",
    "adaptive",
    "static",
    "detour",
    "dimension-order",
)


@dataclass(frozen=True)
class Routing:
    """How the fabric spreads traffic over equal paths.

    Parameters
    ----------
    mode : str
        ``ideal``: by the capacity that is left on each; ``adaptive``: the same, packet by packet,
        with a small loss; ``static``: each connection hashed onto one path, as plain ECMP does, so
        that some links get more; ``detour``: the best split over minimal paths and those through
        one other group of switches; ``dimension-order``: along one axis of a torus after the other.
    queue_pairs : int
        Queue pairs of a connection, each hashed by itself (static only).
    by_design : bool
        Whether it is a default, so that the design's own routing applies. Does not affect
        equality.
    """

    mode: RoutingMode = "ideal"
    queue_pairs: int = 1
    by_design: bool = field(default=False, compare=False)

    @property
    def weighted(self) -> bool:
        """Whether switches weigh paths by their remaining capacity, rather than equally."""
        return self.mode not in ("static", "dimension-order")

    @property
    def minimal(self) -> bool:
        """Whether traffic takes shortest paths only, all of them."""
        return self.mode in ("ideal", "adaptive", "static")

    def on(self, design: Design) -> Routing:
        """The routing on a design: as requested, else as the design says."""
        if not self.by_design:
            return self
        return replace(self, mode=design.routing or "ideal")


AS_DESIGNED = Routing(by_design=True)
"""The routing that a design names; ideal where it names none."""


@dataclass(frozen=True)
class Request:
    """A collective to predict on a design, with its assumptions.

    Parameters
    ----------
    collective : str
        The collective.
    message_bytes : int
        Message size as nccl-tests counts it, bytes.
    job : Job
        The ranks that take part, and their placement.
    version : NcclVersion
        The NCCL release.
    routing : Routing
        How the fabric spreads traffic.
    sharp : bool
        Whether switches that can reduce (SHARP) do so.
    algorithm, protocol : str, optional
        Only these, as ``NCCL_ALGO`` and ``NCCL_PROTO`` ask for: one, or several as ``ll,simple``.
        If not given, all that the network's plugin allows.
    mtu : int, optional
        Largest RDMA payload of a packet; the usual 4096 of InfiniBand and RoCE if not given.
    gpudirect : bool
        Whether NICs may read and write the memory of GPUs (GPUDirect RDMA), where they can.
    tcp : bool
        Whether NICs carry kernel TCP sockets, whatever else they could (``NCCL_NET=Socket``).
    pxn : bool
        Whether a GPU may send over NVLink and another GPU's NIC, so that a rail is not left (PXN);
        affects all-to-all.
    calibration : Calibration, optional
        Measured over predicted results of a real cluster, applied where they fit.
    exact : bool
        Whether to solve for the optimum of an all-to-all where that takes a linear program.
    """

    collective: Collective = "all_reduce"
    message_bytes: int = DEFAULT_MESSAGE_BYTES
    job: Job = field(default_factory=Job)
    version: NcclVersion = NEWEST
    routing: Routing = AS_DESIGNED
    sharp: bool = False
    algorithm: str | None = None
    protocol: str | None = None
    mtu: int | None = None
    gpudirect: bool = True
    tcp: bool = False
    pxn: bool = True
    calibration: Calibration | None = None
    exact: bool = False

    def of(self, design: Design) -> Request:
        """The request with the design's routing where none was given."""
        routing = self.routing.on(design)
        return self if routing == self.routing else replace(self, routing=routing)

    @property
    def of_other_links(self) -> Request:
        """The same of what loads other links: all-to-all, which feels spines, else all-reduce."""
        other: Collective = "all_reduce" if self.collective == "all_to_all" else "all_to_all"
        return replace(self, collective=other)

    @property
    def algorithms(self) -> tuple[str, ...] | None:
        """The algorithms that the request names; None where it names none."""
        return names_in(self.algorithm)

    @property
    def protocols(self) -> tuple[str, ...] | None:
        """The protocols that the request names; None where it names none."""
        return names_in(self.protocol)

    @property
    def as_modelled(self) -> Request:
        """The same without a calibration, which does not apply to other parts."""
        return self if self.calibration is None else replace(self, calibration=None)

    @property
    def as_nccl_chooses(self) -> bool:
        """Whether nothing is forced, as in published runs."""
        forced = self.algorithm or self.protocol or self.sharp or self.mtu or self.tcp
        left_out = not (self.gpudirect and self.pxn)
        return not (forced or left_out) and self.routing.mode == "ideal"
