"""Program and oracle side by side, on random designs.

    python -m tests.oracle.compare --designs 1000 [--along]

Prints every disagreement with its seed; `--show SEED` prints a design. Where the two disagree, the
documents decide who is wrong. `known.py` lists what the program is known to do otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tests.oracle import cuts, labels, program
from tests.oracle.designs import along_design, random_design
from tests.oracle.expansion import Cable, Device, Fabric, expand, slots_of
from tests.oracle.known import known_as
from tests.oracle.tiers import tiers
from tests.oracle.traffic import (
    Hop,
    NoWay,
    Routes,
    exchange_loads,
    fullest_by_link,
    ring_loads,
)

TOLERANCE = 1e-5
"""Of figures that the program rounds to nine digits and PCIe lanes to seven."""

LARGEST_CUT_GPUS = 40
"""Clusters beyond this are not cut, which takes a flow into every GPU."""


@dataclass(frozen=True)
class Disagreement:
    """What a check found; ``check`` is its name."""

    check: str
    text: str


class Case:
    """One design as both see it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def fabric(self) -> Fabric:
        return expand(self.text)

    @cached_property
    def routes(self) -> Routes:
        return Routes(self.fabric)

    @cached_property
    def gpus(self) -> int:
        return sum(int(self.fabric.part_of(one)["gpus"]) for one in self.fabric.ranked_nodes())

    @cached_property
    def exported(self) -> tuple[list[str], list[program.Row]]:
        return program.graph(self.text)

    @cached_property
    def schedule(self) -> list[dict[str, str]]:
        return program.schedule(self.text)

    @cached_property
    def ring(self) -> dict[str, Any]:
        return program.analysis(self.text, "--collective", "all_gather", "--with", "algorithm=ring")

    @cached_property
    def exchange(self) -> dict[str, Any]:
        return program.analysis(self.text, "--collective", "all_to_all")

    @cached_property
    def all_reduce(self) -> dict[str, Any]:
        return program.analysis(self.text)

    @cached_property
    def capacities(self) -> cuts.Capacities:
        return cuts.cluster(self.fabric)

    @property
    def is_routed(self) -> bool:
        """Whether there are ranks in two nodes that reach each other, so that there are figures."""
        return self.ring["busbw_GBps"] is not None and len(self.fabric.domains()) > 1

    @property
    def is_cut(self) -> bool:
        return self.is_routed and self.gpus <= LARGEST_CUT_GPUS

    @property
    def is_beyond(self) -> bool:
        """Whether NVSwitches join more GPUs than the drawing says, so that there is no bound."""
        nodes = {device.group: self.fabric.part_of(device) for device in self.fabric.ranked_nodes()}
        apart = any(
            (node.get("nvlink") or {}).get("domain_gpus", 0) > node["gpus"]
            for node in nodes.values()
        )
        return apart and not self.fabric.is_of_racks


def link_names(fabric: Fabric) -> list[str]:
    """What the analysis calls each link."""
    names = []
    for link in (*fabric.document.links, *fabric.own_links.values()):
        slots = [slots_of(fabric.document, end) for end in (link.a, link.b)]
        ends = [
            f"{end.group}.{kind}" if kind else end.group
            for end, kind in zip((link.a, link.b), slots, strict=True)
        ]
        axes = [axis for axis, _ in fabric.document.axes_of(link.a.group)]
        said = sorted(link.along, key=lambda pair: axes.index(pair[0]))
        words = ", ".join(f"{axis} {word}" for axis, word in said if word != "same")
        names.append(" - ".join(ends) + (f" ({words})" if words else ""))
    return names


def kinds_of_cables(fabric: Fabric) -> dict[tuple[int, Fraction], int]:
    """How many cables of each link run at which speed, Gb/s; links without any count, too."""
    kinds = Counter((cable.link, fabric.runs_gbit(cable)) for cable in fabric.cables)
    wired = {number for number, _ in kinds}
    bare = {(number, Fraction(gbit)): 0 for number, gbit in fabric.speeds.items()}
    return {kind: many for kind, many in bare.items() if kind[0] not in wired} | dict(kinds)


def devices(case: Case) -> Iterator[str]:
    """Both have the same devices by the same names."""
    names, _ = case.exported
    expected = Counter(labels.device_name(case.fabric, one) for one in case.fabric.devices)
    yield from _counted(expected, Counter(names))


def cables(case: Case) -> Iterator[str]:
    """Both have the same cables: device to device, at nodes port to port, at the same speed."""
    switches = _switches(case.fabric)
    found = Counter(_row_ends(row, switches) for row in case.exported[1])
    expected = Counter(_ends(case.fabric, cable) for cable in case.fabric.cables)
    yield from _counted(expected, found)


def _ends(fabric: Fabric, cable: Cable) -> tuple[object, ...]:
    ends: list[object] = []
    for device in (cable.a, cable.b):
        port = cable.end(device)
        ends.append(labels.device_name(fabric, device))
        ends.append(None if port is None else labels.port_name(fabric, device, port))
    return (*ends, cable.gbit)


def _row_ends(row: program.Row, switches: dict[str, Device]) -> tuple[object, ...]:
    """A row without the ports of switches."""
    a_port = None if row.a in switches else row.a_port
    z_port = None if row.z in switches else row.z_port
    return row.a, a_port, row.z, z_port, row.gbit


def _switches(fabric: Fabric) -> dict[str, Device]:
    return {
        labels.device_name(fabric, device): device
        for device in fabric.devices
        if fabric.kind(device) == "switch"
    }


Place = tuple[int, int]
"""A cage and a port in it."""


def switch_ports(case: Case) -> Iterator[str]:
    """A port of a switch has one cable, a cage one mode, and ports follow link, peer and cable."""
    fabric = case.fabric
    switches = _switches(fabric)
    alike: dict[tuple[object, ...], list[Cable]] = defaultdict(list)
    for cable in fabric.cables:
        alike[_ends(fabric, cable)].append(cable)
    placed: dict[tuple[object, ...], dict[str, list[Place]]] = defaultdict(
        lambda: defaultdict(list)
    )
    modes: dict[Device, dict[Place, tuple[int, int]]] = defaultdict(dict)
    at_place: dict[tuple[str, Place], str] = {}
    for row in case.exported[1]:
        key = _row_ends(row, switches)
        if key not in alike:
            return  # told by another check
        for name, label in ((row.a, row.a_port), (row.z, row.z_port)):
            if name not in switches:
                continue
            device = switches[name]
            switch = fabric.part_of(device)
            ports = fabric.ports_a_cage(device, alike[key][0])
            try:
                place = labels.place_in_cage(switch, ports, label)
            except ValueError as fault:
                yield f"{name}: {fault}"
                return
            if place in modes[device]:
                yield f"{name} {label} is taken twice"
            if place[0] >= switch["cages"]["count"] or place[1] >= ports:
                yield f"{name} {label} is beyond the last one"
            modes[device][place] = row.gbit, ports
            at_place[name, place] = label
            placed[key][name].append(place)
    for device, ports_of in modes.items():
        kinds = {(cage, mode) for (cage, _), mode in ports_of.items()}
        if len(kinds) != len({cage for cage, _ in kinds}):
            yield f"{device}: a cage runs in two modes"
    yield from _out_of_order(case, placed, at_place)


def _plugs(case: Case) -> dict[tuple[str, str], str]:
    """By device and port, the label of the cable that is plugged in there, without its legs."""
    return {
        (row[f"{side}-Node"], row[f"{side}-Port"]): row["Label"].rpartition("-")[0] or row["Label"]
        for row in case.schedule
        for side in "AZ"
    }


def _out_of_order(
    case: Case,
    placed: dict[tuple[object, ...], dict[str, list[Place]]],
    at_place: dict[tuple[str, Place], str],
) -> Iterator[str]:
    """Switches whose ports are not in the order of cables, those of one plug side by side."""
    fabric, plugs = case.fabric, _plugs(case)
    for device, mine in labels.switch_cables(fabric).items():
        name = labels.device_name(fabric, device)
        by_mode: dict[tuple[int, int], list[Place]] = defaultdict(list)
        seen: Counter[tuple[object, ...]] = Counter()
        for cable in mine:
            key = _ends(fabric, cable)
            places = sorted(placed[key][name])
            if seen[key] >= len(places):
                return
            mode = cable.gbit, fabric.ports_a_cage(device, cable)
            by_mode[mode].append(places[seen[key]])
            seen[key] += 1
        for mode, found in by_mode.items():
            firsts: dict[str, Place] = {}
            for place in found:
                plug = plugs[name, at_place[name, place]]
                if firsts.setdefault(plug, place)[0] != place[0]:
                    yield f"{name}: {plug} is plugged into two cages"
            in_order = list(firsts.values())
            if in_order != sorted(in_order):
                yield f"{name}: ports of {mode[0]} Gb/s are not in the order of links and peers"


def schedule(case: Case) -> Iterator[str]:
    """The cable schedule has the rows of the exported graph; a port of two fibres has two."""
    fibres: dict[program.Row, list[str]] = defaultdict(list)
    for row in case.schedule:
        ends = (row["A-Node"], row["A-Port"], row["Z-Node"], row["Z-Port"])
        connectors = row["A-MPO-Connector"] + row["Z-MPO-Connector"]
        fibres[program.Row(*ends, int(row["Speed-Gbps"]))].append(connectors)
    for row, connectors in fibres.items():
        if len(set(connectors)) != len(connectors):
            yield f"{row} is there {len(connectors)} times"
    yield from _counted(Counter(case.exported[1]), Counter(list(fibres)))


def running(case: Case) -> Iterator[str]:
    """Where something is slow the schedule says of each cable that is up what it runs at."""
    fabric, switches = case.fabric, _switches(case.fabric)
    rows = {
        tuple(row[key] for key in ("A-Node", "A-Port", "Z-Node", "Z-Port")): row
        for row in case.schedule
    }
    if not any("Runs-Gbps" in row for row in rows.values()):
        if fabric.slow:
            yield "no row says what it runs at"
        return
    found = Counter(
        (
            *_row_ends(program.Row(*ends, int(row["Speed-Gbps"])), switches),
            round(float(row["Runs-Gbps"]), 6) if row["Runs-Gbps"] else None,
        )
        for ends, row in rows.items()
    )
    expected = Counter(
        (
            *_ends(fabric, cable),
            round(float(fabric.runs_gbit(cable)), 6) if fabric.is_live(cable) else None,
        )
        for cable in fabric.cables
    )
    yield from _counted(expected, found)


def counts(case: Case) -> Iterator[str]:
    """GPUs and nodes that take part, cables of each link."""
    fabric = case.fabric
    nodes = fabric.ranked_nodes()
    for key, expected in (("gpus", case.gpus), ("nodes", len(nodes))):
        if case.ring[key] != expected:
            yield f"{key}: {case.ring[key]}, expected {expected}"
    if not case.is_routed:
        return
    names = link_names(fabric)
    wanted: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for (number, gbit), many in kinds_of_cables(fabric).items():
        wanted[names[number]].append((many, float(gbit / 8)))
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for limit in case.ring["limits"]:
        if " - " in limit["link"]:
            found[limit["link"]].append((limit["cables"], limit["capacity_GBps"]))
    for name, expected_counts in wanted.items():
        if sorted(found[name]) != sorted(expected_counts):
            yield f"cables of {name}: {sorted(found[name])}, expected {sorted(expected_counts)}"


def rings(case: Case) -> Iterator[str]:
    """The fullest cable of every link under a ring."""
    yield from _loads(case, case.ring, ring_loads)


def exchanges(case: Case) -> Iterator[str]:
    """The fullest cable of every link under an exchange."""
    # each GPU sends by its own NIC where a node has no NVLink to another NIC's GPU: said so
    pxn = case.exchange["assumptions"].get("pxn", "on").startswith("on")
    yield from _loads(case, case.exchange, partial(exchange_loads, pxn=pxn))


def _loads(
    case: Case,
    analysis: dict[str, Any],
    loads_of: Callable[[Routes], dict[Hop, Fraction]],
) -> Iterator[str]:
    try:
        loads = loads_of(case.routes)
    except NoWay as way:
        if analysis["busbw_GBps"] is not None:
            yield f"busbw {analysis['busbw_GBps']} where {way} has no way"
        return
    if analysis["busbw_GBps"] is None:
        if case.gpus > 1:
            yield "no busbw where every flow has a way"
        return
    fullest = fullest_by_link(case.fabric, loads)
    names = link_names(case.fabric)
    wanted: dict[str, list[float]] = defaultdict(list)
    for kind in kinds_of_cables(case.fabric):
        wanted[names[kind[0]]].append(float(fullest.get(kind, 0)))
    found: dict[str, list[float]] = defaultdict(list)
    for limit in analysis["limits"]:
        found[limit["link"]].append(limit["load_GBps"] / analysis["busbw_GBps"])
    for name, loads_wanted in wanted.items():
        pairs = list(zip(sorted(found[name]), sorted(loads_wanted), strict=False))
        if len(found[name]) != len(loads_wanted) or not all(_alike(*pair) for pair in pairs):
            yield f"loads of {name}: {sorted(found[name])}, expected {sorted(loads_wanted)}"


def all_gather_bound(case: Case) -> Iterator[str]:
    """The optimum of all-gather over every cut; none of nodes that NVLink joins beyond the node."""
    if case.is_cut and case.is_beyond:
        yield from _figure("bound", case.ring["bound_busbw_GBps"], None)
    elif case.is_cut:
        expected = cuts.all_gather_busbw(case.capacities)
        yield from _figure("bound", case.ring["bound_busbw_GBps"], expected)


def all_reduce_bounds(case: Case) -> Iterator[str]:
    """Where it is called exact, all-reduce is twice all-gather; the bound where switches reduce."""
    if not case.is_cut or case.is_beyond:
        return
    found = case.all_reduce
    if found["bound_is"] == "exact":
        yield from _figure(
            "bound", found["bound_busbw_GBps"], cuts.all_gather_busbw(case.capacities)
        )
    yield from _figure(
        "bound with reduction",
        found["bound_with_reduction_GBps"],
        cuts.with_reduction_busbw(case.capacities),
    )


def all_to_all_bound(case: Case) -> Iterator[str]:
    """The bound on exchanges by the cuts that the document names."""
    if case.is_cut and not case.is_beyond and case.exchange["busbw_GBps"] is not None:
        yield from _figure(
            "bound",
            case.exchange["bound_busbw_GBps"],
            cuts.all_to_all_busbw(case.capacities, case.fabric),
        )


def bisection(case: Case) -> Iterator[str]:
    """Flow between halves; none of racks that are not drawn as such."""
    if case.is_routed and case.is_beyond:
        yield from _figure("bisection", case.ring["bisection_GBps"], None)
    elif case.is_routed:
        yield from _figure(
            "bisection", case.ring["bisection_GBps"], cuts.bisection_GBps(case.fabric)
        )


def tier_counts(case: Case) -> Iterator[str]:
    """Switches and cabled ports of every tier, and its oversubscription."""
    kinds = {case.fabric.kind(device) for device in case.fabric.devices}
    document = case.fabric.document
    if "storage" in kinds or document.absent or document.cables:
        return
    found = [
        (row["devices"], row["ports_down"], row["ports_up"], row["oversubscription"])
        for row in case.ring["tiers"]
    ]
    expected = tiers(case.fabric)
    if len(found) != len(expected):
        yield f"tiers {found}, expected {expected}"
        return
    for here, there in zip(found, expected, strict=True):
        ratio, wanted = here[3], there.oversubscription
        if here[:3] != (there.switches, there.ports_down, there.ports_up) or (
            ratio != wanted
            and (ratio is None or wanted is None or not _alike(ratio, float(wanted)))
        ):
            yield f"tier {here}, expected {there}"


def billed_devices(case: Case) -> Iterator[str]:
    """The bill has every device that is not absent, and the NICs that it does not come with."""
    expected: Counter[str] = Counter()
    for device in case.fabric.devices:
        group = case.fabric.document.groups[device.group]
        expected[group.part] += 1
        for slots, (nic, count) in group.nics.items():
            body = case.fabric.part_of(device)["slots"][slots]
            built_in = body.get("fitted", 0) if body.get("nic") == nic else 0
            expected[nic] += max(count - built_in, 0)
    found: Counter[str] = Counter()
    for line in program.bill(case.text)["lines"]:
        if line["part"] in expected:
            found[line["part"]] += line["quantity"]
    yield from _counted(expected, found)


def billed_cables(case: Case) -> Iterator[str]:
    """There are as many labels, without their legs, as cables and fibres in the bill."""
    marks = {row["Label"].split("-")[0] for row in case.schedule if row["Cable"]}
    found = sum(
        line["quantity"]
        for line in program.bill(case.text)["lines"]
        if line["kind"] in ("cable", "fibre")
    )
    if len(marks) != found:
        yield f"{found} cables and fibres, {len(marks)} labels"


_OF_FIGURES = {"unreachable", "no-channels", "cannot-run", "too-large"}


def errors(case: Case) -> Iterator[str]:
    """A design that expands has no error but those that leave it without a figure."""
    for finding in program.findings(case.text):
        if finding["severity"] == "error" and finding["code"] not in _OF_FIGURES:
            yield f"{finding['code']}: {finding['text']}"


CHECKS: tuple[Callable[[Case], Iterator[str]], ...] = (
    devices,
    cables,
    switch_ports,
    schedule,
    running,
    counts,
    billed_devices,
    billed_cables,
    rings,
    exchanges,
    tier_counts,
    bisection,
    all_gather_bound,
    all_reduce_bounds,
    all_to_all_bound,
    errors,
)


def disagreements(
    design: str | Case, *checks: Callable[[Case], Iterator[str]]
) -> list[Disagreement]:
    """What the two see otherwise; with no checks given, by all."""
    case = Case(design) if isinstance(design, str) else design
    found = []
    for check in checks or CHECKS:
        try:
            found += [Disagreement(check.__name__, fault) for fault in check(case)]
        except (KeyError, ValueError, RuntimeError, TypeError) as fault:
            found.append(Disagreement(check.__name__, f"ended with {fault!r}"))
    return found


def _counted(expected: Counter[Any], found: Counter[Any]) -> Iterator[str]:
    for sign, rest in (("lacks", expected - found), ("has besides", found - expected)):
        if rest:
            shown = ", ".join(f"{count} x {one}" for one, count in list(rest.items())[:3])
            yield f"the program {sign} {rest.total()}: {shown}"


def _figure(name: str, found: float | None, expected: Fraction | None) -> Iterator[str]:
    if found is None or expected is None:
        if found is not expected:
            yield f"{name} {found}, expected {None if expected is None else float(expected)}"
    elif not _alike(found, float(expected)):
        yield f"{name} {found}, expected {float(expected)}"


def _alike(found: float, expected: float) -> bool:
    return abs(found - expected) <= TOLERANCE * max(abs(expected), 1e-3)


WIRING_AND_LOADS: tuple[Callable[[Case], Iterator[str]], ...] = (
    *(devices, cables, switch_ports, schedule, running, counts, billed_devices),
    *(rings, exchanges, tier_counts, bisection),
)
"""What is held to designs joined along axes; bounds of those are no exact ones."""


def _of_seed(seed: int, *, along: bool) -> list[tuple[int, Disagreement, str | None]]:
    text = along_design(seed, 64) if along else random_design(seed)
    found = disagreements(text, *(WIRING_AND_LOADS if along else ()))
    return [(seed, one, known_as(text, one)) for one in found]


def main(args: list[str] | None = None) -> int:
    """Compare; exit 1 where something disagrees that is not known."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.compare", description=__doc__)
    parser.add_argument("--designs", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--along", action="store_true", help="switches joined along axes")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a design, compare nothing")
    asked = parser.parse_args(args)
    if asked.show is not None:
        print((along_design if asked.along else random_design)(asked.show), end="")
        return 0
    # the parts and the policy that come with the program, no others
    os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "no-such-folder")
    began = time.monotonic()
    seeds = range(asked.first, asked.first + asked.designs)
    tally: Counter[str] = Counter()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for found in pool.map(partial(_of_seed, along=asked.along), seeds, chunksize=4):
            for seed, one, known in found:
                tally[known or "unknown"] += 1
                if known is None:
                    print(f"seed {seed}: {one.check}: {one.text}", flush=True)
    print(f"{asked.designs} designs, {time.monotonic() - began:.0f} s", file=sys.stderr)
    for name, count in tally.most_common():
        print(f"{count:6} {name}")
    return 1 if tally["unknown"] else 0


if __name__ == "__main__":
    sys.exit(main())
