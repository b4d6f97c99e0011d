"""What else a change does: figures that fall, findings it adds; repairs of what is broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from toposmith.analysis.request import Collective, Request
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.edits.edit import changed, ends_of
from toposmith.design.selectors import Selector, axis_size, group_axes, readable_selector
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.fabric.slow_cables import ends_of as ends_named
from toposmith.findings.codes.code import Value
from toposmith.findings.finding import Finding
from toposmith.labels import Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.analysed_fabrics import Proposal
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.needs import FigureAtHand, figure_at_hand
from toposmith.synthesis.purchases import Outlay
from toposmith.synthesis.search_state import SearchState
from toposmith.text import counted, joined


class Repair(Edit):
    """An edit after which less is broken, since that is what it is for."""


MOST_SINGLY = 8
"""How many entries are also repaired alone, those first that matter most."""


def mending_edits(plan: Plan, links: Collection[int]) -> Iterator[Repair]:
    """Mend everything down or slow at some links, and alone the entries that matter most.

    These are the slowest, since a ring runs at the pace of its slowest cable; then whole switches.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    links : collection of int
        The places of the links that limit a figure; none where nothing runs, for want of
        anything that is down.
    """
    held = [link for link in plan.every_link if link.index in links or not links]
    marked = dict.fromkeys((*plan.design.down, *plan.design.slow))
    at = {text: found for text in marked if (found := _at(plan.design, text, held)) is not None}
    if len(at) > 1:
        yield _mended(plan.design, list(at))
    gbit = {one.selector: min(map(one.gbit_of, held), default=0.0) for one in plan.slow}

    def weight(text: str) -> tuple[float, bool]:
        first = at[text].first
        whole_switch = first.ports is None and plan.groups[first.group].switch is not None
        return gbit.get(at[text], inf), at[text].is_cable or not whole_switch

    for text in sorted(at, key=weight)[:MOST_SINGLY]:
        yield _mended(plan.design, [text])


def mended_words(texts: Sequence[str], design: Design) -> str:
    """``mend node[node=3].compute[2]``, ``mend 12 entries of down: and slow:``."""
    if len(texts) > 2:
        blocks = {"down:": design.down, "slow:": design.slow}
        of = [key for key, marks in blocks.items() if any(text in marks for text in texts)]
        return f"mend {counted(len(texts), 'entry')} of {joined(of)}"
    return f"mend {' and '.join(texts)}"


def is_repair(before: Design, after: Design) -> bool:
    """Whether two designs differ in what is down or slow alone, of which the second has less."""

    def as_built(design: Design) -> Design:
        return design.model_copy(update={"down": (), "slow": {}, "toposmith": 0})

    less = {*after.down, *after.slow} < {*before.down, *before.slow}
    return less and as_built(before) == as_built(after)


def _mended(design: Design, texts: Sequence[str]) -> Repair:
    slow = {text: speed for text, speed in design.slow.items() if text not in texts}
    down = tuple(text for text in design.down if text not in texts)
    return Repair(changed(design, down=down, slow=slow), mended_words(texts, design))


def _at(design: Design, text: str, links: Collection[LinkPlan]) -> Selector | None:
    """An entry of ``down:`` or ``slow:`` that may mean cables of one of these links; else None."""
    selector = readable_selector(text, design)
    meant = selector is not None and any(_may_mean(selector, link) for link in links)
    return selector if meant else None


def _may_mean(selector: Selector, link: LinkPlan) -> bool:
    groups = {end.group for end in ends_named(selector)}
    ends = {link.a.group, link.b.group}
    if selector.is_cable:
        return groups == ends
    ports = selector.first.ports
    return any(
        end.group in groups and (ports is None or end.ports == ports) for end in (link.a, link.b)
    )


EXCHANGE: Collective = "all_to_all"
"""The collective that leaves its rail where PXN does not keep it there."""


@dataclass(frozen=True)
class FigurePair:
    """A figure before and after a change, and what is needed of it.

    ``pxn`` says whether it is with PXN, where that is asked for at all.
    """

    collective: Collective
    before: Labelled
    after: Labelled
    needed_GBps: float | None = None
    pxn: bool = True

    @property
    def falls(self) -> bool:
        """Whether it is lower than before, by more than a per mille."""
        before, after = self.before.value, self.after.value
        if before is None:
            return False
        return after is None or after < before * 0.999


@dataclass(frozen=True)
class Worsened:
    """A finding that a design has before a change and after it, and whose figure gets worse."""

    before: Finding
    after: Finding

    @property
    def words(self) -> str:
        """``3:1 -> 6:1``."""
        before, after = self.before.value, self.after.value
        return f"{before.words} -> {after.words}" if before and after else ""


def falling(of: EvaluatedDesign, after: EvaluatedDesign) -> tuple[FigurePair, ...]:
    """The figures of the undamaged design that a change takes from."""
    names = dict.fromkeys((of.asked.collective, *COLLECTIVES))
    pairs = (FigurePair(name, _figure(of, name), _figure(after, name)) for name in names)
    return tuple(pair for pair in pairs if pair.falls)


def lost_without_pxn(
    of: EvaluatedDesign, after: EvaluatedDesign, added: Iterable[Finding]
) -> tuple[FigurePair, ...]:
    """The all-to-all without PXN, where a change leaves it without a path.

    It is only predicted where findings are added that say so: of dragonflies that takes seconds.
    """
    if not of.asked.pxn or all(one.code != "rails-apart" for one in added):
        return ()
    pair = FigurePair(EXCHANGE, _without_pxn(of), _without_pxn(after), pxn=False)
    return (pair,) if pair.falls and pair.after.value is None else ()


def _figure(of: EvaluatedDesign, collective: Collective) -> Labelled:
    return figure_at_hand(of.planned, replace(of.asked, collective=collective)).amount


def _without_pxn(of: EvaluatedDesign) -> Labelled:
    request = replace(of.asked, collective=EXCHANGE, pxn=False)
    return figure_at_hand(of.planned, request).amount


def side_effects(
    of: EvaluatedDesign, after: EvaluatedDesign
) -> tuple[tuple[Finding, ...], tuple[Worsened, ...]]:
    """What only the design after a change has, and what it had and has in a worse measure.

    Errors and warnings, the waived ones left out.
    Those of one code and place are one finding; of the others as many of a code as both designs
    have, since groups may be called otherwise after a change. A repair makes nothing worse: what is
    measured then is the design's own.
    """
    mends = is_repair(of.design, after.design)
    before, now = _serious(of.findings), _serious(after.findings)
    had = {(one.code, one.where): one for one in before}
    has = {(one.code, one.where) for one in now}
    moved = [one for one in before if (one.code, one.where) not in has]
    added, worsened = [], []
    for one in now:
        old = had.get((one.code, one.where))
        if old is None:
            old = next((each for each in moved if each.code == one.code), None)
            if old is not None:
                moved.remove(old)
        if old is None:
            added.append(one)
        elif not mends and _reads_worse(one.value, old.value):
            worsened.append(Worsened(old, one))
    return tuple(added), tuple(worsened)


def _reads_worse(now: Value | None, before: Value | None) -> bool:
    """Whether a measure is worse, and by so much that it reads otherwise."""
    if now is None or before is None:
        return False
    return now.beyond(before.amount) and now.words != before.words


def _serious(findings: Iterable[Finding]) -> list[Finding]:
    """What counts; of a waiver that is exceeded it is the finding itself, which counts again."""
    return [one for one in findings if one.counts and one.code != "waiver-exceeded"]


def keeping_faults(design: Design, edits: Iterable[Edit], lost: set[str]) -> Iterator[Edit]:
    """The edits of a design after which as much is down and slow as before, and repairs.

    Left out are those that take away what is broken, and those that give groups with something
    broken other axes: which device is which afterwards is arbitrary, and so would be the gain.

    Parameters
    ----------
    design : Design
        The design before.
    edits : iterable of Edit
        What is to be proposed.
    lost : set of str
        Gets the groups for which edits were left out.
    """
    for edit in edits:
        groups = frozenset() if isinstance(edit, Repair) else mend_first(design, edit.design)
        lost |= groups
        if not groups:
            yield edit


def mend_first(before: Design, after: Design) -> frozenset[str]:
    """The groups of which something is broken that a change loses, or puts in another place."""
    if not (before.down or before.slow):
        return frozenset()
    had, has = _broken(before), _broken(after)
    return frozenset(
        name
        for ends, many in had.items()
        for name in ends[0]
        if name not in after.groups
        or group_axes(before, name) != group_axes(after, name)
        or has[ends] < many
    )


def mend_first_words(groups: Iterable[str]) -> str:
    """Why changes are not among the proposals; empty where there are no such groups."""
    names = sorted(groups)
    if not names:
        return ""
    return (
        f"something of {joined(names)} is down or slow: mend it first; "
        "changes that leave out or regroup what is broken are not among these"
    )


Ends = tuple[tuple[str, ...], str]
"""The groups that a selector names, and the slots of its ports."""


def _broken(design: Design) -> Counter[Ends]:
    """How many devices, ports and cables are down or slow, by what names them."""
    found = Counter[Ends]()
    for text in (*design.down, *design.slow):
        selector = readable_selector(text, design)
        if selector is not None:
            ends, many = _counted(selector, design)
            found[ends] += many
    return found


def _counted(selector: Selector, design: Design) -> tuple[Ends, int]:
    ends = [end for end in (selector.first, selector.second) if end is not None]
    sizes: dict[str, int] = {}
    for end in ends:
        for axis in group_axes(design, end.group):
            sizes.setdefault(axis, axis_size(design, axis))
        for axis, low, high in end.ranges:
            sizes[axis] = min(sizes[axis], high - low + 1)
    groups = tuple(sorted({end.group for end in ends}))
    each = 1  # all cables between two count as one: more of them may be added
    if selector.cables is not None:
        links = (link for link in design.links if tuple(sorted(set(ends_of(link)))) == groups)
        each = sum(min(selector.cables, link.cables or selector.cables) for link in links)
    return (groups, selector.first.ports or ""), prod(sizes.values()) * each


# Changes of a design that a search tries, and what they need before there is a bill.


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
