"""A service on its nodes: the largest decode batch that meets its targets, what none meets."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.findings.codes.code import Fact, Severity
from toposmith.findings.finding import Finding, at_block, found
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import ServingBlock, Workload
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.memory import RESERVED_BYTES
from toposmith.workloads.runnable import on_first_nodes
from toposmith.workloads.serving import MOST_SEQUENCES, Server, Service

_TIMES = (
    ("tpot_ms", "per output token", "tpot_s"),
    ("ttft_ms", "to the first token", "ttft_s"),
)
"""Targets in milliseconds: the key, what it is of, and the figure of a service."""

_RATES = (("requests_per_s", "requests"), ("tokens_per_s", "tokens"))
"""Targets per second: the key, which is that of the figure too, and what it counts."""


def best_service(server: Server) -> tuple[Service, list[Finding]]:
    """The service with the largest batch that meets the targets, and what is wrong with it.

    Where no batch meets all targets it is the largest that is quick enough, else the largest of
    which a token is, else a batch of 1. What a GPU does not hold has a finding that says so, and is
    checked against no target.
    """
    serving = server.serving
    if (asked := serving.decode_batch) is not None:
        chosen = server.service(asked)
        too_large = _too_large(server)
        return chosen, too_large or missed_targets(chosen, serving, server)
    if server.largest_batch < 1:
        return server.service(1), _too_large(server)
    wishes: tuple[Callable[[Service], bool], ...] = (
        lambda each: _quick(each, serving) and not _slow_rates(each, serving),
        lambda each: _quick(each, serving),
        lambda each: not _over(each.tpot_s, serving.wanted_ms("tpot_ms")),
    )
    largest = (_largest(server, wish) for wish in wishes)
    chosen = next((each for each in largest if each is not None), server.service(1))
    return chosen, missed_targets(chosen, serving, server)


def _largest(server: Server, meets: Callable[[Service], bool]) -> Service | None:
    """The service with the largest batch that meets something, which the next larger does not.

    Powers of two are tried first, then what is between the largest of them that does and the
    smallest above it that does not.
    """
    most = _most(server)
    sizes = [1 << power for power in range(MOST_SEQUENCES.bit_length())]
    tried = sorted({*(size for size in sizes if size < most), most})
    meeting = [at for at, size in enumerate(tried) if meets(server.service(size))]
    if not meeting:
        return None
    low = tried[meeting[-1]]
    high = tried[meeting[-1] + 1] if meeting[-1] + 1 < len(tried) else low + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if meets(server.service(middle)) else (low, middle)
    return server.service(low)


def _most(server: Server) -> int:
    """The largest batch that memory allows and that prompts can be read for in time."""
    largest = max(1, server.largest_batch)
    if not server.serving.disaggregated:
        return largest
    low, high = 0, largest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if server.service(middle).unfilled else (middle, high)
    return high


def _quick(service: Service, serving: ServingBlock) -> bool:
    """Whether a request is answered as quickly as is wanted."""
    return not any(
        _over(getattr(service, time), serving.wanted_ms(name)) for name, _, time in _TIMES
    )


def _over(time_s: float, wanted_ms: float | None) -> bool:
    return wanted_ms is not None and time_s * 1e3 > wanted_ms


def _slow_rates(service: Service, serving: ServingBlock) -> list[tuple[str, str]]:
    """Rates that a service does not reach: the key and what it counts."""
    return [
        (name, what)
        for name, what in _RATES
        if (wanted := getattr(serving, name)) is not None and getattr(service, name) < wanted
    ]


def _too_large(server: Server) -> list[Finding]:
    """A model that does not fit, or a batch that does not."""
    serving, model, largest = server.serving, server.model, server.largest_batch
    if largest < 1:
        need = server.weights_bytes + server.cache_bytes(1, serving.prompt + serving.output)
        room = server.gpu.memory_gb * 1e9 - RESERVED_BYTES
        more = server.copy_gpus
        while more < 1_000_000 and need * server.copy_gpus / more > room:
            more *= 2
        return [
            found(
                "does-not-fit",
                at_block("serving"),
                model=model.name,
                needs_GB=need / 1e9,
                room_GB=room / 1e9,
                gpus=server.copy_gpus,
                enough=more,
            )
        ]
    if serving.decode_batch is not None and serving.decode_batch > largest:
        place = at_block("serving.decode_batch")
        return [found("does-not-fit", place, sequences=serving.decode_batch, most=largest)]
    return []


def missed_targets(service: Service, serving: ServingBlock, server: Server) -> list[Finding]:
    """Targets that a service misses, each with the nearest that works."""
    missed = []
    for name, what, time in _TIMES:
        if _over(getattr(service, time), serving.wanted_ms(name)):
            values = _time_values(name, what, time, service, server)
            weight: Severity = "error" if serving.has_target else "warning"
            missed.append(found("target-missed", at_block(f"serving.{name}"), weight, **values))
    for name, what in _slow_rates(service, serving):
        values = _rate_values(name, what, service, server)
        missed.append(found("target-missed", at_block(f"serving.{name}"), **values))
    return missed


def _time_values(
    name: str, what: str, time: str, service: Service, server: Server
) -> dict[str, Fact]:
    """How long users wait, and the batch with which they wait no longer than is wanted."""
    wanted = server.serving.wanted_ms(name)
    met = _largest(server, lambda each: not _over(getattr(each, time), wanted))
    asked: dict[str, Fact] = {"time_is": what, "wanted_ms": wanted or 0.0}
    if not server.serving.has_target:
        asked["assumed"] = True
    if met is None:
        quickest = _rounded_up(getattr(server.service(1), time) * 1e3)
        return {**asked, "quickest_ms": quickest}
    given = getattr(service, time) * 1e3
    return {**asked, "batch": service.batch, "given_ms": given, "met_by_batch": met.batch}


def _rate_values(name: str, what: str, service: Service, server: Server) -> dict[str, Fact]:
    """What a service gives of a rate, and what would reach it."""
    wanted, given = getattr(server.serving, name), getattr(service, name)
    copies = ceil(service.copies * wanted / given)
    gpus = ceil((service.copies + _apart(service, server)) * wanted / given) * server.copy_gpus
    values: dict[str, Fact] = {
        "rate_of": what,
        "wanted_per_s": wanted,
        "given_per_s": _rounded_down(given),
        "batch": service.batch,
        "copies": service.copies,
        "copies_needed": copies,
        "gpus_needed": gpus,
    }
    below = _largest(server, lambda each: getattr(each, name) < wanted)
    if below is not None and below.batch < _most(server):
        enough = server.service(below.batch + 1)
        values |= {"met_by_batch": enough.batch, "met_at_tpot_ms": enough.tpot_s * 1e3}
    return values


def _apart(service: Service, server: Server) -> int:
    """Copies that only read prompts."""
    return service.prefill_copies if server.serving.disaggregated else 0


def _rounded_up(value: float) -> float:
    """Three digits that count, never less than the value."""
    rounded = float(f"{value:.3g}")
    return rounded if rounded >= value else float(f"{value * 1.005:.3g}")


def _rounded_down(value: float) -> float:
    """Three digits that count, never more than the value."""
    rounded = float(f"{value:.3g}")
    return rounded if rounded <= value else float(f"{value * 0.995:.3g}")


def times_on(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None, nodes: int
) -> CollectiveTimes:
    """Predictions on the first so many nodes of a design."""
    part = on_first_nodes(plan, nodes)
    return CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)


def server_of(
    plan: Plan,
    catalog: Catalog,
    workload: Workload,
    request: Request | None,
    gpus: int,
    per_node: int,
) -> Server:
    """The cluster as one service: its copies, on as many nodes as these fill."""
    assert workload.serving is not None
    split = ParallelSizes(workload.layout, 1)
    copy = max(split.tp * split.pp, split.ep)
    nodes = gpus // per_node
    if copy > per_node:
        nodes -= nodes % (copy // per_node)
    if workload.serving.disaggregated and nodes > 1:
        nodes -= nodes % 2
    times = times_on(plan, catalog, workload, request, nodes)
    gpu = accelerator(times.plan, catalog)
    return Server(workload.placed_model, split, workload.serving, gpu, times)
