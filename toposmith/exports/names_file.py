"""A map of names read from its file and checked against its design (``docs/exports.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from toposmith.bill.link_cages import port_labels
from toposmith.design.loader import Location, listed, shown, suggestion
from toposmith.design.model_files import ANY_SIGN, read_model
from toposmith.design.stored_files import load_text
from toposmith.errors import ExportError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.name_map import NUMBER, NamePattern, Naming
from toposmith.fabric.plan import Plan
from toposmith.racks.connections import absent_instances
from toposmith.racks.locked_devices import own_names

NAMES_VERSION = 1
LONGEST_NAME = 128
"""The longest name, above the limit of every target program."""

_VERSION_KEY = "toposmith-names"


def _fault(name: str) -> str:
    """Why a text is no name; empty where it is one."""
    if not name.strip() or not name.isprintable():
        return "which is no name; write signs that can be printed"
    if len(name) > LONGEST_NAME:
        return f"which has {len(name)} signs; write at most {LONGEST_NAME}"
    return ""


def _name(given: str) -> str:
    if fault := _fault(given):
        raise ValueError(fault)
    return given


def _pattern_fault(own: str, given: str) -> str:
    """Why the numbers of a device's own name and its new one do not fit; empty where they do."""
    held = [one.group(1) for one in NUMBER.finditer(own)]
    used = {one.group(1) for one in NUMBER.finditer(given)}
    if len(set(held)) < len(held):
        return "every number needs a letter of its own, as in node-su{s}-{n}"
    if any(one.group(2) or one.group(3) for one in NUMBER.finditer(own)):
        return "shift and zeros belong into the new name, as in node-{n}: dgx{n+1:03}"
    if missing := used - set(held):
        return f"found {{{min(missing)}}} in {shown(given)}, which the left name does not have"
    if "{" in NUMBER.sub("", own) or "{" in NUMBER.sub("", given):
        return "found a '{' that begins no number; write {n}, {n+1} or {n:03}"
    return ""


_NewName = Annotated[
    str,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "pattern": ANY_SIGN, "maxLength": LONGEST_NAME}),
]


class NamesFile(BaseModel):
    """A map of names as in its file.

    Parameters
    ----------
    version : int
        The version of this format.
    devices : dict of str to str, optional
        What devices are called elsewhere, by their own name or a pattern of names: ``node-{n}:
        dgx{n+1:03}``.
    ports : dict of dict, optional
        By group, what its ports are called elsewhere.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Annotated[
        int,
        Field(
            ge=1, le=NAMES_VERSION, alias=_VERSION_KEY, description="The version of this format."
        ),
    ]
    devices: Annotated[
        dict[str, _NewName],
        Field(json_schema_extra={"expected": "names of the design with what to call them"}),
    ] = {}
    ports: dict[str, dict[str, _NewName]] = {}


def read_names(file: Path) -> Naming:
    """The map of a file.

    Raises
    ------
    DesignFileError
        Where it cannot be read, with every fault and its place.
    """
    text, _ = load_text(file)
    return parse_names(text, str(file))


def named_by_file(design: EvaluatedDesign, file: Path) -> tuple[EvaluatedDesign, list[str]]:
    """The design with the names of a map, and notes on what the map lacks.

    Raises
    ------
    DesignFileError
        Where the map cannot be read.
    ExportError
        Where it gives a name twice, or one that is none.
    """
    naming = read_names(file)
    return design.named(naming), names_notes(design.plan, naming)


def parse_names(text: str, source: str) -> Naming:
    """The map that a text describes; raises DesignFileError with every fault."""
    file = read_model(NamesFile, text, source, _VERSION_KEY, NAMES_VERSION, _pattern_faults)
    return Naming(
        source,
        {own: given for own, given in file.devices.items() if not NUMBER.search(own)},
        tuple(NamePattern(own, given) for own, given in file.devices.items() if NUMBER.search(own)),
        file.ports,
    )


def _pattern_faults(file: NamesFile) -> Iterator[tuple[Location, str]]:
    for own, given in file.devices.items():
        if fault := _pattern_fault(own, given):
            yield ("devices", own), fault


def names_notes(plan: Plan, naming: Naming) -> list[str]:
    """Notes on a map: devices that it lacks, and names that match none.

    Raises
    ------
    ExportError
        Where two devices, or two ports of one, get the same name, or a name that is none.
    """
    _require_ports(plan, naming)
    if not naming.names_devices:
        return []
    owner: dict[str, str] = {}
    known: set[str] = set()
    lacking: list[str] = []
    absent = absent_instances(plan)
    for name, group in plan.groups.items():
        own_name = own_names(plan, name)
        for number in range(group.instances):
            own = own_name(number)
            known.add(own)
            if number in absent[name]:
                continue
            given = naming.given(own)
            if given is None:
                lacking.append(own)
            elif fault := _fault(given):
                raise ExportError(f"{naming.source}: {own} is called {shown(given)}, {fault}")
            other = owner.setdefault(given or own, own)
            if other != own:
                raise ExportError(
                    f"{naming.source}: {other} and {own} are both called {shown(given or own)}; "
                    "every device needs a name of its own"
                )
    notes = []
    if lacking:
        what = "device keeps its" if len(lacking) == 1 else "devices keep their"
        notes.append(f"{naming.source}: {len(lacking):,} {what} own name: {listed(lacking)}")
    idle = [own for own in naming.single if own not in known]
    idle += [one.own for one in naming.patterns if all(one.name(own) is None for own in known)]
    if idle:
        notes.append(f"{naming.source}: no device is called {listed(idle)}")
    return notes


def _require_ports(plan: Plan, naming: Naming) -> None:
    for name, given in naming.ports.items():
        if name not in plan.groups:
            raise ExportError(
                f"{naming.source}: ports: no group is called {shown(name)}; "
                f"{suggestion(name, plan.groups)}"
            )
        labels: dict[str, str] = {}
        for link in plan.every_link:
            for end in (link.a, link.b):
                if end.group != name:
                    continue
                for label in port_labels(plan.groups[name], end).labels:
                    other = labels.setdefault(given.get(label, label), label)
                    if other != label:
                        raise ExportError(
                            f"{naming.source}: ports {other} and {label} of {name} are both "
                            f"called {shown(given.get(label, label))}"
                        )
        own = set(labels.values())
        if unknown := [label for label in given if label not in own]:
            raise ExportError(
                f"{naming.source}: ports: {name} has no port {shown(unknown[0])}; "
                f"{suggestion(unknown[0], sorted(own))}"
            )
