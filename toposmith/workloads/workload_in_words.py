"""Figures of a workload in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.text import (
    UNKNOWN,
    bandwidth,
    counted,
    duration,
    joined,
    message_size,
    number,
    percent,
    signed_percent,
)
from toposmith.workloads.required_bandwidth import NIC_GBPS
from toposmith.workloads.step_band import STACK_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposmith.labels import Label
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.block import ServingBlock
    from toposmith.workloads.communications import CommunicationTime, TargetVerdict
    from toposmith.workloads.goodput import Goodput, Stops
    from toposmith.workloads.memory import Held
    from toposmith.workloads.required_bandwidth import (
        RequiredBandwidth,
        RequiredLine,
    )
    from toposmith.workloads.serving import Pass, Service
    from toposmith.workloads.step_band import StepBand
    from toposmith.workloads.storage_demand import StorageFound, StorageNeed
    from toposmith.workloads.training import TrainingStep

RULE_OF_THUMB = "the rule of thumb (weights of a stage / tp, once a pass; no activations)"
"""What is shown beside the bytes of tensor parallelism, because buyers know it."""


def allocator_words(held: Held) -> str:
    """What the driver shows as taken, which is more than a workload needs."""
    taken = number(held.taken / 1e9)
    return (
        f"the driver would show about {taken} GB taken: PyTorch's allocator keeps what it may need "
        "again"
    )


def verdict_words(found: Assessment) -> str:
    """What the design does for the workload, in one sentence."""
    said = []
    if found.step is not None:
        said.append(_trains(found, found.step))
    if found.service is not None:
        said.append(_serves(found, found.service))
    return "; ".join(said)


def _trains(found: Assessment, step: TrainingStep) -> str:
    rate = found.rates_label.marked(f"{step.tokens_per_s:,.0f} tokens/s")
    taken = f"{rate} on {found.split.gpus:,} of {found.gpus:,} GPUs, {_waits(step)}"
    if not step.fits:
        return f"does not fit: {over_words(step.held)}; if it did, it would train at {taken}"
    missed = "misses its target: " if _misses(found, "training") else ""
    return f"{missed}trains at {taken}"


def over_words(held: Held) -> str:
    """How much more a GPU would hold than it can."""
    use, gpu_gb = held.use.total / 1e9, held.gpu_gb
    return f"{number(use)} GB on a GPU of {number(gpu_gb)}, {number(use - gpu_gb)} over"


def _misses(found: Assessment, side: str) -> bool:
    """Whether a target of training or serving is missed."""
    return any(one.code == "target-missed" and one.where.startswith(side) for one in found.findings)


def _waits(step: TrainingStep) -> str:
    """What the step waits for between nodes and inside them, and for what most, which is first."""
    said: list[str] = []
    some = (each for each in step.communication if each.exposed_s > 0)
    for worst in sorted(some, key=lambda each: -each.exposed_s):
        where = "inside nodes" if worst.inside_node else "for the network"
        if any(where in one for one in said):
            continue
        share = step.exposed_share(inside_node=worst.inside_node)
        over = "" if worst.inside_node else f" over {worst.link or worst.fullest}"
        waits = "" if said else " of the step waits"
        first = step.dimension_of(worst)
        said.append(f"{percent(share)}{waits} {where} ({first}{over} first)")
    return ", ".join(said) or "waiting for no communication"


def waits_of_each(step: TrainingStep) -> list[tuple[str, float, TargetVerdict]]:
    """By dimension the seconds that the step waits for it, and whether they count."""
    waits: dict[str, CommunicationTime] = {}
    for each in step.communication:
        held = waits.get(each.dimension)
        exposed_s = each.exposed_s + (held.exposed_s if held is not None else 0.0)
        waits[each.dimension] = replace(each, exposed_s=exposed_s)
    return [(name, each.exposed_s, each.verdict(step.step_s)) for name, each in waits.items()]


def _serves(found: Assessment, service: Service) -> str:
    rate = found.rates_label.marked(f"{service.tokens_per_s:,.0f} tokens/s")
    time = found.times_label.marked
    gives = (
        f"{rate}, the first token after {time(duration(service.ttft_s))}, "
        f"{time(duration(service.tpot_s))} a token"
    )
    if not service.fits:
        return f"does not fit: {over_words(service.held)}; if it did, it would serve {gives}"
    asked = found.workload.serving
    targets = _targets(asked) if asked is not None else ""
    if _misses(found, "serving"):
        as_asked = "as asked" if asked is not None and asked.has_target else "to readers"
        return f"does not serve it {as_asked}{targets}: {gives}"
    return f"serves it{targets}: {gives}"


def _targets(asked: ServingBlock) -> str:
    """What a service is held against: `` (wanted: 50.0 ms a token)``."""
    said = [
        f"{duration(wanted / 1e3)} {what}"
        for name, what in (("ttft_ms", "to the first token"), ("tpot_ms", "a token"))
        if (wanted := asked.wanted_ms(name)) is not None
    ]
    rates = ((asked.requests_per_s, "requests/s"), (asked.tokens_per_s, "tokens/s"))
    said += [f"{number(wanted)} {what}" for wanted, what in rates if wanted is not None]
    if not said:
        return ""
    assumed = "" if asked.has_target else ", assumed"
    return f" (wanted: {joined(said, 'and')}{assumed})"


def exposed_words(exposed_s: float, step_s: float) -> str:
    """What a step waits, with its share: ``129 ms, 3 %``."""
    return f"{duration(exposed_s)}, {percent(exposed_s / step_s)}"


def needed_words(each: CommunicationTime) -> str:
    """The bandwidth that it needs; no bandwidth helps where others have all the compute."""
    return bandwidth(each.needed_GBps) if each.window_s else "no compute left"


def margin_words(each: CommunicationTime) -> str:
    """By how much more or less is given than is needed; unknown where the figure does not tell."""
    if each.label.kind == ("at most" if each.satisfied else "at least"):
        return UNKNOWN
    if each.margin >= 100:
        return ">+9,999 %"
    return each.label.marked(signed_percent(each.margin))


def band_words(band: StepBand) -> str:
    """Where the rates of published runs fell, and what that rests on."""
    low, high, middle = (signed_percent(each) for each in (band.low, band.high, band.middle))
    rests = f"{counted(band.runs, 'run')} of {counted(len(band.names), 'system')}"
    if band.supports_8_of_10:
        rests = f"8 of 10 of them; {rests}"
    elif band.is_span:
        rests = f"all public results found, no share of what others reach; {rests}"
    return (
        f"published runs of {band.kind}: {low} to {high} of the predicted rate, half of them "
        f"below {middle} ({rests})"
    )


def compared_words(found: Assessment) -> str:
    """Where published runs fell, or that too few are known; empty where none are looked for."""
    band, training = found.step_band, found.workload.training
    if band is not None:
        return f"in brackets: {band_words(band)}"
    if training is None or not found.asks_for_band:
        return ""
    if found.workload.model.experts is not None:
        return "published runs of mixtures of experts scatter too far for a range"
    kind = f"dense models, {STACK_NAMES[training.stack]}, {found.gpu.name}"
    return f"how far published runs fell from this is unknown: too few of {kind}"


def with_times(time_s: float, label: Label, band: StepBand | None) -> str:
    """A time with where published runs fell around it: ``12.3 s (11.2 s to 14.1 s)``."""
    shown = label.marked(duration(time_s))
    if band is None:
        return shown
    low, high = band.times(time_s)
    return f"{shown} ({duration(low)} to {duration(high)})"


def with_rates(
    rate: float, label: Label, band: StepBand | None, say: Callable[[float], str]
) -> str:
    """A rate with where published runs fell around it."""
    shown = label.marked(say(rate))
    if band is None:
        return shown
    low, high = band.rates(rate)
    return f"{shown} ({say(low)} to {say(high)})"


def days_words(days: float, tokens: float, label: Label, band: StepBand | None) -> str:
    """How long a run takes, with where published runs fell around it."""
    shown = f"{label.marked(number(days))} for {tokens:.3g} tokens"
    if band is None:
        return shown
    low, high = band.times(days)
    return f"{shown} ({number(low)} to {number(high)})"


def service_rows(found: Assessment, service: Service) -> list[tuple[str, str]]:
    """What a service gives, its copies and its passes."""
    rate, time = found.rates_label.marked, found.times_label.marked
    unfilled = "; prompts are read too slowly to fill it" if service.unfilled else ""
    batch = f"a copy; memory allows {service.largest_batch:,}{unfilled}"
    under_way = f"{service.requests_in_flight:,.0f} requests of {duration(service.request_s)} each"
    dense = found.workload.model.experts is None
    apart = service.prefill_copies != service.copies or service.kv_transfer_s
    rows = (
        ("copies of the model", f"{service.copies:,}"),
        ("copies that read prompts", f"{service.prefill_copies:,}" if apart else ""),
        ("decode batch", f"{counted(service.batch, 'sequence')} {batch}"),
        ("time to first token", time(duration(service.ttft_s))),
        ("time per output token", time(_token_words(service))),
        ("tokens", f"{rate(f'{service.tokens_per_s:,.0f}')} per second"),
        ("requests", f"{rate(number(service.requests_per_s))} per second"),
        ("in flight", f"{under_way} (Little's law)"),
        ("cache of a prompt", f"{number(service.kv_bytes / 1e9)} GB, {service.kv_precision}"),
        ("cache transfer", duration(service.kv_transfer_s) if apart else ""),
        ("how far off", SERVED_OFF if dense else "unknown: few mixtures were published"),
        ("decode", _pass_words(service.decode)),
        ("prefill", _pass_words(service.prefill)),
    )
    return [(name, words) for name, words in rows if words]


SERVED_OFF = (
    "rates of 60 published services (dense, fp8, TensorRT-LLM on H100 and H200): from 19 % too low "
    "to 21 % too high with an fp8 cache, 32 % too low with bf16"
)
"""How far predicted rates were from published ones (tests/workloads/test_published_serving.py)."""


def _token_words(service: Service) -> str:
    """How long users wait for an output token, and what of it is decoding."""
    shown = duration(service.tpot_s)
    if not service.reading_s:
        return shown
    decode, reading = duration(service.decode.total_s), duration(service.reading_s)
    return f"{shown}: decode {decode}, prompts of others read in between {reading}"


def _pass_words(one: Pass) -> str:
    words = f"compute {duration(one.compute_s)}, communication {duration(one.communication_s)}"
    if not one.collectives:
        return words
    size = f"{one.message_bytes / 1024:,.0f} KiB at {duration(one.collective_us * 1e-6)}"
    return f"{words}: {one.collectives:,} all-reduces of {size}, limited by {one.limited_by}"


def held_words(held: Held) -> str:
    """What the memory of a GPU holds, part by part."""
    memory = held.use
    parts = {
        "weights": memory.weights,
        "gradients": memory.gradients,
        "optimiser": memory.optimiser,
        "activations": memory.activations,
        "KV cache": memory.kv_cache,
    }
    return ", ".join(f"{name} {number(size / 1e9)} GB" for name, size in parts.items() if size)


INSIDE_NODE = "inside one node: NICs do not count, its own links do"


def exchange_words(found: RequiredBandwidth) -> str:
    """M, r and N of the exercise."""
    asked = found.exchange
    rate = number(asked.per_second)
    where = f" ({asked.target})" if asked.target else ""
    size = _size_words(asked.message_bytes)
    return f"{asked.of}: M = {size}, r = {rate} a second{where}, N = {counted(found.ranks, 'rank')}"


def _size_words(size: float) -> str:
    """Bytes as they were given; of a model in GB."""
    whole = round(size)
    if whole >= 10**9 and whole % 2**20 and whole % 10**9:
        return f"{number(size / 1e9)} GB"
    return message_size(whole)


def groups_words(found: RequiredBandwidth) -> str:
    """How the groups lie in the nodes."""
    if found.inside_node:
        return f"{counted(found.groups, 'group')} at once, each {INSIDE_NODE}"
    each = f"{counted(found.members, 'rank')} on each of {counted(found.nodes, 'node')}"
    share = f"{counted(found.sharing, 'group')} on a node" if found.sharing > 1 else "alone there"
    return f"{counted(found.groups, 'group')} at once, each with {each}, {share}"


def required_verdict_words(found: tuple[RequiredBandwidth, ...]) -> str:
    """Whether groups get what they ask for, by what is nearest to lacking; empty without any."""
    lines = [line for each in found for line in each.lines]
    if not lines:
        return ""
    unmet = (line for line in lines if line.verdict != "met")
    least = min(lines, key=lambda line: (line.verdict == "met", line.margin or 0.0))
    gives = "gives what is asked" if next(unmet, None) is None else "does not give it"
    if least.verdict == "unknown":
        gives = "unknown whether it gives what is asked"
    return (
        f"{gives}: {least.rule.words} needs {bandwidth(least.needed_GBps)} per GPU, predicted "
        f"{least.predicted.words}, {required_margin_words(least)}, limited by {least.holds}"
    )


def required_margin_words(line: RequiredLine) -> str:
    """What the prediction leaves of the need."""
    if line.margin is None:
        return UNKNOWN
    if line.margin >= 100:
        return ">+9,999 %"
    return line.predicted.label.marked(signed_percent(line.margin))


def nics_words(line: RequiredLine) -> str:
    """How many NICs of each kind a node needs: ``2 x 100GbE, 1 x 200GbE or HDR``.

    Where the links of a GPU take in less, that no NIC would do.
    """
    if line.beyond_gpu:
        most = bandwidth(line.gpu_GBps)
        return f"no NIC would do: the links of a GPU inside its node carry {most} at most"
    by_count: dict[int, list[str]] = {}
    for need in line.nics:
        by_count.setdefault(need.count, []).append(need.nic)
    return ", ".join(f"{count:,} x {joined(kinds, 'or')}" for count, kinds in by_count.items())


def nic_rates_words(found: RequiredBandwidth, nics: int) -> str:
    """What so many NICs a node give each GPU at line rate, by kind."""
    rates = (f"{nic} {found.at_line_rate(rate, nics):.3g}" for nic, rate in NIC_GBPS)
    return f"{counted(nics, 'NIC')} a node: {', '.join(rates)} GB/s"


def opening_words(need: StorageNeed) -> str:
    """Files that loading opens a second beside what storage does; empty where it opens none."""
    if not need.opening_per_s or need.found is None:
        return ""
    opens = need.found.opens_per_s
    given = UNKNOWN if opens is None else f"{opens:,.0f}"
    return f"{need.opening_per_s:,.0f} to open a second, {given} can be"


def storage_rows(need: StorageNeed) -> list[tuple[str, str]]:
    """What storage gives, and what a run asks of it."""
    found = need.found
    assert found is not None
    reads, writes = (
        " / ".join(number(each) for each in wanted)
        for wanted in (need.targets_read_GBps, need.targets_write_GBps)
    )
    size = number(need.checkpoint_bytes / 1e9)
    checkpoint = f"{duration(need.checkpoint_s)} to write, {duration(need.restart_s)} to read"
    gives = f"reads {bandwidth(found.read_GBps)}, writes {bandwidth(found.write_GBps)}"
    fabric = found.fabric
    rows = (
        ("storage", f"{found.where}: {gives}"),
        ("storage fabric", f"{bandwidth(fabric.GBps)}{_slower_links(found)}" if fabric else ""),
        ("loading", f"{bandwidth(need.loading_GBps)} needed"),
        ("files", opening_words(need)),
        ("checkpoint", f"{size} GB, {checkpoint}"),
        ("read target", f"{reads} GB/s good / better / best: {need.read_level or UNKNOWN}"),
        ("write target", f"{writes} GB/s: {need.write_level or UNKNOWN}"),
        ("a node's storage ports", bandwidth(need.node_GBps)),
    )
    return [(name, words) for name, words in rows if words]


def _slower_links(found: StorageFound) -> str:
    """Links that are slower than the storage's reads."""
    links = " + ".join(found.limited_by)
    return f", less than the storage: {links}" if links else ", more than the storage"


def stops_words(found: Stops) -> str:
    """How often a job stops, and by what: ``every 3.23 h (GPU 67 %, ...)``."""
    ranked = sorted(found.parts, key=lambda each: -each.per_day)
    parts = joined(f"{each.part} {percent(each.per_day / found.per_day)}" for each in ranked)
    return f"every {number(found.mtbf_h)} h by counts of parts and published rates ({parts})"


def goodput_words(found: Goodput) -> str:
    """The share of a month that trains: ``91.7 % (87.5 % to 94.5 %), a stop every 3.23 h``."""
    band = f" ({_tenths(found.low)} to {_tenths(found.high)})" if found.low < found.high else ""
    sign = "" if found.knows_storage else "at most "
    stops = f"a stop every {number(found.mtbf_h)} h"
    return f"{sign}{_tenths(found.lost.trained)} of a month trains{band}, {stops}"


def _tenths(share: float) -> str:
    """Of what is near the whole tenths of a percent count."""
    return f"{100 * share:.1f} %"


def goodput_rows(found: Goodput) -> list[tuple[str, str]]:
    """What the share of a month that trains consists of."""
    lost, saved = found.lost, found.stops.of_single_ways
    checkpoints = (
        f"each {duration(found.interval_s)}: writing {_tenths(lost.writing)}, done again after "
        f"stops {_tenths(lost.again)}"
    )
    rates = "at the rates of the published clusters that fail most and least"
    second = f"a second switch at each NIC would save {_tenths(saved)} of the stops"
    spares = (
        f"{found.spare_nodes:,}, as {number(found.stops.nodes_away)} are being repaired on "
        f"average; waiting for nodes {_tenths(lost.waiting)}"
    )
    rows = (
        ("in brackets", rates if found.low < found.high else ""),
        ("stops", stops_words(found.stops)),
        ("restarts", f"{duration(found.restart_s)} each, {_tenths(lost.restarting)} of all time"),
        ("checkpoints", checkpoints if found.knows_storage else "not counted: storage is unknown"),
        ("spare nodes", spares),
        ("network", second if saved else "no single cable or switch of a NIC stops the job"),
    )
    return [(name, words) for name, words in rows if words]
