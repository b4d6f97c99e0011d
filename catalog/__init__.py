"""What one can buy: part models, the parts that come with the program, and their checks."""

from __future__ import annotations

from toposmith.catalog.card import one_line, part_card
from toposmith.catalog.checks import check_part, part_warnings
from toposmith.catalog.folders import load_catalog, read_catalog, user_folder
from toposmith.catalog.library import Catalog, CatalogError, UnknownPart
from toposmith.catalog.parts import (
    Cable,
    CableEnd,
    Cages,
    Fibre,
    Gpu,
    Module,
    Nic,
    Node,
    NvlinkFabric,
    NvlinkPort,
    Part,
    Pcie,
    PcieBranch,
    Pdu,
    Pipelines,
    PortMode,
    PowerSupplies,
    Rack,
    RackSystem,
    Slots,
    Storage,
    Switch,
    Transceiver,
)

__all__ = [
    "Cable",
    "CableEnd",
    "Cages",
    "Catalog",
    "CatalogError",
    "Fibre",
    "Gpu",
    "Module",
    "Nic",
    "Node",
    "NvlinkFabric",
    "NvlinkPort",
    "Part",
    "Pcie",
    "PcieBranch",
    "Pdu",
    "Pipelines",
    "PortMode",
    "PowerSupplies",
    "Rack",
    "RackSystem",
    "Slots",
    "Storage",
    "Switch",
    "Transceiver",
    "UnknownPart",
    "check_part",
    "load_catalog",
    "one_line",
    "part_card",
    "part_warnings",
    "read_catalog",
    "user_folder",
]
