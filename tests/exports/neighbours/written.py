"""What a form writes of a design, and what there is to write by a second expander."""

from __future__ import annotations

from collections import Counter
from functools import cache

from tests.oracle.document import read
from tests.oracle.expansion import Cable, Device, Fabric, expand, fitted
from tests.oracle.parts import part
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS, Made
from toposmith.saved_designs import find_saved

CATALOG = load_catalog(user=False)
SAVED = (
    "a100-rack-1x100gbe",
    "dgx-a100-su",
    "dgx-h100-superpod-1su",
    "dgx-h100-superpod-4su",
    "hgx-a100-64gpu-roce-2to1",
)
"""The saved designs that a test can look at cable by cable; the bench writes the large ones."""

Pairs = Counter[tuple[str, str]]


@cache
def saved_text(name: str) -> str:
    found = find_saved(name)
    assert found is not None
    return found.path.read_text(encoding="utf-8")


@cache
def design_of(text: str) -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(text, "test.yaml"), CATALOG)


def saved(name: str) -> EvaluatedDesign:
    return design_of(saved_text(name))


def made(design: EvaluatedDesign, form: str) -> Made:
    return FORMS[form].make(design, None, None)


def raw_of(design: EvaluatedDesign, form: str) -> bytes:
    return b"".join(made(design, form).pieces)


def text_of(design: EvaluatedDesign, form: str) -> str:
    return raw_of(design, form).decode()


def files_of(design: EvaluatedDesign, form: str) -> dict[str, str]:
    files = made(design, form).files
    assert files is not None
    return {name: b"".join(pieces).decode() for name, pieces in files}


def expanded(text: str) -> Fabric:
    return expand(read(text))


def name_of(fabric: Fabric, device: Device) -> str:
    """A device's name by docs/cable-schedule.md."""
    groups = fabric.document.groups
    group = groups[device.group]
    joint = "." if any(other.startswith(f"{device.group}-") for other in groups) else "-"
    *outer, (_, own) = device.at
    words = [device.group, *(f"{axis}{value}" for axis, value in outer)]
    if group.count > 1 or not outer:
        words.append(str(own))
    return joint.join(words)


def pairs_of(fabric: Fabric, protocol: str = "") -> Pairs:
    """How many cables join which two devices, of one protocol or of all."""
    return Counter(
        pair(name_of(fabric, cable.a), name_of(fabric, cable.b))
        for cable in fabric.cables
        if protocol in ("", protocol_of(fabric, cable))
    )


def protocol_of(fabric: Fabric, cable: Cable) -> str:
    """That of the switch; between two nodes the first of one's NIC that the other's speaks."""
    spoken: list[list[str]] = []
    for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port)):
        if port is None:
            return str(fabric.part_of(device)["protocol"])
        nic, _ = fitted(fabric.document, device.group)[port.slots]
        spoken.append(list(part(nic)["protocols"]))
    return next(one for one in spoken[0] if one in spoken[1])


def pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
