"""What is known of a workload on a design as plain data, under stable keys (docs/workloads.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toposmith.findings.finding import Finding
from toposmith.labels import as_data as label_data
from toposmith.workloads.assess import Assessment
from toposmith.workloads.communications import CommunicationTime
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.goodput import Goodput, Stops
from toposmith.workloads.layout_search import Ranked, Ranking
from toposmith.workloads.memory import Held
from toposmith.workloads.required_bandwidth import NIC_GBPS, RequiredBandwidth
from toposmith.workloads.serving import Pass, Service
from toposmith.workloads.step_band import StepBand
from toposmith.workloads.steps_over_gpus import StepsOverGpus
from toposmith.workloads.storage_demand import StorageNeed
from toposmith.workloads.training import TrainingStep, timeline
from toposmith.workloads.volumes import textbook_tensor_GBps
from toposmith.workloads.workload_assumptions import assumed_of, service_words, step_words
from toposmith.workloads.workload_in_words import verdict_words, waits_of_each

_STEP = (
    *("step_s", "forward_s", "backward_s", "optimiser_s", "slowed_s", "bubble_s", "exposed_s"),
    *("hidden_s", "micro_batches", "mfu", "mfu_with_scores", "tokens_per_s"),
)


def assessment_data(found: Assessment) -> dict[str, Any]:
    """A whole assessment."""
    model = found.workload.model
    return {
        "toposmith": 1,
        "verdict": verdict_words(found),
        "design": found.design,
        "gpus": found.gpus,
        "gpu": found.gpu.name,
        "model": {
            "name": model.name,
            "parameters": model.parameters,
            "active_parameters": model.active_parameters,
            "source": model.source,
        },
        "layout": split_data(found.split),
        "training": None if found.step is None else step_data(found, found.step),
        "serving": None if found.service is None else service_data(found, found.service),
        "storage": None if found.storage is None else storage_data(found.storage),
        "goodput": None if found.goodput is None else goodput_data(found.goodput),
        "findings": findings_data(found.findings),
        "labels": {
            "rates": label_data(found.rates_label),
            "times": label_data(found.times_label),
        },
        "assumptions": {one.id: one.words for one in assumed_of(found)},
    }


def findings_data(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """What should be known of figures; ``waived`` where it was."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity,
            "where": finding.where,
            "text": finding.text,
            **({"waived": finding.waived.as_data()} if finding.waived else {}),
        }
        for finding in findings
    ]


def split_data(split: ParallelSizes) -> dict[str, Any]:
    """A layout."""
    return {
        **_read(split, "tp", "cp", "dp", "pp", "ep", "expert_tp"),
        **_read(split.block, "zero", "sequence_parallel", "micro_batch", "interleave"),
        **_read(
            split.block,
            "uneven_stages",
            "recompute",
            "recompute_layers",
            "offload",
            "shard",
            "order",
            "overlap",
        ),
        "gpus": split.gpus,
    }


def step_data(found: Assessment, step: TrainingStep) -> dict[str, Any]:
    """A training step; where a GPU does not hold it, what it would take if it did."""
    training = found.workload.training
    blamed = step.blamed
    days = step.days(training.tokens) if training is not None and training.tokens else None
    return {
        **_read(step, *_STEP),
        "days": _rounded(days),
        "bound_by": step.bound_by,
        "blamed": None if blamed is None else blamed.what,
        "blamed_link": None if blamed is None else blamed.link,
        "textbook_tensor_GBps": _rounded(textbook_GBps(found)),
        "step_is": step_words(found.times_label, found.gpu, found.workload.training),
        "band": band_data(found.step_band),
        "waits": [
            {"dimension": name, "exposed_s": _rounded(exposed_s), "verdict": verdict}
            for name, exposed_s, verdict in waits_of_each(step)
        ],
        "communication": [communication_data(each, step.step_s) for each in step.communication],
        "memory": memory_data(step.held),
        "timeline": [
            _read(segment, "lane", "state", "label", "start_s", "end_s")
            for segment in timeline(step)
        ],
    }


def textbook_GBps(found: Assessment) -> float | None:
    """The simple estimate for tensor parallelism, GB/s per GPU; None without any."""
    step, model = found.step, found.workload.model
    if step is None or step.split.tp == 1:
        return None
    # a GPU holds the stage's weights, and passes them forward and backward for each micro-batch
    weights = 2 * model.active_parameters / step.split.pp
    return textbook_tensor_GBps(weights, step.split.tp, 2 * step.micro_batches / step.step_s)


def required_data(found: RequiredBandwidth) -> dict[str, Any]:
    """The exercise of required bandwidth for one group and size."""
    asked = found.exchange
    return {
        **_read(asked, "of", "target"),
        "ranks": found.ranks,
        **_read(asked, "message_bytes", "per_second"),
        **_read(found, "groups", "nodes", "inside_node"),
        "lines": [
            {
                "rule": line.rule.name,
                "formula": line.rule.formula,
                "needed_GBps": _rounded(line.needed_GBps),
                "line_rate_GBps": _rounded(line.line_rate.value),
                "line_rate_is": label_data(line.line_rate.label),
                "predicted_GBps": _rounded(line.predicted.value),
                "predicted_is": label_data(line.predicted.label),
                **_read(line, "verdict", "margin", "limited_by", "link"),
                "nics_a_node": {need.nic: need.count for need in line.nics},
                "gpu_GBps": _rounded(line.gpu_GBps),
            }
            for line in found.lines
        ],
        "nic_GBps": {
            name: {
                "one_a_node": _rounded(found.at_line_rate(rate, 1)),
                "one_a_gpu": _rounded(found.at_line_rate(rate, found.gpus_of_node)),
            }
            for name, rate in (() if found.inside_node else NIC_GBPS)
        },
    }


def communication_data(each: CommunicationTime, step_s: float) -> dict[str, Any]:
    """One communication of such a step with what it needs and gets."""
    return {
        **_read(each, "what", "dimension", "collective"),
        "communicator": each.layout,
        "group": each.dimension,
        **_read(each, "ranks", "groups", "nodes"),
        "message_bytes": round(each.message_bytes),
        "count": each.count,
        "wire_bytes": round(each.wire_bytes),
        **_read(each, "time_us", "total_s", "hidden_s", "exposed_s", "window_s", "busbw_GBps"),
        **_read(each, "needed_GBps", "margin", "satisfied", "overlaps", "algorithm"),
        **_read(each, "limited_by", "link"),
        "busbw_is": each.label.kind,
        "verdict": each.verdict(step_s),
    }


def memory_data(held: Held) -> dict[str, Any]:
    """What a GPU holds, bytes."""
    memory = held.use
    return {
        "weights_bytes": round(memory.weights),
        "gradients_bytes": round(memory.gradients),
        "optimiser_bytes": round(memory.optimiser),
        "activations_bytes": round(memory.activations),
        "kv_cache_bytes": round(memory.kv_cache),
        "total_bytes": round(memory.total),
        "taken_bytes": round(held.taken),
        "gpu_bytes": round(held.gpu_gb * 1e9),
        "over_bytes": max(0, round(memory.total - held.gpu_gb * 1e9)),
        "fits": held.fits,
    }


def band_data(band: StepBand | None) -> dict[str, Any] | None:
    """Published runs around the rates of a step, inverse for times; None without a band."""
    if band is None:
        return None
    return {
        **_read(band, "low", "high"),
        "median": band.middle,
        **_read(band, "kind", "runs"),
        "systems": len(band.names),
        **_read(band, "names", "held_out", "supports_8_of_10"),
    }


def service_data(found: Assessment, service: Service) -> dict[str, Any]:
    """A service; where a GPU does not hold it, what it would give if it did."""
    return {
        **_read(service, "copies", "prefill_copies", "batch", "largest_batch", "tpot_s"),
        "decode_s": _rounded(service.decode.total_s),
        **_read(service, "reading_s", "ttft_s", "tokens_per_s", "requests_per_s"),
        **_read(service, "requests_in_flight", "request_s"),
        "prompt_kv_bytes": round(service.kv_bytes),
        **_read(service, "kv_precision", "kv_transfer_s"),
        "decode": pass_data(service.decode),
        "prefill": pass_data(service.prefill),
        "service_is": service_words(found.times_label, found.gpu, found.workload.serving),
        "memory": memory_data(service.held),
    }


def pass_data(one: Pass) -> dict[str, Any]:
    """A pass through the model."""
    return {
        **_read(one, "compute_s", "tensor_s", "expert_s", "pipeline_s", "collectives"),
        "message_bytes": round(one.message_bytes),
        **_read(one, "collective_us", "limited_by"),
    }


def storage_data(need: StorageNeed) -> dict[str, Any]:
    """What storage has to give."""
    found = need.found
    return {
        "found": None if found is None else found.where,
        "read_GBps": _rounded(found.read_GBps) if found else None,
        "write_GBps": _rounded(found.write_GBps) if found else None,
        "opens_per_s": _rounded(found.opens_per_s) if found else None,
        "fabric_GBps": _rounded(found.fabric.GBps) if found and found.fabric else None,
        "limited_by": list(found.limited_by) if found else [],
        **_read(need, "loading_GBps", "opening_per_s"),
        "checkpoint_bytes": round(need.checkpoint_bytes),
        **_read(need, "checkpoint_s", "restart_s"),
        **_read(need, "targets_read_GBps", "targets_write_GBps"),
        **_read(need, "read_level", "write_level", "node_GBps"),
    }


def goodput_data(found: Goodput) -> dict[str, Any]:
    """The share of a month that trains, and what the rest is lost to."""
    return {
        "share": _rounded(found.lost.trained),
        **_read(found, "low", "high", "knows_storage", "mtbf_h", "interval_s", "restart_s"),
        **_read(found, "spare_nodes"),
        "lost": _read(found.lost, "writing", "again", "restarting", "waiting"),
        "stops": stops_data(found.stops),
    }


def stops_data(found: Stops) -> dict[str, Any]:
    """How often a job stops, by kind of part."""
    parts = [_read(each, "part", "count", "per_day", "away") for each in found.parts]
    return {**_read(found, "per_day", "nodes_away", "of_single_ways"), "parts": parts}


def over_gpus_data(found: StepsOverGpus) -> dict[str, Any]:
    """The step on ever more GPUs."""
    return {
        "toposmith": 1,
        "verdict": found.words,
        "batch_held": found.batch_held,
        "sizes": [
            {
                "gpus": step.split.gpus,
                "batch": step.batch,
                **_read(step, "step_s", "tokens_per_s", "exposed_s", "bubble_s", "fits"),
                "of_even_growth": _rounded(found.of_even_growth(step)),
                "network_share": _rounded(step.exposed_share(inside_node=False)),
                "inside_share": _rounded(step.exposed_share(inside_node=True)),
                "blamed": None if step.blamed is None else step.blamed.what,
                "blamed_link": None if step.blamed is None else step.blamed.link,
            }
            for step in found.steps
        ],
    }


def ranking_data(ranking: Ranking, most: int) -> dict[str, Any]:
    """The first layouts of a search."""
    return {
        "toposmith": 1,
        "looked_at": ranking.looked_at,
        "complete": ranking.complete,
        "step_is": step_words(ranking.times_label, ranking.gpu, ranking.training),
        "findings": findings_data(ranking.findings),
        "layouts": [ranked_data(each) for each in ranking.layouts[:most]],
    }


def ranked_data(each: Ranked) -> dict[str, Any]:
    """A layout with its step; ``fits`` says whether GPUs hold it."""
    step = each.step
    return {
        "layout": split_data(each.split),
        "step_s": _rounded(step.step_s),
        "step_label": step.times_label.kind,
        **_read(step, "mfu", "exposed_s", "bubble_s"),
        "memory_bytes": round(step.held.use.total),
        "fits": step.fits,
        "pareto": each.pareto,
    }


def _read(of: object, *names: str) -> dict[str, Any]:
    """Attributes of a value under their own names, as JSON has them."""
    return {name: _plain(getattr(of, name)) for name in names}


def _plain(value: Any) -> Any:
    """A figure rounded, of a tuple each; anything else as it is."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return _rounded(value) if isinstance(value, float) else value


def _rounded(figure: float | None) -> float | None:
    """Nine digits that count; None for what has no end, which JSON cannot write."""
    if figure is None or figure in (float("inf"), float("-inf")):
        return None
    return float(f"{figure:.9g}")
