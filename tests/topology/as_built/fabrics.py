"""Fabrics as built: dumps of a design's cables, with faults put in and names changed."""

from __future__ import annotations

import random
import re
from functools import cache

from toposmith.catalog import load_catalog
from toposmith.saved_designs import find_saved
from toposmith.topology.as_built.cabling import Cable, Cabling, End
from toposmith.topology.as_built.comparing import Comparison, compare
from toposmith.topology.as_built.matching import match
from toposmith.topology.as_built.planned import planned_cabling
from toposmith.topology.as_built.reading.recognising import read_bytes
from toposmith.topology.design.reading import parse_design
from toposmith.topology.design.storage import load_file
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.exports.forms import FORMS

Ends = tuple[End, End]


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


def compared(plan: Cabling, dump: Cabling) -> Comparison:
    return compare(*match(plan, dump))


def rewired(dump: Cabling, ends: list[Ends]) -> Cabling:
    """The same devices with other cables."""
    cables = [Cable(a, z, None, "dump") for a, z in ends]
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
