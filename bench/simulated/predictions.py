"""What the program predicts of the same fabrics: the fabric alone, without NCCL and protocols."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bench.simulated.results import Fabric, Result
from toposmith.analysis.analyse import Questions
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.request import Collective, Request, Routing, RoutingMode
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

COLLECTIVES: dict[str, Collective] = {"ring": "all_reduce", "all_to_all": "all_to_all"}


@dataclass(frozen=True)
class Predicted:
    """Shares of one traffic on one fabric.

    Parameters
    ----------
    ideal : float
        What the fullest link leaves of the NICs' rate, with even shares of all shortest paths.
    share : float
        What the routing is predicted to reach of that.
    """

    ideal: float
    share: float


@cache
def parts() -> Catalog:
    """The catalog."""
    return load_catalog()


@cache
def planned(fabric: Fabric) -> Plan:
    """The fabric as a planned design."""
    return plan_design(parse_design(fabric.design, fabric.name), parts())


def predicted(result: Result) -> Predicted | None:
    """The predicted shares, or None where the program knows no such traffic (incasts)."""
    if result.traffic not in COLLECTIVES:
        return None
    fabric, nics = _allowed(result, Routing())
    mode: RoutingMode = "static" if result.routing == "static" else "adaptive"
    under, _ = _allowed(result, Routing(mode, result.queue_pairs))
    return Predicted(fabric / nics, under / fabric)


def _allowed(result: Result, routing: Routing) -> tuple[float, float]:
    """The algbw that the links leave, of all of the fabric and of the NICs' own, GB/s."""
    plan = planned(result.fabric)
    request = Request(
        collective=COLLECTIVES[result.traffic],
        job=Job(placement=result.placement),  # type: ignore[arg-type]
        routing=routing,
    )
    question = Questions(plan, parts()).of(request)
    assert question.predictor is not None, f"{result.fabric.name} has no prediction"
    demands = question.predictor.demands("ring" if result.traffic == "ring" else None)
    fabric = [demand for demand in demands if demand.index is not None]
    nics = {link.index for link in plan.links if link.a.ports or link.b.ports}
    at_nics = (demand.allows for demand in fabric if demand.index in nics)
    return min(demand.allows for demand in fabric), min(at_nics)
