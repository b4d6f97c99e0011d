"""Every single failure, class by class, and double ones, all or a sample; worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from toposmith.analysis.jobs.communicator import groups_of
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.refused import refusal, without_figures
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog
from toposmith.fabric.counts import slow_at
from toposmith.fabric.nvlink_domains import domain_findings
from toposmith.fabric.plan import Plan
from toposmith.fabric.slow_gpus import slow_gpu_counts
from toposmith.findings.finding import Finding
from toposmith.labels import Label
from toposmith.review.failures.breakable import (
    Failure,
    FailureClass,
    Pick,
    failure_classes,
    named_sets,
)
from toposmith.review.failures.networks_beside import (
    NetworkLosses,
    losses_beside,
    not_drawn,
    uncabled_ports,
)
from toposmith.review.failures.shared_modules import (
    FeedLosses,
    ModuleLosses,
    feed_failures,
    module_failures,
)
from toposmith.review.failures.survivors import survivors
from toposmith.review.failures.without import (
    MOST_CLASSES,
    DegradedDesign,
    Intact,
    intact,
    merged,
    pair_classes,
    switch_tray_losses,
    without,
)
from toposmith.text import counted, percent
from toposmith.workloads.goodput import Stops, stops

COLLECTIVES: tuple[Collective, ...] = ("all_reduce", "all_to_all")
"""What every failure is measured by unless asked otherwise: one that does not feel the spine, and
one that does."""

SAMPLE = 50
"""Pairs that are sampled where there are too many to compute all."""

Progress = Callable[[int, int], bool]
"""Told how many failures of how many are done; False ends the sweep there."""

FailureRunner = Callable[[Callable[[], DegradedDesign]], DegradedDesign | None]
"""Runs what looks at one failure; None where it was ended before that was done."""

SoFar = Callable[[Callable[[], "Sweep"]], None]
"""Called after every failure, with a function that gives all computed so far, in any thread."""


@dataclass(frozen=True)
class Survival:
    """How a design stands the failure of any one thing of a kind.

    Parameters
    ----------
    kind, what : str
        Such as ``spine`` and its group.
    things : int
        How many there are.
    share : float or None
        Bandwidth kept in the worst case.
    gpus_cut_off : int
        GPUs lost in the worst case.
    why : str
        Why some collective does not run in the worst case, if so.
    collectives : tuple of str
        Which collectives keep no more than that; none where nothing was measured.
    known : tuple of (str, float)
        Where that share is unknown: the collectives of which it is known, with the least kept.
    unknown : tuple of str
        The others.
    """

    kind: str
    what: str
    things: int
    share: float | None
    gpus_cut_off: int
    why: str = ""
    collectives: tuple[Collective, ...] = ()
    known: tuple[tuple[Collective, float], ...] = ()
    unknown: tuple[Collective, ...] = ()


@dataclass(frozen=True)
class Sweep:
    """What a design delivers after each failure, worst first.

    Parameters
    ----------
    before : dict
        Busbw of each collective with nothing failed, GB/s; None where there is none.
    why : dict
        The reason, where there is none.
    request : Request
        Message size, NCCL's release and routing of all figures.
    groups : dict
        Whose figures they are where not those of all GPUs: ``dp groups of tp=8,dp=64``.
    labels : dict
        The label of each figure.
    singles, doubles : tuple of DegradedDesign
        Worst first; ``doubles`` are all pairs where they were counted, else a sample.
    gpus : int
        GPUs before.
    complete : bool
        Whether every failure that was to be computed was.
    to_come : int
        How many failures are still to be computed, where it continues.
    nccl : bool
        Whether NCCL runs, as far as is known.
    partitions : int
        How many sets the nodes fall into that cannot meet, with nothing failed; 0 where that was
        not looked at.
    gpus_together : int
        GPUs of the largest of them.
    stops : Stops or None
        How often a job on all GPUs stops, by published rates; None without GPUs.
    harmless : tuple of Survival
        What was computed and takes nothing down, such as feeds that others replace.
    other_networks : tuple of str
        Networks that the design draws and whose bandwidth is not computed.
    beside : tuple of NetworkLosses
        What single failures in these cut off.
    down : tuple of str
        What is down already, in all figures: the entries of the design.
    slow_cables : int
        Cables that run slow in all figures, also with nothing failed.
    slow_gpus : mapping
        GPUs that compute slowly already, by group and share of their rate; collectives are
        unchanged by them.
    ended_in : frozenset of tuple
        Kinds and places of which not all was computed, where it continues or was ended early.
    unseen : tuple of str
        What else can fail and is not computed, with the reason.
    findings : tuple of Finding
        What the figures leave out.
    """

    design: str
    gpus: int
    before: dict[Collective, float | None]
    why: dict[Collective, str]
    singles: tuple[DegradedDesign, ...]
    doubles: tuple[DegradedDesign, ...] = ()
    seed: int = 0
    complete: bool = True
    unseen: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    groups: dict[Collective, str] = field(default_factory=dict)
    labels: dict[Collective, Label] = field(default_factory=dict)
    harmless: tuple[Survival, ...] = ()
    request: Request = field(default_factory=Request)
    other_networks: tuple[str, ...] = ()
    beside: tuple[NetworkLosses, ...] = ()
    down: tuple[str, ...] = ()
    slow_cables: int = 0
    slow_gpus: Mapping[str, Mapping[float, int]] = field(default_factory=dict)
    ended_in: frozenset[tuple[str, str]] = frozenset()
    to_come: int = 0
    nccl: bool = True
    partitions: int = 0
    gpus_together: int = 0
    stops: Stops | None = None

    @property
    def pairs(self) -> int:
        """How many pairs of things the double failures stand for; 0 where they are a sample."""
        return sum(outcome.pairs for outcome in self.doubles)

    @property
    def doubles_words(self) -> str:
        """What the double failures are: all pairs, or a sample."""
        if self.pairs:
            pairs = counted(self.pairs, "pair")
            all_of = f"all {pairs}" if self.complete else f"{pairs} looked at"
            return f"{all_of} of nodes, NICs, cables and compute switches, counted"
        return f"a random sample of {counted(len(self.doubles), 'pair')} (seed {self.seed})"

    @property
    def worst_first(self) -> tuple[DegradedDesign, ...]:
        """Single failures and pairs together, worst first."""
        return _worst_first([*self.singles, *self.doubles])

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """All that can fail and is not looked at; networks that are drawn come first."""
        return (*self.other_networks, *self.unseen)

    @property
    def survival(self) -> tuple[Survival, ...]:
        """The worst single failure of every kind and place, and what fails without any loss."""
        places: dict[tuple[str, str], list[DegradedDesign]] = {}
        for outcome in self.singles:
            failure = outcome.failures[0]
            places.setdefault((failure.kind, failure.what), []).append(outcome)
        lossy = (
            _survival(kind, what, of)
            for (kind, what), of in places.items()
            if (kind, what) not in self.ended_in  # the worst may be among the others
        )
        return (*lossy, *self.harmless)


def sweep(
    plan: Plan,
    catalog: Catalog,
    request: Request | None = None,
    *,
    collectives: Sequence[Collective] = COLLECTIVES,
    doubles: int = 0,
    every_pair: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
    run: FailureRunner | None = None,
    so_far: SoFar | None = None,
) -> Sweep:
    """Let every class of things fail once, then pairs of things.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        For the insides of nodes.
    request : Request, optional
        Message size, communicator, release and routing; 8 GiB over all GPUs if not given.
    collectives : sequence of str
        What is measured.
    doubles : int
        How many pairs to draw: the kind of each of the two evenly, then its class by how many are
        in it, then a member. A pair drawn twice counts once.
    every_pair : bool
        Whether all pairs are to be computed, one for each class of pairs. Where these are too
        many, a sample is drawn (at least :data:`SAMPLE`), and that is said.
    seed : int
        Of that draw.
    progress : callable, optional
        Called after every failure; where it returns False the sweep ends, incomplete.
    run : callable, optional
        Runs the work of every failure; where it returns None the sweep ends, incomplete.
    so_far : callable, optional
        Called after every failure but the last with what gives the sweep until then.
    """
    request = request or Request()
    refused = refusal(ComputeNetwork(plan))
    if refused is not None:
        why = refused.text
        before: dict[Collective, float | None] = dict.fromkeys(collectives)
        gpus = without_figures(plan, request, refused).gpus
        return Sweep(
            *(plan.design.name, gpus, before, dict.fromkeys(collectives, why), ()),
            unseen=(f"any failure: {why}",),
            request=request,
            nccl=plan.nccl,
        )
    start = intact(plan, catalog, request, collectives)
    found = failure_classes(start.network, catalog) if start.gpus else []
    classes, skipped = _looked_at(start, found)
    feeds = feed_failures(plan, catalog)
    todo: list[tuple[Failure, ...]] = [(each.member(),) for each in classes]
    todo += [(each,) for each in (*named_sets(plan), *feeds.dark)] if start.gpus else []
    modules = module_failures(start.network, catalog) if start.gpus else ModuleLosses()
    todo += [(each,) for each in modules.failures]
    pairs = pair_classes(start, classes) if every_pair else None
    too_many: tuple[str, ...] = ()
    if pairs is not None:
        todo += [each.failures for each in pairs]
    else:
        if every_pair:
            doubles = max(doubles, SAMPLE)
            too_many = (f"all pairs: there are more than {MOST_CLASSES:,} classes of them",)
        todo += _pairs(classes, doubles, Random(seed))
    beside = losses_beside(start.network, catalog, rates=True)
    standing = survivors(start.network)
    undrawn = "; ".join((not_drawn(each.network for each in beside), *uncabled_ports(plan)))
    whole = Sweep(
        plan.design.name,
        start.gpus,
        {c: figure for c, (figure, _) in start.figures.items()},
        {c: reason for c, (_, reason) in start.figures.items() if reason},
        (),
        seed=seed,
        unseen=(undrawn, *too_many, *feeds.said, *modules.said, *skipped),
        findings=_left_out(start, collectives),
        groups=_groups(request, collectives),
        labels=dict(start.labels),
        harmless=_feeds_survived(feeds) if start.gpus else (),
        request=request,
        other_networks=tuple(_not_looked_at(beside)),
        beside=beside,
        down=tuple(plan.design.down),
        slow_cables=slow_at(plan),
        slow_gpus=slow_gpu_counts(plan),
        nccl=plan.nccl,
        partitions=standing.parts,
        gpus_together=standing.gpus,
        stops=stops(plan) if start.gpus else None,
    )

    outcomes: list[DegradedDesign] = []

    def swept(done: int, *, goes_on: bool = False) -> Sweep:
        there = outcomes[:done]  # others may come while this is computed
        doubled = [outcome for outcome in there if len(outcome.failures) > 1]
        if pairs is not None:
            doubled = list(merged(zip(pairs, doubled, strict=False)))
        to_come = len(todo) - done
        why = "still to come" if goes_on else "as it was ended early"
        ended_in, left = _ended_in(todo, done, why)
        undrawn_trays = [] if to_come else switch_tray_losses(start)
        singles = [one for one in there if len(one.failures) == 1]
        return replace(
            whole,
            singles=_worst_first([*singles, *undrawn_trays]),
            doubles=_worst_first(doubled),
            complete=not to_come,
            unseen=(*left, *whole.unseen),
            ended_in=ended_in,
            to_come=to_come if goes_on else 0,
        )

    for outcome in _outcomes(start, todo, progress, run or (lambda work: work())):
        outcomes.append(outcome)
        if so_far is not None and len(outcomes) < len(todo):
            so_far(partial(swept, len(outcomes), goes_on=True))
    return swept(len(outcomes))


def _ended_in(
    todo: Sequence[tuple[Failure, ...]], done: int, why: str
) -> tuple[frozenset[tuple[str, str]], tuple[str, ...]]:
    """Kinds and places of which not all failures were looked at, and how many were not."""
    kinds = [(failures[0].kind, failures[0].what) for failures in todo if len(failures) == 1]
    of, left = Counter(kinds), Counter(kinds[done:])
    said = [
        f"{kind} {what}: {many:,} of {of[kind, what]:,} classes"
        for (kind, what), many in left.items()
    ]
    pairs = len(todo) - max(done, len(kinds))
    if pairs > 0:
        said.append(f"pairs: {pairs:,} of {len(todo) - len(kinds):,}")
    return frozenset(left), tuple(f"{words}, {why}" for words in said)


MOST_SWITCHES_WALKED = 3_000
"""Of each kind of thing so many classes fail that, where dealt cables join switches, no more
switches than these are walked through: some ten seconds for each class of 2,368 switches."""

MOST_BY_DIFFERENCE = {"cable": 300_000, "NIC": 300_000}
"""The same by kind where only what a failure changes is computed anew: some seconds for each."""

MOST_DEVICES_BY_DIFFERENCE = 20_000
"""The same of nodes and switches, without which all others have other neighbours in a tree."""


def _looked_at(
    start: Intact, classes: Sequence[FailureClass]
) -> tuple[list[FailureClass], tuple[str, ...]]:
    """The classes that fail, and what to say of the others.

    In a dragonfly every router of a group has other groups behind it, so that hardly two things
    fail alike; of large ones a sample of each kind is looked at, evenly over its classes.
    """
    groups, links = start.plan.groups, start.plan.links
    switches = max((groups[link.a.group].instances for link in links if link.bundle), default=0)
    by_kind: dict[tuple[str, str], list[FailureClass]] = {}
    for each in classes:
        by_kind.setdefault((each.kind, each.what), []).append(each)
    kept: list[FailureClass] = []
    said: list[str] = []
    for (kind, what), of in by_kind.items():
        walked = MOST_SWITCHES_WALKED
        if start.by_difference:
            walked = MOST_BY_DIFFERENCE.get(kind, MOST_DEVICES_BY_DIFFERENCE)
        most = max(2, walked // switches) if switches else len(of)
        if len(of) <= most:
            kept += of
            continue
        kept += [of[at * (len(of) - 1) // (most - 1)] for at in range(most)]
        said.append(
            f"{kind} {what}: {most} of {len(of):,} classes are looked at, evenly over them; "
            "another one may cost more"
        )
    return kept, tuple(said)


def _not_looked_at(beside: Iterable[NetworkLosses]) -> Iterator[str]:
    """Networks beside the compute one, which no figure feels; of storage all nodes' together."""
    for each in beside:
        single = "" if each.reads_GBps is None else " for single nodes"
        yield f"bandwidth of the {each.network.words}{single}, before and after failures"


def _left_out(start: Intact, collectives: Sequence[Collective]) -> tuple[Finding, ...]:
    """NVLink domains that some group lies in and that are not modelled."""
    world, job = start.network.world, start.request.job
    groups = (groups_of(world, job, collective) for collective in collectives)
    if all(isinstance(each, Finding) or each.nodes == 1 for each in groups):
        return start.findings
    return (*domain_findings(world.groups), *start.findings)


def _feeds_survived(feeds: FeedLosses) -> tuple[Survival, ...]:
    """Feeds whose loss takes nothing down, which leaves all as it is."""
    if not feeds.survived:
        return ()
    racks = counted(feeds.survived, "rack")
    what = "feed" if feeds.survived == feeds.racks else f"of {racks}"
    return (Survival("feed", what, feeds.survived * feeds.feeds, 1.0, 0),)


def _groups(request: Request, collectives: Sequence[Collective]) -> dict[Collective, str]:
    """Whose figures each collective's are, where it does not run over all GPUs."""
    job = request.job
    kinds = {collective: job.group_for(collective) for collective in collectives}
    return {c: f"{kind} groups of {job.layout}" for c, kind in kinds.items() if kind != WORLD}


def _outcomes(
    start: Intact,
    todo: Sequence[tuple[Failure, ...]],
    progress: Progress | None,
    run: FailureRunner,
) -> Iterator[DegradedDesign]:
    """Outcomes as they come; failures of the same selectors are computed once."""
    known: dict[tuple[str, ...], DegradedDesign] = {}
    for done, failures in enumerate(todo, 1):
        selectors = tuple(text for failure in failures for text in failure.selectors)
        of = known.get(selectors) or run(partial(without, start, failures))
        if of is None:
            return
        known[selectors] = of
        yield replace(of, failures=failures)
        if progress is not None and not progress(done, len(todo)):
            return


def _pairs(
    classes: Sequence[FailureClass], many: int, random: Random
) -> list[tuple[Failure, Failure]]:
    """A sample of two different things."""
    by_kind: dict[tuple[str, str], list[FailureClass]] = {}
    for each in classes:
        by_kind.setdefault((each.kind, each.what), []).append(each)
    kinds, pick = list(by_kind.values()), Pick(random)
    found: dict[frozenset[tuple[str, ...]], tuple[Failure, Failure]] = {}
    # a small design has few pairs, so that drawing in vain must end some time
    for _ in range(20 * many if kinds else 0):
        if len(found) == many:
            break
        drawn = [
            random.choices(of, weights=[each.members for each in of])[0].member(pick)
            for of in random.choices(kinds, k=2)
        ]
        both = frozenset(failure.selectors for failure in drawn)
        if len(both) == 2:
            found.setdefault(both, (drawn[0], drawn[1]))
    return list(found.values())


def _worst_first(outcomes: list[DegradedDesign]) -> tuple[DegradedDesign, ...]:
    return tuple(sorted(outcomes, key=_badness))


def _badness(outcome: DegradedDesign) -> tuple[float, int]:
    share = outcome.whole_share
    return float("inf") if share is None else round(share, 4), -outcome.parts


def _survival(kind: str, what: str, outcomes: Sequence[DegradedDesign]) -> Survival:
    labels = (kept.label for outcome in outcomes for kept in outcome.kept)
    unlike = next((label.of for label in labels if label.sign), "")
    shares = [outcome.worst_share for outcome in outcomes]
    known = [share for share in shares if share is not None]
    least = min(known) if known and len(known) == len(shares) else None
    return Survival(
        kind,
        what,
        sum(outcome.failures[0].members for outcome in outcomes),
        least,
        max(outcome.gpus_cut_off for outcome in outcomes),
        unlike
        or next(
            (kept.why for o in outcomes for kept in o.kept if kept.why and kept.before_GBps), ""
        ),
        () if least is None else _keeping(least, outcomes),
        *(((), ()) if least is not None else _each_known(outcomes)),
    )


def _each_known(
    outcomes: Sequence[DegradedDesign],
) -> tuple[tuple[tuple[Collective, float], ...], tuple[Collective, ...]]:
    """The least kept of each collective that is known after all failures, and the others."""
    shares: dict[Collective, list[float | None]] = {}
    for kept in (kept for outcome in outcomes for kept in outcome.kept):
        shares.setdefault(kept.collective, []).append(kept.kept)
    known: list[tuple[Collective, float]] = []
    unknown: list[Collective] = []
    for collective, of in shares.items():
        values = [share for share in of if share is not None]
        if len(values) == len(of):
            known.append((collective, min(values)))
        else:
            unknown.append(collective)
    return tuple(known), tuple(unknown)


def _keeping(least: float, outcomes: Sequence[DegradedDesign]) -> tuple[Collective, ...]:
    """The collectives of which no more is kept, as percentages are read."""
    kept = (each for outcome in outcomes for each in outcome.kept)
    worst = percent(min(1.0, least))
    alike = (each.collective for each in kept if percent(each.kept) == worst)
    return tuple(dict.fromkeys(alike))
