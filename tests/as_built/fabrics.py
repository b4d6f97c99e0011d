"""Fabrics as built: dumps of a design's cables, with faults put in and names changed."""

from __future__ import annotations

import random
import re
from functools import cache

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison, compare
from toposmith.as_built.device_matches import match
from toposmith.as_built.planned import planned_cabling
from toposmith.as_built.reading.file_formats import read_bytes
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS
from toposmith.saved_designs import find_saved

Ends = tuple[ListedEnd, ListedEnd]


@cache
def design(name: str) -> EvaluatedDesign:
    """A saved design."""
    saved = find_saved(name)
    assert saved is not None
    return EvaluatedDesign(load_file(saved.path).design, load_catalog())


@cache
def design_of(text: str) -> EvaluatedDesign:
    """A design from its text."""
    return EvaluatedDesign(parse_design(text, "test.yaml"), load_catalog())


@cache
def text_of(design: EvaluatedDesign, form: str = "ibnetdiscover") -> str:
    """A design as built without a fault, as a tool says it."""
    return b"".join(FORMS[form].make(design, None, None).pieces).decode()


def plan_of(design: EvaluatedDesign) -> Cabling:
    return planned_cabling(design, "plan")


def dump_of(text: str) -> Cabling:
    return read_bytes("dump", text.encode())


def compared(plan: Cabling, dump: Cabling) -> CablingComparison:
    return compare(*match(plan, dump))


def rewired(dump: Cabling, ends: list[Ends]) -> Cabling:
    """The same devices with other cables."""
    cables = [ListedCable(a, z, None, "dump") for a, z in ends]
    return Cabling("dump", dump.form, dict(dump.devices), cables)


def ends_of(dump: Cabling) -> list[Ends]:
    return [(one.a, one.z) for one in dump.cables]


def swapped(ends: list[Ends], draw: random.Random) -> None:
    """Exchange one end each of two cables: two ends are moved."""
    one, other = draw.sample(range(len(ends)), 2)
    (a, z), (b, y) = ends[one], ends[other]
    ends[one], ends[other] = (a, y), (b, z)


_NAMES = re.compile(r"\b(?:node-su\d+-\d+|leaf-su\d+-rail\d+|leaf-rail\d|spine-\d+|node-\d+)\b")


def renamed(text: str, seed: int = 5) -> str:
    """Every host and switch under a name that says nothing of where it stands."""
    names = sorted(set(_NAMES.findall(text)))
    draw = random.Random(seed)
    words = ["".join(draw.choice("bcdfghjklmnpqrstvwxz") for _ in range(9)) for _ in names]
    other = dict(zip(names, words, strict=True))
    return re.sub(
        r'"([\w-]+?)( mlx5_\d)?"', lambda m: f'"{other.get(m[1], m[1])}{m[2] or ""}"', text
    )


TAPERED = """\
toposmith: 1
name: tapered
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""


def sheet_of(cables: list[tuple[ListedEnd, ListedEnd, float | None]]) -> str:
    """Cables as a sheet, which a dump may be, too."""
    rows = [f"{a.device},{a.port},{z.device},{z.port},{speed or ''}" for a, z, speed in cables]
    return "\n".join(("A-Node,A-Port,Z-Node,Z-Port,Speed-Gbps", *rows)) + "\n"


def tapered_dumps() -> dict[str, str]:
    """A pod with few uplinks as two dumps: with faults, and after some of the work.

    In ``faults`` three of the four cables up from leaf-rail0 are missing, rails 2 and 3 of node-1
    are crossed, and rail 5 of node-5 runs at 100 Gb/s; in ``later`` the rails are as designed.
    """
    whole = [(one.a, one.z, one.speed_gbit) for one in plan_of(design_of(TAPERED)).cables]
    up = [one for one in whole if one[0].device == "leaf-rail0" and "spine" in one[1].device]
    later = [one for one in whole if one not in up[:3]]
    later = [
        (a, z, 100.0 if {a.device, z.device} == {"node-5", "leaf-rail5"} else speed)
        for a, z, speed in later
    ]
    faults = list(later)
    one, other = (
        next(at for at, (a, z, _) in enumerate(faults) if {a.device, z.device} == {"node-1", leaf})
        for leaf in ("leaf-rail2", "leaf-rail3")
    )
    (a, z, speed), (b, y, _) = faults[one], faults[other]
    faults[one], faults[other] = (a, y, speed), (b, z, speed)
    return {"faults": sheet_of(faults), "later": sheet_of(later)}
