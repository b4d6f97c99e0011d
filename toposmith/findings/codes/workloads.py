"""Codes of findings about workloads and exports, which no review of a design says."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Values, marked


def _mixed(v: Values) -> str:
    words = " and ".join(
        f"{gpus:,} x {name} ({tflops:,.4g} TFLOP/s)"
        for gpus, name, tflops in zip(
            v.counts("gpus"), v.texts("names"), map(float, v.texts("bf16_tflops")), strict=True
        )
    )
    return (
        f"{words} run one job: all wait for the slowest, so that compute is timed as if all were "
        f"{v['slowest']}; MFU is of the peak of all together"
    )


def _too_large(v: Values) -> str:
    if "sequences" in v:
        return f"the caches of {v['sequences']:,} sequences do not fit; {v['most']:,} works"
    model = v.text("model") or "the model"
    if "needs_GB" in v:
        gpus = v.with_noun("gpus", "GPU")
        return (
            f"{model} takes {v['needs_GB']:,.0f} GB on each of {gpus}, with {v['room_GB']:,.0f} GB "
            f"free each; tp x pp = {v['enough']} works"
        )
    return (
        f"{model} takes {v['takes_GB']:,.0f} GB on a GPU of {v['gpu_GB']:,.0f}: weights "
        f"{v['weights_GB']:,.0f}, gradients {v['gradients_GB']:,.0f}, optimiser "
        f"{v['optimiser_GB']:,.0f}, activations {v['activations_GB']:,.0f}; {v['nearest']}"
    )


def _missed(v: Values) -> str:
    if "rate_of" in v:
        return _missed_rate(v)
    if "time_is" in v:
        return _missed_time(v)
    if "mfu_percent" in v:
        missed = f"MFU is {v['mfu_percent']:.1f} %, not {v['wanted_percent']:.1f} %"
        fastest = f"{v['most_percent']:.1f} %"
    else:
        missed = f"a step takes {v['step_s']:.3g} s, not {v['wanted_s']:g}"
        fastest = f"{v['fastest_s']:.3g} s"
    if "speedup" not in v:
        return (
            f"{missed}; no network between nodes reaches that, one that took no time would give "
            f"{fastest}; {_most_of_it(v)}"
        )
    return (
        f"{missed}; {_most_of_it(v)}; {v['needed_GBps']:.3g} GB/s busbw per GPU for {v['worst']} "
        f"instead of {marked(v, 'busbw', 3)}, and as many times as much ({v['speedup']:.3g}) for "
        "all else between nodes, reaches it"
    )


def _most_of_it(v: Values) -> str:
    """Where most of what is not compute goes."""
    if "bubble_percent" in v:
        share = v["bubble_percent"]
        return f"the pipeline's bubble takes {share:.0f} %: more micro-batches, or fewer stages"
    if "exposed_percent" not in v:
        return "all communication hides: only faster GPUs, or more of them, help"
    where = f" over {v['exposed_over']}" if "exposed_over" in v else ""
    where = " inside the nodes" if v["exposed_inside_nodes"] else where
    share = v["exposed_percent"]
    return f"exposed communication takes {share:.0f} %, most for {v['exposed_most']}{where}"


def _missed_time(v: Values) -> str:
    wanted = f"{v['wanted_ms']:g}"
    if "assumed" in v:
        wanted += " (assumed: the workload names no target)"
    if "quickest_ms" in v:
        return (
            f"no batch meets {wanted} ms {v['time_is']}; {v['quickest_ms']:,.6g} ms at a "
            "batch of 1 works"
        )
    return (
        f"a batch of {v['batch']:,} takes {v['given_ms']:,.4g} ms {v['time_is']}, not "
        f"{wanted}; a batch of {v['met_by_batch']:,} works"
    )


def _missed_rate(v: Values) -> str:
    text = (
        f"a batch of {v['batch']:,} on {v.with_noun('copies', 'copy')} gives "
        f"{v['given_per_s']:,.6g} "
        f"{v['rate_of']} per second, not {v['wanted_per_s']:,.10g}; {v['copies_needed']:,} such "
        f"copies ({v.with_noun('gpus_needed', 'GPU')}) reach it"
    )
    if "met_by_batch" in v:
        text += (
            f", or a batch of {v['met_by_batch']:,} at {v['met_at_tpot_ms']:.3g} ms per output "
            "token"
        )
    return text


def _slow(v: Values) -> str:
    gives = " + ".join(v.texts("limited_by"))
    return f"loading takes {v['needs_GBps']:.3g} GB/s, {gives} gives {v['read_GBps']:.3g}"


WORKLOADS: tuple[Code, ...] = (
    Code(
        "does-not-fit",
        "error",
        "model or caches that do not fit",
        "a GPU does not hold what the layout puts on it",
        "a layout with a larger tp x pp, or a smaller batch",
        text=_too_large,
    ),
    Code(
        "target-missed",
        "error",
        "target not met",
        "a step, a token or a rate of requests misses what the workload asks for",
        "what the sentence names",
        text=_missed,
    ),
    Code(
        "gpus-idle",
        "info",
        "GPUs without work",
        "the layout does not divide the GPUs that there are",
        "a layout that divides them",
        text="{used:,} of {gpus:,} GPUs have work ({split}); the others stay idle",
    ),
    Code(
        "small-experts",
        "warning",
        "experts narrower than the model",
        "published runs of such mixtures took 0.8 to 3.5 times as long as predicted",
        "leave room for twice the time, or measure a step of your own (`--measured-step-s`)",
        text=(
            "experts narrower than the model ({expert_ffn:,} of {hidden:,}): published runs of "
            "such mixtures took 0.8 to 3.5 times as long as predicted, nine of ten at most twice; "
            "many small products at once are slower than is modelled, and the same recipes ran "
            "0.98 to 1.56 times as fast one release of Megatron Bridge later"
        ),
    ),
    Code(
        "mixed-gpus",
        "warning",
        "different GPUs in one job",
        "all wait for the slowest",
        "separate jobs for each kind of GPU",
        text=_mixed,
    ),
    Code(
        "no-storage",
        "info",
        "no storage to read or write",
        "checkpoint times are unknown",
        "name it in workload.storage",
        text=(
            "no storage in the design or the workload, so checkpoint times are unknown; name it "
            "in workload.storage"
        ),
    ),
    Code(
        "storage-unreached",
        "warning",
        "storage that no GPU reaches",
        "no path leads from it to a node with GPUs",
        "wire it to the switches of node.storage",
        text="{group} has no way to a node with GPUs; wire it to the switches of node.storage",
    ),
    Code(
        "storage-slow",
        "warning",
        "storage slower than loading",
        "the run reads more than storage or the way to it gives",
        "more storage, or more cables to it",
        text=_slow,
    ),
    Code(
        "storage-opens-slow",
        "warning",
        "storage opens files slower than loading",
        "the run opens more files a second than storage does, so that samples come late though "
        "their bytes would fit",
        "samples packed into large files, or more storage",
        text="loading opens {needs_per_s:,.0f} files a second, {storage} {opens_per_s:,.0f}",
    ),
)
