"""The least busbw of a GPU that is required, by collective."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from toposmith.analysis.prediction.predictor import PredictedCollective
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog
from toposmith.collectives import COLLECTIVES, collective_name
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.without import intact, without_each
from toposmith.text import bandwidth, bare_word, percent
from toposmith.workloads.assess import assess_block
from toposmith.workloads.communications import CommunicationTime
from toposmith.workloads.model import WorkloadError

MOST_GBPS = 100_000.0
"""No GPU moves a hundred terabytes a second; what is more is a slip."""


def read_needs(texts: Iterable[str], or_else: str = "") -> dict[Collective, float]:
    """Read ``all_reduce=100`` or ``all-to-all=12.5 GB/s``, one of each collective.

    A figure without a name is a need of all-reduce. A refusal names ``or_else``, too.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    found: dict[Collective, float] = {}
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals and name.strip()[:1].isdigit():
            name, equals, amount = "all_reduce", "=", text
        known = {bare_word(each): each for each in COLLECTIVES}
        collective = known.get(bare_word(name))
        if not equals or collective is None:
            names = ", ".join(COLLECTIVES)
            raise EditError(
                f"{text!r} is no need; write COLLECTIVE=GB/s, as all_reduce=100{or_else} ({names})"
            )
        if collective in found:
            raise EditError(f"{collective} is given twice")
        found[collective] = _amount(amount, text)
    return found


GPUS = "gpus"
"""How a floor names the GPUs that are to run."""


def read_floor(texts: Iterable[str]) -> tuple[dict[Collective, float], int]:
    """Read what has to hold while a cluster grows: needs, and ``gpus=480`` that are to run.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    needs, gpus = [], 0
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals or bare_word(name) != GPUS:
            needs.append(text)
            continue
        if gpus:
            raise EditError("gpus are asked for twice")
        number = amount.strip().replace(",", "")
        if not (number.isascii() and number.isdigit() and int(number[:12])):
            raise EditError(f"{text!r}: GPUs that keep running are a whole number above 0")
        gpus = int(number[:12])
    return read_needs(needs, f", or {GPUS}=480"), gpus


def floor_asked(needs: Mapping[Collective, float], gpus: int) -> str:
    """A floor as it is typed: ``all_to_all=40 gpus=480``."""
    words = [f"{name}={least:g}" for name, least in needs.items()]
    return " ".join((*words, *([f"{GPUS}={gpus}"] if gpus else [])))


def _amount(text: str, whole: str) -> float:
    try:
        value = float(text.strip().removesuffix("GB/s").strip().replace(",", ""))
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_GBPS:
        wanted = f"a number above 0, up to {MOST_GBPS:,.0f}"
        raise EditError(f"{whole!r}: GB/s of each GPU are {wanted}, found {text.strip()!r}")
    return value


def needs_words(needs: Mapping[Collective, float]) -> str:
    """``all-reduce 100 GB/s, all-to-all 12.5 GB/s``."""
    return ", ".join(f"{collective_name(name)} {bandwidth(gb)}" for name, gb in needs.items())


EQUALLY_FULL = 1.02
"""Classes of links this near to the fullest one limit a figure together."""

LEAST_GAIN = 1.02
"""A figure that is no more than 2 % higher is the same figure: the model tells no less apart."""


@dataclass(frozen=True)
class FigureAtHand:
    """A figure of a design for one request, and what holds it back.

    Parameters
    ----------
    amount : Labelled
        What is to be raised or kept, with the kind of the figure: busbw of each GPU in GB/s, where
        no other aim is set (:mod:`toposmith.synthesis.needs`).
    fullest : frozenset of int
        The links of the design that are fullest, by their places.
    limited_by : str
        ``links``, ``channels``, ``latency``, or empty where nothing runs.
    limit : str
        What limits the figure, in words.
    """

    amount: Labelled
    fullest: frozenset[int] = frozenset()
    limited_by: str = ""
    limit: str = ""

    def exceeds(self, other: FigureAtHand) -> bool:
        """Whether it is higher than another figure of the same kind, beyond what the model errs."""
        return self._over(other.amount, LEAST_GAIN)

    def holds(self, floor_GBps: float) -> bool:
        """Whether it is at least so much."""
        value = self.amount.value
        sound = self.amount.label.kind != "at most"
        return value is not None and sound and value >= floor_GBps * (1 - 1e-9)

    def _over(self, other: Labelled, factor: float) -> bool:
        mine, theirs = self.amount.value, other.value
        if mine is None or self.amount.label.kind == "at most":
            return False
        if theirs is None:
            return True
        return self.amount.label.kind == other.label.kind and mine > theirs * factor


def figure_at_hand(planned: PlannedDesign, request: Request) -> FigureAtHand:
    """Predict a request on a design, and say which links hold it back."""
    questions = planned.questions
    predicted = questions.prediction(request)
    if questions.too_large or predicted.busbw_GBps is None:
        return FigureAtHand(Labelled(None, UNKNOWN))
    predictor = questions.of(request).predictor
    assert predictor is not None
    outcome = predictor.at(request.message_bytes)
    cabled = [demand for demand in outcome.demands if demand.index is not None]
    least = min((demand.allows for demand in cabled), default=0.0)
    fullest = {d.index for d in cabled if d.index is not None and d.allows <= least * EQUALLY_FULL}
    return FigureAtHand(
        predicted.busbw, frozenset(fullest), outcome.limited_by, limit_words(outcome)
    )


def limit_words(outcome: PredictedCollective) -> str:
    """What holds a figure back, in words."""
    if outcome.limited_by == "latency":
        return "latency"
    if outcome.limited_by == "channels":
        return "NCCL's channels"
    least = min((demand.allows for demand in outcome.demands), default=0.0)
    names = [demand.words for demand in outcome.demands if demand.allows <= least * 1.001]
    return " and ".join(dict.fromkeys(names))


def sound_after(before: Plan, design: Design, catalog: Catalog) -> PlannedDesign | None:
    """The planned design; None where it has errors beyond those of the design before."""
    planned = PlannedDesign.of(design, catalog)
    return planned if fits_as_before(before, planned.plan) else None


def fits_as_before(before: Plan, after: Plan) -> bool | None:
    """Whether ports suffice as they did before; None where there are other errors more."""
    had, has = (sum(one.severity == "error" for one in plan.findings) for plan in (before, after))
    if has > had:
        return None
    return len(port_findings(after)) <= len(port_findings(before))


# What fixes raise: the figure, what the worst failure leaves of it, the workload's margin.


@dataclass(frozen=True)
class Aim:
    """A figure that fixes raise.

    Parameters
    ----------
    name : str
        Its name on the command line and in a request.
    title : str
        What it is, in a few words.
    key : str
        What it is called in JSON, with its unit.
    held_by : str
        Words before the name of what limits it.
    figure : callable
        Computes it for a design and a request.
    of_collective : bool
        Whether it is of the collective that is asked for.
    """

    name: str
    title: str
    key: str
    held_by: str
    figure: Callable[[PlannedDesign, Request], FigureAtHand]
    of_collective: bool = True

    def words(self, request: Request) -> str:
        """``all-reduce``, ``all-reduce after any one failure``: what is raised, of a request."""
        if not self.of_collective:
            return self.title
        name = collective_name(request.collective)
        return f"{name} {self.title}" if self.title else name


class Margin(Labelled):
    """Available busbw as a share of the required one."""

    @property
    def words(self) -> str:
        """``83 % of required``."""
        if self.value is None:
            return super().words
        return self.label.marked(f"{percent(self.value)} of required")


def after_failure(planned: PlannedDesign, request: Request) -> FigureAtHand:
    """Busbw that the worst failure of one cable or switch leaves, GB/s, over all GPUs there were.

    What is left of the busbw, times the share of GPUs that are left: those cut off get nothing.
    The links to relieve are those of what fails and those that are full before it.
    """
    now = figure_at_hand(planned, request)
    if now.amount.value is None:
        return now
    collective = request.collective
    start = intact(planned.plan, planned.catalog, request, (collective,))
    before = start.figures[collective][0]
    if not before or not start.gpus:
        return FigureAtHand(Labelled(None, UNKNOWN))
    lowest, what, words = before, "", ""
    for kind, outcome in without_each(start):
        left = (outcome.whole_share or 0.0) * before
        if not what or left < lowest * (1 - 1e-9):
            lowest, what = left, outcome.failures[0].what
            cut_off = f", which cuts off {outcome.gpus_cut_off:,} of {start.gpus:,} GPUs"
            words = f"one {kind} of {what}{cut_off if outcome.gpus_cut_off else ''}"
    label = start.labels[collective]
    if not what:
        return FigureAtHand(Labelled(before, label), now.fullest, now.limited_by, now.limit)
    of_link = {one.index: (one.label, one.a.group, one.b.group) for one in planned.plan.links}
    links = now.fullest | {index for index, names in of_link.items() if what in names}
    return FigureAtHand(Labelled(lowest, label), links, "failure", words)


def workload_margin(planned: PlannedDesign, request: Request) -> FigureAtHand:
    """The least share of the required busbw that any communication between nodes gets.

    Of training: what one step of the design's ``workload:`` block waits for. Where the workload
    cannot run, or nothing of it leaves a node, the figure is unknown.
    """
    try:
        found = assess_block(planned.plan, planned.catalog, planned.design.workload, request)
    except WorkloadError:
        return FigureAtHand(Labelled(None, UNKNOWN))
    between = [
        each
        for each in (found.step.communication if found.step is not None else ())
        if not each.inside_node and each.needed_GBps
    ]
    if not between:
        return FigureAtHand(Labelled(None, UNKNOWN))
    worst = min(between, key=lambda each: each.margin)
    links = {link.index for link in planned.plan.links if link.label == worst.fullest}
    amount = Margin(worst.busbw_GBps / worst.needed_GBps, worst.label)
    return FigureAtHand(
        amount, frozenset(links), worst.limited_by, f"{worst.dimension}: {_at(worst)}"
    )


def _at(worst: CommunicationTime) -> str:
    return f"{worst.what} at {worst.fullest}" if worst.fullest else worst.what


FIGURE = Aim("figure", "", "busbw_GBps", "limited by", figure_at_hand)
FAILURE = Aim(
    "failure", "after any one failure", "busbw_after_failure_GBps", "least without", after_failure
)
WORKLOAD = Aim(
    "workload",
    "the workload's least margin",
    "share_of_required",
    "least of",
    workload_margin,
    of_collective=False,
)
AIMS = {aim.name: aim for aim in (FIGURE, FAILURE, WORKLOAD)}
"""Figures that may be raised, by name."""
