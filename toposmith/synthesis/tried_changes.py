"""Changes of a design that a search tries, and what they need before there is a bill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from toposmith.analysis.request import Request
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.needs import FigureAtHand, figure_at_hand
from toposmith.synthesis.proposals import Proposal
from toposmith.synthesis.purchases import Outlay
from toposmith.synthesis.search_state import SearchState
from toposmith.synthesis.side_effects import is_repair


@dataclass(frozen=True)
class NeededParts:
    """What a change needs anew and gives back, as counts: a bill takes longer than an analysis.

    Parameters
    ----------
    counts : tuple of int
        Switches, NICs and cables anew, parts of another kind among them; then switches and NICs
        given back.
    slowed : bool
        Whether more NICs run below their speed than before.
    apart : bool
        Whether no switch joins the rails any more, and the file does not say that this is meant.
    pieces : mapping of object to int, optional
        Parts anew by kind and part, and cables by link and speed, where there are prices: fewer of
        one part may cost more than more of another.
    setting : int
        How far a setting goes, which costs nothing: those that go less far come first.
    mended : int
        Of a repair, how many entries of what is down or slow it mends; it costs nothing either.
    outlay : Outlay, optional
        What the bill says, once there is one; it decides then.
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)
    slowed: bool = False
    apart: bool = False
    pieces: Mapping[object, int] | None = None
    setting: int = 0
    mended: int = 0
    outlay: Outlay | None = None

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: settings, then the dearest kind of parts first, then what speaks against it."""
        counts = self.outlay.order if self.outlay is not None else self.counts
        return (not self.setting, *counts, self.slowed, self.apart, self.setting, self.mended)

    def no_more_than(self, other: NeededParts) -> bool:
        """Whether it is certainly no more of anything."""
        if self.outlay is not None and other.outlay is not None:
            fewer = self.outlay.no_more_than(other.outlay)
        elif self.pieces is not None and other.pieces is not None:
            wanted, there = self.pieces.items(), other.pieces
            fewer = all(many <= there.get(piece, 0) for piece, many in wanted)
        else:
            fewer = all(x <= y for x, y in zip(self.counts, other.counts, strict=True))
        return fewer and all(
            mine <= theirs
            for mine, theirs in (
                (self.slowed, other.slowed),
                (self.apart, other.apart),
                (self.setting, other.setting),
                (self.mended if other.mended else 0, other.mended),
            )
        )


@dataclass(frozen=True)
class TriedChange:
    """A design some edits after the current one.

    Parameters
    ----------
    state : SearchState
        The design, and which links are full.
    request : Request
        What is measured.
    label : str
        The edits in words, or the setting.
    cost : NeededParts
        What they need.
    figure : FigureAtHand, optional
        What it gives, once that is analysed.
    further : bool
        Whether it goes on from a change that relieves links.
    """

    state: SearchState
    request: Request
    label: str = ""
    cost: NeededParts = NeededParts()
    figure: FigureAtHand | None = None
    further: bool = False


def needs_of(before: Plan, after: Plan, *, priced: bool = False) -> NeededParts:
    """What the later of two designs needs anew, and what it gives back."""
    had, has = parts_of(before), parts_of(after)
    more, less = has - had, had - has
    now, then = cable_counts(before), cable_counts(after)
    speeds = {link.index: link.speed_gbit for link in before.links}
    cables = Counter[object]()
    for link in after.links:
        kept = now.get(link.index, 0) if speeds.get(link.index) == link.speed_gbit else 0
        cables[link.index, link.speed_gbit] += max(0, then.get(link.index, 0) - kept)
    counts = (
        *(_of_kind(more, kind) for kind in ("switch", "nic")),
        cables.total(),
        *(_of_kind(less, kind) for kind in ("switch", "nic")),
    )
    pieces: dict[object, int] = dict(more.items())
    pieces.update(cables)
    slowed = _slowed(after) > _slowed(before)
    mended = 0
    if is_repair(before.design, after.design):
        marks = [len(one.design.down) + len(one.design.slow) for one in (before, after)]
        mended = marks[0] - marks[1]
    return NeededParts(counts, slowed, pieces=pieces if priced else None, mended=mended)


def parts_of(plan: Plan) -> Counter[tuple[str, str]]:
    """Devices and NICs by kind and part."""
    has, found = device_counts(plan), Counter[tuple[str, str]]()
    for name, group in plan.groups.items():
        if group.part is not None:
            found[group.part.kind, group.part.id] += has[name]
        for ports in group.port_groups.values():
            if ports.nic is not None:
                found["nic", ports.nic.id] += ports.nics * has[name]
    return found


def _of_kind(devices: Counter[tuple[str, str]], kind: str) -> int:
    return sum(many for (each, _), many in devices.items() if each == kind)


def _slowed(plan: Plan) -> int:
    """Links on which NICs run below their speed."""
    return sum(one.code == "nic-slowed" for one in plan.findings)


def is_apart(planned: PlannedDesign) -> bool:
    """Whether no switch joins the rails of nodes, and the file does not say that this is meant."""
    return planned.design.rails != "apart" and any(rails_apart(planned.network))


def same_as(design: Design, found: Search, catalog: Catalog) -> frozenset[int]:
    """The places of the proposals that a design is already.

    It has the same devices and NICs, as many cables of each speed with as many to each peer between
    the same parts, and the same figures.
    """
    planned = PlannedDesign.of(design, catalog)
    own = _signature(planned.plan)

    def alike(one: Proposal) -> bool:
        if _signature(PlannedDesign.of(one.design, catalog).plan) != own:
            return False
        asked = found.asked.request
        return all(
            figure_at_hand(planned, replace(asked, collective=name)).amount == figure
            for name, figure in one.figures.items()
        )

    return frozenset(at for at, one in enumerate(found.proposals) if alike(one))


def _signature(plan: Plan) -> tuple[object, ...]:
    cables = cable_counts(plan)
    links = Counter(
        (
            frozenset(plan.design.groups[end.group].part for end in link.ends),
            link.speed_gbit,
            link.cables_per_pair,
            cables.get(link.index, 0),
        )
        for link in plan.links
    )
    return parts_of(plan), links
