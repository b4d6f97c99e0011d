"""What one can buy: the pydantic models of the catalog's parts.

Units are in the names: ``_gbit`` is Gb/s as printed on a port, per direction; ``_GBps`` is
10^9 bytes/s, per direction; ``_w`` watts; ``_m`` metres. A figure that is not in this catalog
is ``None``, never a guess.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationError, model_validator

from toposmith.catalog.pieces import (
    Airflow,
    CableEnd,
    Cage,
    Cages,
    Cooling,
    CpuVendor,
    GpuLink,
    HeatSink,
    NodeAirflow,
    Numbering,
    NvlinkFabric,
    NvlinkPort,
    Pcie,
    PcieBranch,
    PciId,
    Pipelines,
    Platform,
    PortMode,
    PowerSupplies,
    Protocol,
    RackContent,
    Record,
    ScaleUp,
    Slots,
    Transport,
)

__all__ = [
    "Airflow",
    "Cable",
    "CableEnd",
    "Cage",
    "Cages",
    "CpuVendor",
    "Fibre",
    "Gpu",
    "GpuLink",
    "HeatSink",
    "Module",
    "Nic",
    "Node",
    "NvlinkFabric",
    "NvlinkPort",
    "NvlinkSwitch",
    "Part",
    "Pcie",
    "PcieBranch",
    "Pdu",
    "Pipelines",
    "PortMode",
    "PowerSupplies",
    "Protocol",
    "Rack",
    "RackSystem",
    "Slots",
    "Storage",
    "Switch",
    "Transceiver",
    "Transport",
]


class Part(Record):
    """What every part has: a name, a height in the rack, a power draw, and sources.

    ``source`` is that of every figure of the part; ``sources`` names another source for single
    fields; a field listed in ``unverified`` was found only in a source that may be wrong;
    ``conflicts`` says, per field, what another source prints instead. All three name fields by
    dotted paths, such as ``slots.storage``. ``power_w`` is the most that the part draws, and
    ``power_typical_w`` what its maker calls typical. ``fed_by`` is what its supplies are plugged
    into: ``AC``, or the DC ``busbar`` of a rack; of a rack sold whole what it has for its devices.

    ``ordering_number`` is the second number of a maker that has two, such as NVIDIA's 980- and 920-
    numbers beside the older names. ``end_of_sale`` is a day by which its maker no longer sold it.
    """

    FACILITY: ClassVar[bool] = False
    """Whether it belongs to the machine room (racks, power) and cannot be placed in a design."""

    kind: str
    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: str
    vendor: str
    part_number: str | None = None
    ordering_number: str | None = None
    end_of_sale: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    rack_units: Annotated[float, Field(gt=0)] | None = None
    power_w: Annotated[float, Field(ge=0)] | None = None
    power_typical_w: Annotated[float, Field(gt=0)] | None = None
    weight_kg: Annotated[float, Field(gt=0)] | None = None
    fed_by: Literal["AC", "busbar"] | None = None
    source: str
    sources: dict[str, str] = Field(default_factory=dict)
    unverified: tuple[str, ...] = ()
    conflicts: dict[str, str] = Field(default_factory=dict)
    note: str | None = None


class Gpu(Part):
    """A GPU: what it computes and how it leaves the package.

    NVIDIA's have a CUDA ``compute_capability`` (90 is 9.0), others an ``architecture`` by the name
    that their compiler gives it (gfx942). ``c2c_GBps`` is the chip-to-chip link to a CPU on the
    same module, which GPUs without one leave out; ``pcie`` is then what the chip has besides.
    ``pci_ids`` are the names by which programs that look at the PCI bus know the GPU. Peaks are
    those of dense matrices.
    """

    kind: Literal["gpu"] = "gpu"
    compute_capability: Annotated[int, Field(ge=60, le=130)] | None = None
    architecture: str | None = None
    memory_gb: Annotated[float, Field(gt=0)] | None = None
    memory_TBps: Annotated[float, Field(gt=0)] | None = None
    bf16_dense_tflops: Annotated[float, Field(gt=0)] | None = None
    fp16_dense_tflops: Annotated[float, Field(gt=0)] | None = None
    fp8_dense_tflops: Annotated[float, Field(gt=0)] | None = None
    fp4_dense_tflops: Annotated[float, Field(gt=0)] | None = None
    int8_dense_tflops: Annotated[float, Field(gt=0)] | None = None
    pcie: Pcie
    c2c_GBps: Annotated[float, Field(gt=0)] | None = None
    nvlink: NvlinkPort | None = None
    pci_ids: tuple[PciId, ...] = ()

    @model_validator(mode="after")
    def _is_of_some_generation(self) -> Gpu:
        if self.vendor == "NVIDIA" and self.compute_capability is None:
            raise ValueError("compute_capability is missing, which every NVIDIA GPU has")
        if self.compute_capability is None and self.architecture is None:
            raise ValueError("neither compute_capability nor architecture is given")
        return self


class Nic(Part):
    """A network adapter; ``speed_gbit`` is the line rate of each port, one direction.

    ``lanes`` are those of each port. ``shared_gbit`` is what all ports together carry where the
    adapter itself takes less than their line rates, in any slot. ``transports`` are
    those that collectives can use, the usual one first; empty for RDMA of the port's protocol.
    ``pci_ids`` as of a GPU; ``platform`` and ``optics`` as of a switch.
    """

    kind: Literal["nic"] = "nic"
    ports: Annotated[int, Field(ge=1, le=4)]
    speed_gbit: Annotated[int, Field(gt=0)]
    shared_gbit: Annotated[int, Field(gt=0)] | None = None
    cage: Cage
    lanes: Annotated[int, Field(ge=1, le=8)]
    heat_sink: HeatSink | None = None
    protocols: Annotated[tuple[Protocol, ...], Field(min_length=1)]
    transports: tuple[Transport, ...] = ()
    pcie: Pcie
    latency_ns: float | None = None
    pci_ids: tuple[PciId, ...] = ()
    platform: Platform | None = None
    optics: Literal["any maker"] | None = None

    @property
    def together_gbit(self) -> int:
        """Gb/s of all ports together, one direction: their line rates, or the adapter's limit."""
        whole = self.ports * self.speed_gbit
        return whole if self.shared_gbit is None else min(whole, self.shared_gbit)

    def transport(self, protocol: Protocol) -> Transport:
        """The transport that collectives use over a network: the first that is listed for it.

        A NIC that lists none is assumed to use RDMA: InfiniBand, or RoCE over Ethernet.
        """
        over_infiniband = protocol == "infiniband"
        fitting = [t for t in self.transports if (t == "infiniband") == over_infiniband]
        return fitting[0] if fitting else "infiniband" if over_infiniband else "roce"


class Switch(Part):
    """A switch; ``capacity_gbit`` is the sum of its ports, one direction.

    ``cages`` are those that links use; ``more_cages`` are of another kind, such as the uplinks of
    a management switch. ``max_ports`` is the most logical ports that it runs in any mode and
    ``pipelines`` the limit per run of cages. ``buffer_mb`` is the packet buffer that all ports
    share, in 10^6 bytes. ``power_includes_modules`` says whether ``power_w`` is that with active
    cables or modules in its cages, left out where that is not known. ``airflow`` is the direction
    of the part number, from its power side to its ports or from its ports to its power side;
    ``other_airflow_number`` orders the same switch with fans that blow the other way.

    ``modules`` is what a modular one is ordered with, by the id of each and how many; its part
    number, height and weight are then those of the chassis.

    ``platform`` is the family by which makers' lists of cables and modules name it, and ``optics``
    says ``any maker`` where its maker states that it accepts those of others.
    """

    kind: Literal["switch"] = "switch"
    airflow: Airflow | None = None
    other_airflow_number: str | None = None
    protocol: Protocol
    cages: Cages
    more_cages: tuple[Cages, ...] = ()
    capacity_gbit: Annotated[int, Field(gt=0)] | None = None
    max_ports: Annotated[int, Field(gt=0)] | None = None
    pipelines: Pipelines | None = None
    asic: str | None = None
    buffer_mb: Annotated[float, Field(gt=0)] | None = None
    latency_ns: float | None = None
    sharp: bool | None = None
    adaptive_routing: bool | None = None
    power_supplies: PowerSupplies | None = None
    management_ports: Annotated[int, Field(gt=0, le=16)] | None = None
    power_includes_modules: bool | None = None
    modules: dict[str, Annotated[int, Field(gt=0)]] = Field(default_factory=dict)
    platform: Platform | None = None
    optics: Literal["any maker"] | None = None

    @property
    def native(self) -> PortMode:
        """The mode that a cage runs in unless a link needs another."""
        return self.cages.modes[0]

    @property
    def ports(self) -> int:
        """Logical ports when every cage runs its native mode: the radix."""
        return self.cages.count * self.native.ports

    def mode_for(self, speed_gbit: int) -> PortMode | None:
        """The mode whose ports run at this speed, or None where the switch has none."""
        return next((m for m in self.cages.modes if m.speed_gbit == speed_gbit), None)


class Module(Part):
    """A component of a modular switch: a supervisor, fabric or line card, a power supply."""

    kind: Literal["module"] = "module"
    use: Literal["supervisor", "fabric", "line card", "power supply"]
    cages: Annotated[int, Field(gt=0)] | None = None


class Node(Part):
    """A GPU server: a chassis with GPUs inside and slots for NICs.

    Its power and weight are those of the node as sold, GPUs and fitted NICs included. ``gpu_pcie``
    is the slot that its GPUs sit in, where that is slower than they are, and ``gpu_links`` the
    GPUs, by number, whose own link is slower still. ``management_ports`` counts the RJ45 ports
    of 1 Gb/s for out-of-band management (BMC); so too of switches and storage.
    ``cooling`` is what carries most of its heat away, ``airflow`` the direction of its fans.
    """

    kind: Literal["node"] = "node"
    gpu: str
    gpus: Annotated[int, Field(gt=0, le=256)]
    sockets: Annotated[int, Field(gt=0, le=32)]
    cpu_vendor: CpuVendor
    inter_socket_GBps: Annotated[float, Field(gt=0)] | None = None
    nvlink: NvlinkFabric | None = None
    gpu_pcie: Pcie | None = None
    gpu_links: dict[int, Pcie] = Field(default_factory=dict)
    branches: Annotated[tuple[PcieBranch, ...], Field(min_length=1)]
    slots: dict[str, Slots] = Field(default_factory=dict)
    management_ports: Annotated[int, Field(gt=0, le=16)] | None = None
    power_supplies: PowerSupplies | None = None
    cooling: Cooling | None = None
    airflow: NodeAirflow | None = None


class RackSystem(Part):
    """A rack that its maker sells as a whole, such as an NVL72: ``nodes`` trays of one ``node``.

    ``contents`` is what it holds besides, and ``also`` what has no count. ``units`` is the height
    of its cabinet; power and weight are those of the whole.
    """

    kind: Literal["rack-system"] = "rack-system"
    node: str
    nodes: Annotated[int, Field(gt=1)]
    contents: tuple[RackContent, ...] = ()
    also: tuple[str, ...] = ()
    units: Annotated[int, Field(gt=0)] | None = None


class Cable(Part):
    """A cable with its plugs attached (DAC, ACC, AEC, AOC, straight or splitting).

    ``speed_gbit`` of an end is that of each plug; a straight cable of a twin-port cage carries
    both ports; twisted pair is the medium of RJ45. ``power_w`` is that of the whole cable.
    ``family`` is what the part numbers of all its lengths have in common, and ``part_numbers`` has
    the whole ones that are known, by metres; ``ordering_numbers`` are the second numbers of a
    maker that has two.

    ``platforms`` are the switches and NICs that its maker's page or list names for it; ``only_for``
    says that the page rules out all other platforms, or all switches. ``coded_to_order`` is set for
    makers that code each piece for the device that the order names.
    """

    kind: Literal["cable"] = "cable"
    family: str | None = None
    part_numbers: dict[float, str] = Field(default_factory=dict)
    ordering_numbers: dict[float, str] = Field(default_factory=dict)
    medium: Literal["dac", "acc", "aec", "aoc", "twisted pair"]
    protocols: tuple[Protocol, ...]
    a: CableEnd
    b: CableEnd
    lengths_m: tuple[float, ...] = ()
    reach_m: Annotated[float, Field(gt=0)]
    platforms: tuple[Platform, ...] = ()
    only_for: Literal["platforms", "adapters"] | None = None
    coded_to_order: bool = False


FibreGrade = Literal["OM3", "OM4", "OM5", "OS2"]
"""Grades of fibre, by ISO/IEC 11801."""

Gender = Literal["female", "male"]
"""Of an MPO plug: without alignment pins, or with them."""


class Transceiver(Part):
    """An optical module: ``ports`` network ports of ``speed_gbit`` each (2 for twin-port).

    ``connector`` is that of the fibre which each of its ports takes. ``splits`` says whether a
    splitter can send half of a port's lanes each way, to run at half its speed. ``linear`` is that
    of a module without a signal processor (LPO): the device that it is plugged into must be made
    for it, so that a bill never chooses one. ``reach_by_grade`` is how far it reaches over each
    grade of multimode fibre, m: 100 Gb/s a lane reach less than 25. ``platforms`` and what follows
    as of a cable.
    """

    kind: Literal["transceiver"] = "transceiver"
    cage: Cage
    ports: Annotated[int, Field(ge=1, le=2)] = 1
    speed_gbit: Annotated[int, Field(gt=0)]
    fibre: Literal["multimode", "singlemode"]
    connector: str | None = None
    reach_m: Annotated[float, Field(gt=0)]
    reach_by_grade: dict[FibreGrade, float] = Field(default_factory=dict)
    heat_sink: HeatSink | None = None
    splits: bool = True
    linear: bool = False
    protocols: tuple[Protocol, ...]
    platforms: tuple[Platform, ...] = ()
    only_for: Literal["platforms", "adapters"] | None = None
    coded_to_order: bool = False

    def reach_over(self, fibre: Fibre) -> float:
        """How far it reaches over a fibre, m: by the grades in which that is sold."""
        if not self.reach_by_grade or not fibre.grades:
            return self.reach_m
        return max(
            min(to_m, self.reach_by_grade.get(grade, 0.0)) for to_m, grade in fibre.grades.items()
        )


class Fibre(Part):
    """A passive fibre between two transceivers; ``ends_b`` is 2 for a splitter.

    ``family``, the numbers and ``lengths_m`` as of a cable; one without lengths is made to measure.
    ``numbering`` stands for both where a maker's numbers contain the length. ``grades`` are by the
    longest length, m, that is sold in each. ``fibres`` counts them in one plug, ``polarity`` is by
    TIA-568 (``B`` crosses all of a parallel plug, ``A-B`` the two of a duplex one), and ``genders``
    those of both ends. One that is ``configured`` is ordered by quote with these, its ``series``
    and its ``jacket``, rather than by a number.
    """

    kind: Literal["fibre"] = "fibre"
    family: str | None = None
    numbering: Numbering | None = None
    part_numbers: dict[float, str] = Field(default_factory=dict)
    ordering_numbers: dict[float, str] = Field(default_factory=dict)
    fibre: Literal["multimode", "singlemode"]
    connector: str
    ends_b: Annotated[int, Field(ge=1, le=2)] = 1
    lengths_m: tuple[float, ...] = ()
    reach_m: Annotated[float, Field(gt=0)]
    grades: dict[float, FibreGrade] = Field(default_factory=dict)
    fibres: Annotated[int, Field(gt=0, le=576)] | None = None
    polarity: Literal["A", "B", "C", "A-B"] | None = None
    genders: tuple[Gender, Gender] | None = None
    configured: bool = False
    series: str | None = None
    jacket: str | None = None

    @property
    def lacking(self) -> tuple[str, ...]:
        """Fields without which one that is configured cannot be ordered by quote."""
        asked = ["series", "grades", "fibres", "polarity", "jacket"]
        asked += ["genders"] if self.connector.startswith("MPO") else []
        return tuple(field for field in asked if not getattr(self, field))

    @property
    def joins_modules(self) -> bool:
        """Whether it leads from module to module: sockets have the pins, and pairs cross.

        A parallel plug crosses with polarity B, a duplex one with A-B (TIA-568.3-E). What is not
        known is no reason to refuse it.
        """
        crossed = "B" if self.connector.startswith("MPO") else "A-B"
        return self.genders in (None, ("female", "female")) and self.polarity in (None, crossed)

    @model_validator(mode="before")
    @classmethod
    def _numbered(cls, data: Any) -> Any:
        """The number of each length, written out; an invalid ``numbering`` is reported as such."""
        if not isinstance(data, dict) or not (given := data.get("numbering")):
            return data
        try:
            numbers = Numbering.model_validate(given).numbers
        except ValidationError:
            return data
        return {"part_numbers": numbers, "lengths_m": tuple(numbers), **data}


class Storage(Part):
    """A storage appliance or server on the fabric; ``read_GBps`` and ``write_GBps`` are of one.

    ``opens_per_s`` counts small files that one opens and reads, ``creates_per_s`` empty files that
    it creates.
    """

    kind: Literal["storage"] = "storage"
    slots: Annotated[dict[str, Slots], Field(min_length=1)]
    management_ports: Annotated[int, Field(gt=0, le=16)] | None = None
    read_GBps: Annotated[float, Field(gt=0)] | None = None
    write_GBps: Annotated[float, Field(gt=0)] | None = None
    opens_per_s: Annotated[float, Field(gt=0)] | None = None
    creates_per_s: Annotated[float, Field(gt=0)] | None = None


class NvlinkSwitch(Part):
    """A scale-up switch, such as an NVSwitch tray: it joins the GPUs of many nodes in one domain.

    ``ports`` are NVLinks to GPUs, ``GBps_per_link`` what one carries in one direction; their cables
    come with the rack that the tray is built into. ``cages`` are those of a tray that cables join
    to the trays of another rack. ``protocol`` is what its links speak; of UALink
    and Ethernet each link is a lane. ``management_ports`` are its RJ45 ports, as those of a node.
    """

    kind: Literal["nvlink-switch"] = "nvlink-switch"
    protocol: ScaleUp = "nvlink"
    chips: Annotated[int, Field(gt=0)] | None = None
    ports: Annotated[int, Field(gt=0)]
    GBps_per_link: Annotated[float, Field(gt=0)]
    cages: Cages | None = None
    management_ports: Annotated[int, Field(gt=0, le=16)] | None = None


class Rack(Part):
    """A rack; ``units`` is the height for devices, ``max_load_kg`` the weight that it bears.

    Its own ``rack_units`` stay empty. ``max_power_w`` is a limit of the site,
    so parts of the catalog leave it out.
    """

    FACILITY = True

    kind: Literal["rack"] = "rack"
    units: Annotated[int, Field(gt=0)] | None = None
    height_mm: Annotated[float, Field(gt=0)] | None = None
    width_mm: Annotated[float, Field(gt=0)] | None = None
    depth_mm: Annotated[float, Field(gt=0)] | None = None
    max_load_kg: Annotated[float, Field(gt=0)] | None = None
    max_power_w: Annotated[float, Field(gt=0)] | None = None


class Pdu(Part):
    """A rack power distribution unit; one that stands upright takes no rack units.

    ``rating_w`` is what it delivers, and ``outlets`` counts its sockets by type.
    """

    FACILITY = True

    kind: Literal["pdu"] = "pdu"
    phases: Literal[1, 3]
    volts: Annotated[float, Field(gt=0)] | None = None
    amps: Annotated[float, Field(gt=0)] | None = None
    rating_w: Annotated[float, Field(gt=0)] | None = None
    outlets: Annotated[dict[str, int], Field(min_length=1)]
