"""A map of names read from its file and checked against its design (``docs/exports.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toposmith.bill.port_labels import port_labels
from toposmith.design.loader import plain_file
from toposmith.design.safe_text import Location, listed, shown, suggestion
from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError, ExportError, Problem
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.name_map import NUMBER, NamePattern, Naming
from toposmith.fabric.plan import Plan
from toposmith.racks.device_names import own_names
from toposmith.racks.instances import absent_instances

NAMES_VERSION = 1
LONGEST_NAME = 128
"""The longest name, above the limit of every target program."""

_FIRST_LINE = f"`toposmith-names: {NAMES_VERSION}`"
_KEYS = ("toposmith-names", "devices", "ports")


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
    file = plain_file(text, source)
    if not isinstance(file.data, dict):
        words = f"found {shown(file.data)}, expected keys with values that begin with {_FIRST_LINE}"
        raise DesignFileError(source, [Problem(words, 1, 1)])
    problems = list(file.problems)
    problems += [file.problem_at(at, words) for at, words in _problems(file.data)]
    if problems:
        raise DesignFileError(source, problems)
    devices: dict[str, str] = file.data.get("devices", {})
    return Naming(
        source,
        {own: given for own, given in devices.items() if not NUMBER.search(own)},
        tuple(NamePattern(own, given) for own, given in devices.items() if NUMBER.search(own)),
        file.data.get("ports", {}),
    )


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


def _fault(name: str) -> str:
    if not name.strip() or not name.isprintable():
        return "which is no name; write signs that can be printed"
    if len(name) > LONGEST_NAME:
        return f"which has {len(name)} signs; write at most {LONGEST_NAME}"
    return ""


def _problems(data: dict[str, Any]) -> Iterator[tuple[Location, str]]:
    version = data.get("toposmith-names")
    if version is None:
        yield (), f"the key 'toposmith-names' is missing; add {_FIRST_LINE} as the first line"
    elif type(version) is not int or version != NAMES_VERSION:
        yield ("toposmith-names",), f"found {shown(version)}, expected {NAMES_VERSION}"
    for key in data:
        if key not in _KEYS:
            yield (key,), f"unknown key {shown(key)}; {suggestion(key, _KEYS)}"
    devices, ports = data.get("devices", {}), data.get("ports", {})
    yield from _pair_problems(("devices",), devices)
    if isinstance(devices, dict):
        for own, given in devices.items():
            if isinstance(given, str):
                yield from _pattern_problems(own, given)
    if not isinstance(ports, dict):
        yield ("ports",), f"found {shown(ports)}, expected groups with their ports"
        return
    for group, given in ports.items():
        yield from _pair_problems(("ports", group), given)


def _pair_problems(at: Location, block: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(block, dict):
        yield at, f"found {shown(block)}, expected names of the design with what to call them"
        return
    for own, given in block.items():
        if not isinstance(given, str):
            yield (*at, own), f"found {shown(given)}, expected a name; put it in quotes"
        elif fault := _fault(given):
            yield (*at, own), f"found {shown(given)}, {fault}"


def _pattern_problems(own: str, given: str) -> Iterator[tuple[Location, str]]:
    at: Location = ("devices", own)
    held = [one.group(1) for one in NUMBER.finditer(own)]
    used = {one.group(1) for one in NUMBER.finditer(given)}
    if len(set(held)) < len(held):
        yield at, "every number needs a letter of its own, as in node-su{s}-{n}"
    elif any(one.group(2) or one.group(3) for one in NUMBER.finditer(own)):
        yield at, "shift and zeros belong into the new name, as in node-{n}: dgx{n+1:03}"
    elif missing := used - set(held):
        yield at, f"found {{{min(missing)}}} in {shown(given)}, which the left name does not have"
    elif "{" in NUMBER.sub("", own) or "{" in NUMBER.sub("", given):
        yield at, "found a '{' that begins no number; write {n}, {n+1} or {n:03}"
