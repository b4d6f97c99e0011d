"""A design from a dump alone: the regular fabric closest to it, and all cables that deviate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposmith.as_built.cable_list import Cabling, UnreadableError, key_of
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.corrections import Corrections, corrected, instance
from toposmith.as_built.name_maps import NameMap
from toposmith.as_built.planned import planned_cabling
from toposmith.as_built.regularity import Regularity, regularity_of
from toposmith.as_built.survey import compare_with_design
from toposmith.bill.link_cages import port_labels
from toposmith.catalog import Catalog, Nic, Node, Switch
from toposmith.design.document import FIRST_VERSION, Design
from toposmith.evaluation.evaluated import EvaluatedDesign
from toposmith.racks.connections import coordinates, number_of
from toposmith.racks.locked_devices import device_names
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.fabric.plan import Plan

HOSTS = "node"
SWITCHES = ("leaf", "spine", "core")
NICS = "nic"
_CANDIDATES = 12

MOST_UNEXPLAINED = 0.1
"""The largest share of cables that a design may leave unexplained."""


@dataclass(frozen=True)
class BrownField:
    """A design of an existing fabric.

    Parameters
    ----------
    design : Design
        With ``absent:``, ``cables:`` and ``slow:`` for what does not fit its rule.
    names : dict of str to str
        Names of devices in the dump, to their names in the design.
    left : CablingComparison
        The dump compared with this design: what it cannot express.
    notes : tuple of str
        What was found, and what was left out.
    """

    design: Design
    names: dict[str, str]
    left: CablingComparison
    notes: tuple[str, ...]

    @property
    def unexplained(self) -> list[str]:
        """Differences that the design still has from the dump."""
        return [one.instruction for one in self.left.differences if one.harmful]


def design_from(dump: Cabling, parts: Mapping[str, str], catalog: Catalog) -> BrownField:
    """Make a design from a dump.

    Parameters
    ----------
    dump : Cabling
        The cables of the fabric.
    parts : mapping of str to str
        Parts by group: ``node``, ``leaf``, and ``spine`` and ``core`` where there are such; ``nic``
        for nodes with open slots.
    catalog : Catalog
        Where the parts are looked up.

    Raises
    ------
    UnreadableError
        If the dump shows no fabric of hosts, leaves and up to two tiers above, or parts are not
        given or cannot be what is there.
    """
    found = regularity_of(dump)
    _require_parts(dump, found, parts, catalog)
    design = _at_found_speed(_regular(found, parts, catalog), found, catalog)
    evaluated = EvaluatedDesign(design, catalog)
    found = regularity_of(dump, _port_numbers(evaluated.plan))
    wrong = [one.text for one in evaluated.plan.findings if one.severity == "error"]
    if wrong:
        hint = f" (--part {NICS}=PART)" if NICS not in parts and "NIC" in wrong[0] else ""
        raise UnreadableError(f"{dump.source}: these parts do not go together: {wrong[0]}{hint}")
    names = _names(found, evaluated.plan, dump)
    design = _without_missing(design, found, evaluated.plan)
    evaluated = EvaluatedDesign(design, catalog)
    first = _compared(evaluated, dump, names)
    correction = Corrections(evaluated.plan, first.plan).of(first.differences)
    design = corrected(design, correction, "from a dump").design
    left = _compared(EvaluatedDesign(design, catalog), dump, names)
    unexplained = sum(one.harmful for one in left.differences)
    # a list of all cables from leaf to leaf would be no rule either
    beside = sum(one.a.partition("[")[0] == one.z.partition("[")[0] for one in correction.cables)
    if unexplained + beside > MOST_UNEXPLAINED * left.found:
        raise UnreadableError(
            f"{dump.source}: no rule shows: {shape_words(found)} leave {unexplained + beside} of "
            f"{counted(left.found, 'cable')} unexplained, such as cables from leaf to leaf"
        )
    return BrownField(design, names, left, tuple(_notes(found, left, first)))


def shape_words(found: Regularity) -> str:
    """What was found, in a sentence."""
    hosts = sum(map(len, found.hosts))
    leaves = sum(map(len, found.pods))
    words = [
        f"{counted(hosts, 'host')} of {counted(found.ports, 'port')}",
        counted(leaves, "leaf"),
    ]
    if len(found.pods) > 1:
        words.append(counted(len(found.pods), "pod"))
    if found.rails > 1:
        words.append(counted(found.rails, "rail"))
    for name, units, per, cables in zip(
        SWITCHES[1:], found.units, found.per, found.cables, strict=False
    ):
        many = sum(map(len, units))
        of = f", {per} by {per}" if per else ""
        to_each = f"{counted(cables, 'cable')} to each below"
        words.append(f"{counted(many, f'{name} switch')}{of} ({to_each})")
    return "; ".join(words)


def _require_parts(
    dump: Cabling, found: Regularity, parts: Mapping[str, str], catalog: Catalog
) -> None:
    """Say which groups there are, and what could be in each, where that is not given."""
    groups = [HOSTS, *SWITCHES[: 1 + len(found.units)]]
    unknown = [name for name in parts if name not in (*groups, NICS)]
    if unknown:
        raise UnreadableError(
            f"--part {unknown[0]}=...: the dump has {', '.join(groups)} ({shape_words(found)})"
        )
    for name in groups:
        part = catalog.get(parts[name]) if name in parts else None
        if name not in parts or part is None:
            said = f"there is no part {parts[name]!r}" if name in parts else "which part is it?"
            could = ", ".join(_candidates(dump, found, name, catalog)) or "none of the catalog"
            raise UnreadableError(
                f"{dump.source}: {shape_words(found)}. {name}: {said} Say --part {name}=PART; "
                f"by ports and speed it could be {could}"
            )
        if not isinstance(part, Node if name == HOSTS else Switch):
            raise UnreadableError(f"--part {name}={parts[name]}: is a {part.kind}")


def _candidates(dump: Cabling, found: Regularity, name: str, catalog: Catalog) -> Iterator[str]:
    """Parts with as many ports of the speed, the smallest first."""
    speed = found.speed_gbit or 0
    fits: list[tuple[int, str]] = []
    if name == HOSTS:
        for part in catalog.of_kind("node"):
            assert isinstance(part, Node)
            slots = part.slots.get("compute")
            nic = catalog.get(slots.nic) if slots is not None and slots.nic else None
            if slots is None or not isinstance(nic, Nic):
                continue
            if slots.fitted * nic.ports == found.ports:
                fits.append((abs(nic.speed_gbit - speed) > 0.03 * speed, part.id))
    else:
        used: dict[str, int] = {}
        for cable in dump.cables:
            for end in (cable.a, cable.z):
                used[end.device] = used.get(end.device, 0) + 1
        tier = found.pods if name == SWITCHES[0] else found.units[SWITCHES.index(name) - 1]
        need = max((used.get(key, 0) for unit in tier for key in unit), default=0)
        for part in catalog.of_kind("switch"):
            assert isinstance(part, Switch)
            modes = [mode.ports * part.cages.count for mode in part.cages.modes
                     if not speed or mode.speed_gbit >= 0.9 * speed]  # fmt: skip
            if modes and max(modes) >= need:
                fits.append((max(modes), part.id))
    for _, part_id in sorted(fits)[:_CANDIDATES]:
        yield part_id


def _regular(found: Regularity, parts: Mapping[str, str], catalog: Catalog) -> Design:
    """The rule as a design: axes, groups, links; some ports where nodes have more than are used."""
    axes: dict[str, int] = {}
    pod = "rack" if found.rails == 1 else "su"
    if len(found.pods) > 1:
        axes[pod] = len(found.pods)
    if found.rails > 1:
        axes["rail"] = found.rails
    by_pod = [pod] if pod in axes else []
    by_rail = ["rail"] if "rail" in axes else []
    groups: dict[str, Any] = {
        HOSTS: {"part": parts[HOSTS], "per": by_pod, "count": max(map(len, found.hosts))},
        SWITCHES[0]: {"part": parts[SWITCHES[0]], "per": [*by_pod, *by_rail]},
    }
    links: list[dict[str, Any]] = [{"between": [f"{HOSTS}.compute", SWITCHES[0]]}]
    for tier, units in enumerate(found.units):
        name, below = SWITCHES[tier + 1], SWITCHES[tier]
        per = {"rail": by_rail, "pod": by_pod}.get(found.per[tier], [])
        groups[name] = {"part": parts[name], "per": per, "count": max(map(len, units))}
        links.append({"between": [below, name], "cables": found.cables[tier]})
    data = {
        "toposmith": FIRST_VERSION,
        "name": "as found",
        "axes": axes,
        "groups": groups,
        "links": links,
    }
    if NICS in parts:
        nic = catalog.get(parts[NICS])
        if not isinstance(nic, Nic):
            raise UnreadableError(f"--part {NICS}={parts[NICS]}: is no NIC of the catalog")
        fitting = {"part": nic.id, "count": max(1, found.ports // nic.ports)}
        groups[HOSTS]["nics"] = {"compute": fitting}
    design = Design.model_validate(data)
    node = EvaluatedDesign(design, catalog).plan.groups[HOSTS]
    fitted = node.port_groups.get("compute")
    if fitted is not None and fitted.ports != found.ports:
        links[0]["cables"] = max(1, found.ports // found.rails)
        design = Design.model_validate(data)
    return design


def _port_numbers(plan: Plan) -> dict[str, int]:
    """The ports that links of nodes use, by their labels."""
    end = next((end for link in plan.links for end in (link.a, link.b) if end.ports), None)
    if end is None:
        return {}
    labels = port_labels(plan.groups[end.group], end).labels
    return {label: number for number, label in enumerate(labels)}


def _at_found_speed(design: Design, found: Regularity, catalog: Catalog) -> Design:
    """With the speed that most cables run at, where these parts can run it."""
    speed = found.speed_gbit
    links = EvaluatedDesign(design, catalog).plan.links
    if speed is None or all(abs(link.speed_gbit - speed) < 0.03 * speed for link in links):
        return design
    slowed = tuple(link.model_copy(update={"speed": int(speed)}) for link in design.links)
    slower = design.model_copy(update={"links": slowed})
    findings = EvaluatedDesign(slower, catalog).plan.findings
    return design if any(one.severity == "error" for one in findings) else slower


def _placed(found: Regularity) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Every device of the dump with its group and place: unit, then number in it."""
    several = len(found.pods) > 1
    for pod, hosts in enumerate(found.hosts):
        for number, key in enumerate(hosts):
            yield HOSTS, ((pod, number) if several else (number,)), key
    for pod, leaves in enumerate(found.pods):
        for rail, key in enumerate(leaves):
            at = ((pod,) if several else ()) + ((rail,) if found.rails > 1 else ())
            yield SWITCHES[0], (*at, 0), key
    for tier, units in enumerate(found.units):
        for unit, switches in enumerate(units):
            for number, key in enumerate(switches):
                at = (unit, number) if found.per[tier] else (number,)
                yield SWITCHES[tier + 1], at, key


def _names(found: Regularity, plan: Plan, dump: Cabling) -> dict[str, str]:
    named = {group: device_names(plan, group) for group in plan.groups}
    return {
        dump.devices[key].name: named[group](number_of(plan.groups[group], at))
        for group, at, key in _placed(found)
    }


def _without_missing(design: Design, found: Regularity, plan: Plan) -> Design:
    """What the rule has and the dump does not is absent."""
    there: dict[str, set[tuple[int, ...]]] = {name: set() for name in plan.groups}
    for group, at, _ in _placed(found):
        there[group].add(at)
    absent = [
        instance(whole, number)
        for name, whole in plan.groups.items()
        for number in range(whole.instances)
        if coordinates(whole, number) not in there[name]
    ]
    return design.model_copy(update={"absent": tuple(absent)})


def _compared(
    design: EvaluatedDesign, dump: Cabling, names: Mapping[str, str]
) -> CablingComparison:
    plan = planned_cabling(design, "the design found")
    known = {key_of(one): own for one, own in names.items() if key_of(own) in plan.devices}
    return compare_with_design(design, plan, dump, NameMap("the dump's names", known))


def _notes(found: Regularity, left: CablingComparison, first: CablingComparison) -> Iterator[str]:
    yield shape_words(found)
    if found.left_out:
        shown = ", ".join(found.left_out[:8])
        more = f" and {len(found.left_out) - 8} more" if len(found.left_out) > 8 else ""
        yield (
            f"{counted(len(found.left_out), 'host', 'are')} not like the others, and left out: "
            f"{shown}{more}"
        )
    unexplained = [one for one in left.differences if one.harmful]
    odd = sum(one.harmful for one in first.differences) - len(unexplained)
    if odd > 0:
        yield f"{odd} differences from this rule are listed in the design (absent, cables, slow)"
    if unexplained:
        yield f"{len(unexplained)} things the design does not say: {unexplained[0].instruction}"
    outside = [one for one in left.differences if one.kind == "outside"]
    if outside:
        cables = counted(sum(one.cables for one in outside), "cable")
        yield f"{cables} at devices that are not in the design: {outside[0].instruction}"
    yield from first.notes
