"""The cost of differences: GB/s of the design and as found, and the jobs that they delay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

from toposmith.analysis.analyse import predict_all
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.corrections import Correction, Corrections, corrected, together
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.labels import Labelled
from toposmith.racks.connections import number_of
from toposmith.racks.locked_devices import device_names
from toposmith.text import counted, natural

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.design.document import Design
    from toposmith.evaluation.evaluated import EvaluatedDesign
    from toposmith.fabric.device import Device
    from toposmith.fabric.plan import Plan


MOST_SINGLY = 40
LONGEST_SINGLY_S = 20.0
FEW_DEVICES = 4000
"""Up to this many devices, a design with an irregular cable is faster device by device."""

FOUND = "what is missing is absent, what goes elsewhere goes there, what runs slower runs slower"
TOO_MANY = "not computed one by one: too many differences"
NO_DESIGN = "not computed: the plan is a list of cables, not a design"
OF_GROUP = "of all differences that are put right together"

CollectiveFigures = dict["Collective", Labelled]


@dataclass
class Costs:
    """Bandwidth as designed and as built.

    Parameters
    ----------
    designed, as_built : dict of str to Labelled
        Figures by collective; ``as_built`` has all differences that a design can express.
    alone : dict of int to dict
        By place in the differences: the figures with it alone, or with all that are put right
        together with it; empty where they were not computed.
    left_out : dict of int to str
        Harmful differences that figures include in part or not at all, by index, with the reason.
    design : Design
        The fabric as built, as a design.
    """

    designed: CollectiveFigures
    as_built: CollectiveFigures
    design: Design
    alone: dict[int, CollectiveFigures] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)

    def lost_GBps(self, place: int) -> dict[Collective, float]:
        """Bandwidth lost by one difference, GB/s, by collective; empty where that is unknown."""
        lost: dict[Collective, float] = {}
        for name, held in self.alone.get(place, {}).items():
            before = self.designed[name].value
            if before is not None and held.value is not None:
                lost[name] = before - held.value
        return lost


def as_built_design(
    design: EvaluatedDesign, compared: CablingComparison
) -> tuple[Design, Correction]:
    """The fabric as found, as a design, with the correction that made it.

    Raises
    ------
    EditError
        If it needs more single cables than a file may list.
    """
    correction = Corrections(design.plan, compared.plan).of(compared.differences)
    built = corrected(design.design, correction).design
    if built.name:
        built = built.model_copy(update={"name": f"{built.name}, as built"})
    return built, correction


def costs_of(
    design: EvaluatedDesign,
    compared: CablingComparison,
    collectives: Sequence[Collective],
    *,
    longest_s: float = LONGEST_SINGLY_S,
) -> Costs:
    """Compute figures of the design, of the fabric as built, and of each difference alone.

    Those alone are computed from the first on, until there are too many or it takes too long.
    """
    corrections = Corrections(design.plan, compared.plan)
    whole = corrections.of(compared.differences)
    built = corrected(design.design, whole).design
    places = {id(one): at for at, one in enumerate(compared.differences)}
    designed = _figures(design, design.design, collectives)
    known: dict[tuple[object, ...], CollectiveFigures] = {Correction().key: designed}
    known[whole.key] = _figures(design, built, collectives)
    costs = Costs(designed, known[whole.key], built)
    costs.left_out = {places[id(one)]: why for one, why in whole.left_out}
    began = monotonic()
    for place, one in enumerate(compared.differences):
        if not one.harmful:
            continue
        own = corrections.of(together(compared.differences, one))
        late = len(known) >= MOST_SINGLY + 2 or monotonic() - began > longest_s
        if own.key not in known and not late:
            known[own.key] = figures_with(design, own, collectives)
        costs.alone[place] = known.get(own.key, {})
    return costs


def figures_with(
    design: EvaluatedDesign, correction: Correction, collectives: Sequence[Collective]
) -> CollectiveFigures:
    """Figures of a design as corrected; none where the two do not go together."""
    try:
        document = corrected(design.design, correction).design
    except EditError:
        return {}
    return _figures(design, document, collectives)


def shares_figures(differences: Sequence[CablingDifference], one: CablingDifference) -> bool:
    """Whether the figures of a difference are those of several that are put right together."""
    return len(together(differences, one)) > 1


def _figures(
    design: EvaluatedDesign, document: Design, collectives: Sequence[Collective]
) -> CollectiveFigures:
    requests = [replace(design.asked, collective=one) for one in collectives]
    if document is design.design:
        return {one.collective: design.asking(one).prediction.busbw for one in requests}
    plan = plan_design(document, design.catalog)
    few = sum(group.instances for group in plan.groups.values()) <= FEW_DEVICES
    predicted = predict_all(plan, design.catalog, requests, one_by_one=few)
    return {one: each.busbw for one, each in zip(collectives, predicted, strict=True)}


Jobs = Mapping[str, frozenset[str]]
"""The names of the nodes of each job, by the job's name."""


def names_of(plan: Plan, nodes: Iterable[Device]) -> frozenset[str]:
    """The names of nodes in the cable schedule."""
    return frozenset(
        device_names(plan, group)(number_of(plan.groups[group], at)) for group, at in nodes
    )


class Gating:
    """The jobs limited by degraded cables of a comparison.

    Parameters
    ----------
    compared : CablingComparison
        A dump against its plan.
    jobs : mapping of str to frozenset of str, optional
        The nodes of each job; without it only nodes are named.
    """

    def __init__(self, compared: CablingComparison, jobs: Jobs | None = None) -> None:
        self._devices = compared.plan.devices
        self._cables = compared.plan.cables
        self._jobs = jobs
        self._below: dict[str, frozenset[str]] = {}

    def of(self, one: CablingDifference) -> dict[str, object] | None:
        """The nodes and jobs that a degraded cable limits; None for any other difference.

        Returns
        -------
        dict or None
            ``nodes``: names; ``jobs``: ``with`` where a job with one of the nodes is gated,
            ``across`` where one with nodes among them and nodes elsewhere may be; ``named``: the
            jobs that are, where any were given.
        """
        if one.kind != "degraded" or not one.planned:
            return None
        ends = (one.planned[0].a.device, one.planned[0].z.device)
        hosts = [end for end in ends if self._is_host(end)]
        if hosts:
            nodes = frozenset(self._devices[key].name for key in hosts)
        else:
            nodes = min((self._hosts_below(end) for end in ends), key=len)
        found: dict[str, object] = {
            "jobs": "with" if hosts else "across",
            "nodes": sorted(nodes, key=natural),
        }
        if self._jobs is not None:
            found["named"] = [
                name
                for name, own in self._jobs.items()
                if own & nodes and (own - nodes or (hosts and len(own) > 1))
            ]
        return found

    def words(self, one: CablingDifference) -> str:
        """The effect of a degraded cable in a sentence; empty for any other difference."""
        found = self.of(one)
        if found is None:
            return ""
        nodes = found["nodes"]
        assert isinstance(nodes, list)
        if self._jobs is not None:
            named = found["named"]
            assert isinstance(named, list)
            return f"gates the rings of {', '.join(named)}" if named else "gates none of the jobs"
        if found["jobs"] == "with":
            return f"gates the rings of every job with {nodes[0]}"
        if not nodes:
            return "gates rings that cross between the switches below it"
        if len(nodes) == self._many_hosts:
            return "every node is below it: rings need not cross it, an all-to-all may"
        many = (
            nodes[0]
            if len(nodes) == 1
            else f"{nodes[0]} to {nodes[-1]} ({counted(len(nodes), 'node')})"
        )
        return f"gates rings of jobs that have nodes among {many} and elsewhere"

    def _is_host(self, key: str) -> bool:
        return self._devices[key].kind == "host"

    @cached_property
    def _many_hosts(self) -> int:
        return sum(device.kind == "host" for device in self._devices.values())

    @cached_property
    def _beside(self) -> dict[str, set[str]]:
        beside: dict[str, set[str]] = defaultdict(set)
        for cable in self._cables:
            beside[cable.a.device].add(cable.z.device)
            beside[cable.z.device].add(cable.a.device)
        return beside

    @cached_property
    def _tiers(self) -> dict[str, int]:
        """How many cables each device is from the nearest host."""
        tiers = {key: 0 for key in self._beside if self._is_host(key)}
        pending = list(tiers)
        for key in pending:
            for other in self._beside[key]:
                if other not in tiers:
                    tiers[other] = tiers[key] + 1
                    pending.append(other)
        return tiers

    def _hosts_below(self, key: str) -> frozenset[str]:
        """The names of the hosts that a switch reaches downwards."""
        if key not in self._below:
            tiers, found = self._tiers, set[str]()
            for other in self._beside[key]:
                if self._is_host(other):
                    found.add(self._devices[other].name)
                elif tiers.get(other, 0) < tiers.get(key, 0):
                    found |= self._hosts_below(other)
            self._below[key] = frozenset(found)
        return self._below[key]
