"""Storage: appliances and servers with NICs on the fabric."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import (
    body_rows,
    management_row,
    nic_rate,
    number_rows,
    power_rows,
    slot_rows,
)
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.node_checks import fitted_nics, slot_faults, slower_slots
from toposmith.catalog.parts import Nic, Storage
from toposmith.text import plain_number


def _line(storage: Storage, catalog: Catalog | None) -> str:
    read, write = plain_number(storage.read_GBps), plain_number(storage.write_GBps)
    return f"reads {read}, writes {write} GB/s, {_ports(storage, catalog)}"


def _ports(storage: Storage, catalog: Catalog | None) -> str:
    """The ports that a storage part is sold with, or the slots that wait for NICs."""
    held = []
    for slots in storage.slots.values():
        if slots.nic is None or not slots.fitted:
            held.append(f"{slots.count} open NIC slots")
            continue
        nic = catalog.get(slots.nic) if catalog else None
        ports = slots.fitted * (nic.ports if isinstance(nic, Nic) else 1)
        held.append(f"{ports} x {nic_rate(slots.nic, catalog)}")
    return ", ".join(held)


def _rows(storage: Storage, catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(storage)
    yield "read_GBps", "Reads, GB/s", plain_number(storage.read_GBps)
    yield "write_GBps", "Writes, GB/s", plain_number(storage.write_GBps)
    yield "opens_per_s", "Opens small files, 1/s", plain_number(storage.opens_per_s)
    yield "creates_per_s", "Creates files, 1/s", plain_number(storage.creates_per_s)
    yield from slot_rows(storage.slots, catalog)
    yield from management_row(storage.management_ports)
    yield from body_rows(storage)
    yield from power_rows(storage)


def _faults(storage: Storage, catalog: Catalog) -> Iterator[str]:
    for group, slots in storage.slots.items():
        yield from slot_faults(f"slots.{group}", slots, catalog)


STORAGE = PartKind(
    Storage,
    "Storage",
    _line,
    _rows,
    faults=_faults,
    warnings=lambda storage, catalog: slower_slots(storage.slots, catalog),
    names=lambda storage: fitted_nics(storage.slots),
    bill_rank=2,
    placed=True,
    racked=True,
)
