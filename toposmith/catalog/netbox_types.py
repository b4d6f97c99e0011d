"""Interface types of NetBox: which cage each is, how many lanes it has, how fast its ports are.

Types: NetBox, netbox/dcim/choices.py (github.com/netbox-community/netbox at 43fe81f9). Its labels
of InfiniBand types are the rate of one lane (HDR "50 Gbps"); a port has four, so HDR is 200 Gb/s.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog.pieces import Cage, HeatSink, Protocol


@dataclass(frozen=True)
class PortType:
    """An interface type of ``gbit`` Gb/s; ``cage_ports`` such ports always share a cage."""

    cage: Cage
    lanes: int
    gbit: int
    protocol: Protocol = "ethernet"
    heat_sink: HeatSink | None = None
    cage_ports: int = 1


_FOUR = 4
_EIGHT = 8

PORT_TYPES: dict[str, PortType] = {
    "1000base-t": PortType("rj45", 1, 1),
    "10gbase-t": PortType("rj45", 1, 10),
    "10gbase-x-sfpp": PortType("sfp+", 1, 10),
    "25gbase-x-sfp28": PortType("sfp28", 1, 25),
    "40gbase-x-qsfpp": PortType("qsfp+", _FOUR, 40),
    # An older name of FDR, which files of the library still have.
    "56gbase-x-qsfp+": PortType("qsfp+", _FOUR, 56, "infiniband"),
    "100gbase-x-qsfp28": PortType("qsfp28", _FOUR, 100),
    "100gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 100),
    "200gbase-x-qsfp56": PortType("qsfp56", _FOUR, 200),
    "200gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 200),
    "400gbase-x-qsfp112": PortType("qsfp112", _FOUR, 400),
    "400gbase-x-qsfpdd": PortType("qsfp-dd", _EIGHT, 400),
    "400gbase-x-osfp": PortType("osfp", _EIGHT, 400),
    "400gbase-x-osfp-rhs": PortType("osfp", _EIGHT, 400, heat_sink="flat"),
    "800gbase-x-qsfpdd": PortType("qsfp-dd800", _EIGHT, 800),
    "800gbase-x-osfp": PortType("osfp", _EIGHT, 800),
    "1.6tbase-x-osfp1600": PortType("osfp", _EIGHT, 1600),
    "1.6tbase-x-osfp1600-rhs": PortType("osfp", _EIGHT, 1600, heat_sink="flat"),
    "infiniband-qdr": PortType("qsfp+", _FOUR, 40, "infiniband"),
    "infiniband-fdr10": PortType("qsfp+", _FOUR, 40, "infiniband"),
    "infiniband-fdr": PortType("qsfp+", _FOUR, 56, "infiniband"),
    "infiniband-edr": PortType("qsfp28", _FOUR, 100, "infiniband"),
    "infiniband-hdr": PortType("qsfp56", _FOUR, 200, "infiniband"),
    # Switches have these rates in twin-port OSFP cages only (NVIDIA QM97xx and Q3x00 manuals).
    "infiniband-ndr": PortType("osfp", _EIGHT, 400, "infiniband", cage_ports=2),
    "infiniband-xdr": PortType("osfp", _EIGHT, 800, "infiniband", cage_ports=2),
}

NO_PORTS = ("virtual", "bridge", "lag", "other")
"""Interface types without a physical port."""
