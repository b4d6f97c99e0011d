"""Whatever a lock binds is in every form that carries it: names, labels, places, ports, serials."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from functools import cache
from typing import Any

import pytest

from tests.every import for_every
from tests.lock.fabrics import evaluated, locked
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS, OF_CABLES
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import FabricLock

INFINIBAND = """\
toposmith: 1
name: one switch
groups:
  node: {part: dgx-h100, count: 3}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
"""
ETHERNET = INFINIBAND.replace(
    "dgx-h100", "as-4124go-nart, nics: {compute: {part: connectx-6-200gbe, count: 8}}"
).replace("qm9700", "sn3700")
DESIGNS = {"InfiniBand": INFINIBAND, "Ethernet": ETHERNET}

WITHOUT_PORTS = {"hostfiles", "rail-addresses", "rail-prefixes", "routed-prefixes", "proof"}
"""Forms that are made of cables, and name no port of a switch."""


def read(design: EvaluatedDesign, form: str) -> str:
    """All text of a form: of a folder that of its files, of a workbook that of its parts."""
    made = FORMS[form].make(design, None, None)
    pieces = [*made.pieces] if made.files is None else [b"".join(one) for _, one in made.files]
    raw = b"".join(pieces)
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as book:
            raw = b"".join(book.read(name) for name in book.namelist())
    return raw.decode("utf-8", "replace")


def edited(lock: FabricLock, **fields: Any) -> FabricLock:
    """The lock with the last node, or its first cable, otherwise."""
    node = [one for one in lock.devices if one.group == "node"][-1]
    cable = next(one for one in lock.cables if one.a == node.name)
    of_cable = {name: value for name, value in fields.items() if name in cable._fields}
    of_node = {name: value for name, value in fields.items() if name in node._fields}
    called = of_node.get("name", node.name)
    devices = [one._replace(**of_node) if one is node else one for one in lock.devices]
    cables = [one._replace(**of_cable) if one is cable else one for one in lock.cables]
    cables = [one._replace(a=called) if one.a == node.name else one for one in cables]
    return in_order(devices, cables, lock)


@cache
def writable(kind: str) -> tuple[str, ...]:
    """The forms that the design has something for."""
    found = []
    for form in FORMS:
        try:
            read(evaluated(DESIGNS[kind]), form)
        except Exception:  # refused: it is for another network, or for jobs
            continue
        found.append(form)
    return tuple(found)


def test_all_forms_are_looked_at() -> None:
    assert {*writable("InfiniBand"), *writable("Ethernet")} == FORMS.keys() - {"slurm-block"}


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize(
    ("field", "old", "new"),
    [("name", "node-2", "dgx017"), ("label", "{label}", "Q7777"), ("rack", "{rack}", "Z09")],
)
def test_what_a_fresh_plan_would_say_is_said_as_the_lock_has_it(
    kind: str, field: str, old: str, new: str
) -> None:
    """Wherever a form says the word of a fresh plan, it says that of the lock instead."""
    lock = locked(DESIGNS[kind])
    node = [one for one in lock.devices if one.group == "node"][-1]
    cable = next(one for one in lock.cables if one.a == node.name)
    old = old.format(label=cable.label, rack=node.rack)
    alone = field != "rack" or sum(one.rack == node.rack for one in lock.devices) == 1
    before = evaluated(DESIGNS[kind])
    after = evaluated(DESIGNS[kind], edited(lock, **{field: new}))
    said = []
    for form in writable(kind):
        if old in read(before, form) and form != "png":
            text = read(after, form)
            assert new in text, form
            assert old not in text or not alone, form
            said.append(form)
    assert len(said) > 2


@pytest.mark.parametrize("kind", DESIGNS)
def test_a_port_of_the_lock_is_in_every_form_of_ports(kind: str) -> None:
    lock = locked(DESIGNS[kind])
    free = {"InfiniBand": "32/1", "Ethernet": "swp32"}[kind]
    assert free not in {one.z_port for one in lock.cables}
    moved = evaluated(DESIGNS[kind], edited(lock, z_port=free))
    fresh = evaluated(DESIGNS[kind])
    for form in writable(kind):
        if FORMS[form].lacks is OF_CABLES and form not in WITHOUT_PORTS:
            assert read(moved, form) != read(fresh, form), form


@for_every(FORMS)
def test_serial_numbers_are_in_the_forms_of_devices(form: str) -> None:
    if form not in writable("InfiniBand"):
        return
    known = edited(locked(INFINIBAND), facts="guid=0x10 serial=SN4711")
    text = read(evaluated(INFINIBAND, known), form)
    assert ("SN4711" in text) == (form in ("netbox", "json"))
    assert text.count("SN4711") <= 1
    # a device that the design gives another part is another device
    other = evaluated(INFINIBAND.replace("dgx-h100", "dgx-h200"), known)
    assert "SN4711" not in read(other, form)


def test_a_serial_number_stands_with_its_device() -> None:
    known = evaluated(INFINIBAND, edited(locked(INFINIBAND), facts="guid=0x10 serial=SN4711"))
    made = FORMS["netbox"].make(known, None, None)
    assert made.files is not None
    files = {name: b"".join(pieces).decode() for name, pieces in made.files}
    (table,) = [text for name, text in files.items() if name.endswith("-devices.csv")]
    rows = {row["name"]: row["serial"] for row in csv.DictReader(io.StringIO(table))}
    assert {name: serial for name, serial in rows.items() if serial} == {"node-2": "SN4711"}
    assert {*rows} >= {"node-0", "node-1", "leaf-0"}
    (node,) = [one for one in json.loads(read(known, "json"))["devices"] if one["name"] == "node-2"]
    assert node["facts"] == {"guid": "0x10", "serial": "SN4711"}
    long = evaluated(INFINIBAND, edited(locked(INFINIBAND), facts="serial=" + "S" * 51))
    written = FORMS["netbox"].make(long, None, None)
    assert written.files is not None
    assert "S" * 51 not in "".join(b"".join(pieces).decode() for _, pieces in written.files)
    assert "serial numbers of more than 50 signs" in [*written.lost]
