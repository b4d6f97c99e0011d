"""The decode batch of a service: the largest that meets its targets, and what none meets."""

from __future__ import annotations

from topology.workloads.block import ServingBlock
from topology.workloads.fault import WorkloadError
from topology.workloads.memory import RESERVED_BYTES
from topology.workloads.model import Model
from topology.workloads.serving import MOST_SEQUENCES, Server, Service
from topology.workloads.splitting import Split


def serving_problems(
    model: Model, split: Split, serving: ServingBlock, server: Server
) -> list[str]:
    """What makes a service impossible: a model that does not fit, or a batch too large."""
    largest = server.largest_batch
    if largest < 1:
        need = server.weights_bytes + server.cache_bytes(1, serving.prompt + serving.output)
        room = server.gpu.memory_gb * 1e9 - RESERVED_BYTES
        more = server.copy_gpus
        while more < 1_000_000 and need * server.copy_gpus / more > room:
            more *= 2
        return [
            f"serving: {model.name or 'the model'} takes {need / 1e9:,.0f} GB on each of "
            f"{server.copy_gpus} GPUs, which have {room / 1e9:,.0f} free; tp x pp = {more} works"
        ]
    if serving.decode_batch is not None and serving.decode_batch > largest:
        return [
            f"serving.decode_batch: the caches of {serving.decode_batch:,} sequences do not fit; "
            f"{largest:,} works"
        ]
    return []


def best_service(server: Server) -> tuple[Service, list[str]]:
    """The service with the largest batch that meets the targets, and what none of them meets.

    Raises
    ------
    WorkloadError
        If the model does not fit.
    """
    serving = server.serving
    if problems := serving_problems(server.model, server.split, serving, server):
        raise WorkloadError(problems)
    if serving.decode_batch is not None:
        chosen = server.service(serving.decode_batch)
        return chosen, missed_targets(chosen, serving, server)
    sizes = [1 << power for power in range(MOST_SEQUENCES.bit_length())]
    tried = sorted({*(size for size in sizes if size < server.largest_batch), server.largest_batch})
    services = [server.service(batch) for batch in tried]
    quick = [each for each in services if not _too_slow(each, serving)]
    chosen = quick[-1] if quick else services[0]
    return chosen, missed_targets(chosen, serving, server)


def _too_slow(service: Service, serving: ServingBlock) -> bool:
    return serving.tpot_ms is not None and service.tpot_s * 1e3 > serving.tpot_ms


def missed_targets(service: Service, serving: ServingBlock, server: Server) -> list[str]:
    """Targets that a service misses, each with the nearest that works."""
    missed = []
    if serving.tpot_ms is not None and service.tpot_s * 1e3 > serving.tpot_ms:
        quickest = server.service(1).tpot_s * 1e3
        none = quickest > serving.tpot_ms
        what = "no batch meets" if none else f"a batch of {service.batch:,} misses"
        words = f"{quickest:.3g} ms at a batch of 1 works"
        missed.append(f"serving.tpot_ms: {what} {serving.tpot_ms:g} ms per token; {words}")
    if serving.ttft_ms is not None and service.ttft_s * 1e3 > serving.ttft_ms:
        missed.append(
            f"serving.ttft_ms: the first token of {serving.prompt:,} takes "
            f"{service.ttft_s * 1e3:.4g} ms, not {serving.ttft_ms:g}; that many work"
        )
    for name, wanted, given in (
        ("requests_per_s", serving.requests_per_s, service.requests_per_s),
        ("tokens_per_s", serving.tokens_per_s, service.tokens_per_s),
    ):
        if wanted is not None and given < wanted:
            missed.append(
                f"serving.{name}: a batch of {service.batch:,} on {service.copies:,} copies gives "
                f"{_rounded_down(given):,.6g}, not {wanted:,.10g}; that many work"
            )
    return missed


def _rounded_down(value: float) -> float:
    """Three digits that count, never more than the value."""
    rounded = float(f"{value:.3g}")
    return rounded if rounded <= value else float(f"{value * 0.995:.3g}")
