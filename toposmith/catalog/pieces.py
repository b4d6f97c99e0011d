"""The pieces that parts are made of: links, ports, cages, slots, and the words for them.

Units are in the names: ``_gbit`` is Gb/s as printed on a port, per direction; ``_GBps`` is
10^9 bytes/s, per direction; ``_w`` watts. What is not known is ``None``, never a guess.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Protocol = Literal["infiniband", "ethernet", "nvlink"]
# A "virtual" cage belongs to a cloud provider: what is behind it cannot be cabled by others. An
# "unknown" one is that of a NIC which software reported without its cage.
Cage = Literal[
    "rj45",
    "sfp+",
    "sfp28",
    "qsfp+",
    "qsfp28",
    "qsfp56",
    "qsfp112",
    "qsfp-dd",
    "qsfp-dd800",
    "osfp",
    "virtual",
    "unknown",
]
CpuVendor = Literal["amd", "intel", "arm"]
# Which way a switch blows: out at its ports ("power to port", P2C) or in at them (C2P).
Airflow = Literal["power to port", "port to power"]
# Of a node, whose ports may be on either side.
NodeAirflow = Literal["front to rear", "rear to front"]
# What removes most of a node's heat.
Cooling = Literal["air", "liquid"]
# How payload travels: RDMA over InfiniBand or Ethernet, kernel sockets, a vendor's own transport.
Transport = Literal["infiniband", "roce", "efa", "slingshot", "tcpx", "tcpxo", "tcp"]
# NVLink is NVIDIA's link between GPUs, xGMI (Infinity Fabric) AMD's; UALink is open, and runs over
# Ethernet, too (UALoE), as scale-up Ethernet does.
GpuLink = Literal["nvlink", "xgmi", "ualink", "ethernet"]
# No public source says how collectives run over these, nor how many lanes a GPU may have.
LINKS_NOT_MODELLED: frozenset[GpuLink] = frozenset({"ualink", "ethernet"})
# What switches between GPUs speak.
ScaleUp = Literal["nvlink", "ualink", "ethernet"]
# An OSFP cage takes modules with one kind of heat sink only: air-cooled switches finned ones,
# adapters and nodes flat ones. Other cages leave it out.
HeatSink = Literal["finned", "flat"]


_FOOT_M = 0.3048

# A device as the PCI bus names it: vendor and device, such as 10de:2330.
PciId = Annotated[str, Field(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}$")]


# The family of switches or NICs that makers' lists of cables and modules name: spectrum-4, arista.
Platform = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]


class Record(BaseModel):
    """A piece of a part file: unknown keys are refused, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Pcie(Record):
    """A PCI Express slot or link: its generation and its width in lanes."""

    generation: Annotated[int, Field(ge=1, le=6)]
    width: Annotated[int, Field(ge=1, le=32)] = 16


class NvlinkPort(Record):
    """The links of one GPU to others; ``GBps_per_link`` is one direction (marketing adds both).

    ``kind`` distinguishes NVLink, AMD's xGMI and others; each counts its own generations, Ethernet
    none. A link of UALink or Ethernet is one lane.
    """

    kind: GpuLink = "nvlink"
    generation: Annotated[int, Field(ge=1, le=6)] | None = None
    links: Annotated[int, Field(gt=0)]
    GBps_per_link: Annotated[float, Field(gt=0)]

    @model_validator(mode="after")
    def _is_of_some_generation(self) -> NvlinkPort:
        if self.generation is None and self.kind != "ethernet":
            raise ValueError(f"generation is missing, which every {self.kind} has")
        return self

    @property
    def GBps(self) -> float:
        """GB/s of all links of the GPU together, one direction."""
        return self.links * self.GBps_per_link


class PortMode(Record):
    """One way to run a cage: so many logical ports, each at this speed (a breakout when > 1)."""

    ports: Annotated[int, Field(ge=1, le=8)]
    speed_gbit: Annotated[int, Field(gt=0)]


class Cages(Record):
    """The cages of a switch and the modes that each may run in, native mode first."""

    count: Annotated[int, Field(gt=0, le=4096)]
    cage: Cage
    lanes: Annotated[int, Field(ge=1, le=8)]
    heat_sink: HeatSink | None = None
    modes: Annotated[tuple[PortMode, ...], Field(min_length=1)]

    @property
    def gbit(self) -> int:
        """Gb/s of all the cages in their native mode, one direction."""
        return self.count * self.modes[0].ports * self.modes[0].speed_gbit


class Pipelines(Record):
    """How the chip limits breakouts: each run of ``cages`` may have so many logical ports."""

    cages: Annotated[int, Field(gt=0)]
    max_ports: Annotated[int, Field(gt=0)]


class PowerSupplies(Record):
    """Power supplies: how many, the rating of each, and how many of them may fail."""

    count: Annotated[int, Field(gt=0)]
    rating_w: Annotated[float, Field(gt=0)]
    spare: Annotated[int, Field(ge=0)] | None = None


class Slots(Record):
    """NIC slots of a node that serve one network: its compute, storage or management ports.

    Where NICs are built in and share cages, ``cages`` names each cage and the slots behind its
    ports, first port first. ``links`` are the slots, by number, that are not as wide or fast as
    ``pcie``. With ``ports_across_nics`` the first port of every NIC is counted before the second of
    any, so that a network of as many ports as there are NICs has one of each.
    """

    count: Annotated[int, Field(gt=0, le=1024)]
    pcie: Pcie
    nic: str | None = None
    fitted: Annotated[int, Field(ge=0)] = 0
    cages: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    links: dict[int, Pcie] = Field(default_factory=dict)
    ports_across_nics: bool = False


class PcieBranch(Record):
    """One branch below a CPU socket: the GPUs and slots that share a PCIe switch.

    With ``switch: false`` they hang on the socket's own root ports instead. ``slots`` lists slot
    numbers per slot group. ``uplink`` is the link from the switch to the socket, where it is not
    as wide and fast as that of a GPU. A switch that hangs on another one instead of the socket
    says so in ``below``, by the place of that branch in the list (the first is 0).
    """

    socket: Annotated[int, Field(ge=0)]
    switch: bool = True
    gpus: tuple[int, ...] = ()
    slots: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    uplink: Pcie | None = None
    below: Annotated[int, Field(ge=0)] | None = None


class NvlinkFabric(Record):
    """How the GPUs of a node are joined: through NVSwitches, as a mesh, or by bridges.

    ``pairs`` are the GPUs that are joined directly, with the number of links as a third figure
    where ``links_per_pair`` does not hold; a mesh without them joins every pair. ``domain_gpus``
    is how many GPUs the same NVSwitches join where that is more than the node: 72 in an NVL72
    rack. ``switch_trays`` is how many trays these come in.
    """

    shape: Literal["nvswitch", "mesh", "bridge"]
    switches: Annotated[int, Field(gt=0)] | None = None
    links_per_pair: Annotated[int, Field(gt=0)] | None = None
    pairs: tuple[tuple[int, int] | tuple[int, int, int], ...] = ()
    domain_gpus: Annotated[int, Field(gt=0)] | None = None
    switch_trays: Annotated[int, Field(gt=0)] | None = None


class Numbering(Record):
    """Numbers that contain the length: ``AC-12A-{:03}M`` is AC-12A-010M at 10 m.

    Lengths are whole metres or feet, every ``step`` from ``first`` to ``last``.
    """

    form: Annotated[str, Field(pattern=r"^[^{}]*\{(:0[2-9])?\}[^{}]*$")]
    unit: Literal["m", "ft"] = "m"
    first: Annotated[int, Field(gt=0)]
    last: Annotated[int, Field(gt=0, le=10_000)]
    step: Annotated[int, Field(gt=0)] = 1

    @model_validator(mode="after")
    def _runs_upward(self) -> Numbering:
        if self.last < self.first:
            raise ValueError(f"last: {self.last} is below first: {self.first}")
        return self

    @property
    def numbers(self) -> dict[float, str]:
        """The number of every length on sale, by metres."""
        metre = 1.0 if self.unit == "m" else _FOOT_M
        lengths = range(self.first, self.last + 1, self.step)
        return {round(each * metre, 4): self.form.format(each) for each in lengths}

    @property
    def every(self) -> str:
        """``each 10 m``: how far apart its lengths are."""
        return f"each {self.step} {self.unit}"


class RackContent(Record):
    """What a rack that is sold as a whole holds besides its nodes: so many of one thing.

    ``part`` is its id where the catalog has it, ``rack_units`` the height of one, and
    ``management_ports`` the RJ45 ports of one that is no part of the catalog.
    """

    name: str
    count: Annotated[int, Field(gt=0)]
    part: str | None = None
    rack_units: Annotated[int, Field(gt=0)] | None = None
    management_ports: Annotated[int, Field(gt=0, le=16)] | None = None


class CableEnd(Record):
    """One end of a cable: how many plugs of which cage, each at this speed.

    ``platforms`` are those that this end is for, where the other is for others.
    """

    plugs: Annotated[int, Field(ge=1, le=8)] = 1
    cage: Cage
    speed_gbit: Annotated[int, Field(gt=0)]
    heat_sink: HeatSink | None = None
    platforms: tuple[Platform, ...] = ()
