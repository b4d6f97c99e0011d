"""Words beside what a workload gets: tokens, step times, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.labels.facts import Facts
from tests.labels.pages import Page
from tests.labels.rule import Broken, Rule, Walk, around, data, in_data, must, on, text
from tests.oracle.parts import parts

PARAMETERS = {"llama3-8b": 8.0e9, "llama3-70b": 70.6e9, "llama3-405b": 405.8e9}
"""Grattafiori et al. 2024, arXiv 2407.21783, table 3."""
LLAMA3_CACHE = {"llama3-8b": (32, 8, 128), "llama3-70b": (80, 8, 128), "llama3-405b": (126, 8, 128)}
"""Layers, heads of keys and values, and their width (the same table)."""

_SPEED = re.compile(
    r"(?<!needed )\b(?:step|MFU|days|tokens|requests|time per output token|time to first token)"
    r" {2,}[\d.,<]+(?: %| |$)|tokens/s\W{0,3}[\d.,]+|[\d.,]+ tokens/s",
    re.MULTILINE,
)
NO_FIT = r"DOES NOT FIT|does not fit|do not fit"


def certainly_too_large(facts: Facts) -> bool:
    """Whether the weights alone, in bf16 and fully divided by tp and pp, exceed a GPU."""
    asked = facts.design.get("workload") or {}
    model = PARAMETERS.get(str(asked.get("model")))
    if model is None:
        return False
    layout = asked.get("layout") or {}
    gpu = parts().get(facts.nodes[0].part.get("gpu", ""), {})
    return 2 * model / layout.get("tp", 1) / layout.get("pp", 1) > 1e9 * gpu.get("memory_gb", 1e9)


def _fits(facts: Facts, page: Page) -> bool | None:
    """Whether it fits, by the weights alone where that is certain, else by the memory said."""
    if "workload" in facts.design and certainly_too_large(facts):
        return False
    for memory in in_data(page.data, "memory"):
        if memory and memory.get("gpu_bytes"):
            return bool(memory["total_bytes"] <= memory["gpu_bytes"])
    return None


def _no_speed(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("workload"):
        if "search" in page.shows or _fits(walk.facts, page) is not False:
            continue
        if page.is_data:
            for block in ("training", "serving"):
                memory = (page.data.get(block) or {}).get("memory")
                if memory and not memory["fits"] and not memory["over_bytes"]:
                    yield Broken(page.place, f"{block}: does not fit, and nothing is over")
            continue
        found = _SPEED.search(page.text)
        if found and not re.search(NO_FIT, page.flat):
            yield Broken(page.place, around(page.text, found))
    for page in walk.of("live"):
        if "workload" in walk.facts.design and certainly_too_large(walk.facts):
            found = re.search(r"step +[\d.,]+ \w*s\b|tokens/s +[\d.,]+|MFU +\d+ %", page.flat)
            if found and not re.search(NO_FIT, page.flat):
                yield Broken(page.place, around(page.flat, found))


def _search(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("search", "json"):
        fits = [layout["fits"] for layout in page.data.get("layouts", ())]
        if fits != sorted(fits, reverse=True):
            yield Broken(page.place, "a layout that does not fit stands before one that does")


def _cache(walk: Walk) -> Iterator[Broken]:
    asked = walk.facts.design.get("workload") or {}
    serving = asked.get("serving") or {}
    if str(asked.get("model")) not in LLAMA3_CACHE or serving.get("precision") != "fp8":
        return
    layers, heads, width = LLAMA3_CACHE[str(asked["model"])]
    wanted = 2 * layers * heads * width * serving["prompt"]
    for page in walk.of("workload", "json"):
        found = (page.data.get("serving") or {}).get("prompt_kv_bytes")
        if found is not None and not 0.9 < found / wanted < 1.1:
            yield Broken(page.place, f"cache of a prompt {found:.3g} bytes; in fp8 {wanted:.3g}")


def _has_step(page: Page) -> bool:
    return not page.is_data and "search" not in page.shows


_LARGE, _FITTING, _FP8 = "workload-that-does-not-fit", "workload-that-fits", "one-node-in-fp8"
_TOO_MUCH = {"total_bytes": 9e11, "gpu_bytes": 8e10, "fits": False}
_FULL: dict[str, Any] = {"memory": {**_TOO_MUCH, "over_bytes": 8.2e11}}
_SILENT: dict[str, Any] = {"memory": {**_TOO_MUCH, "over_bytes": 0}}

WORKLOADS = (
    Rule(
        "does not fit",
        "step time, MFU, days, tokens and requests per second",
        "the model fits into memory, or the page says that it does not",
        "a time of what cannot run as it is has to say so",
        _no_speed,
        honest=(
            on(
                _LARGE,
                text("  step   418 s\nMemory of a GPU: 850 of 80.0 GB, DOES NOT FIT", "workload"),
            ),
            on(_LARGE, data({"training": {**_FULL, "step_s": 418}}, "workload")),
            on(_FITTING, text("  step   2.44 s\nMemory: fits", "workload")),
        ),
        lies=(
            on(_LARGE, text("  step                   418 s\nMemory: fits", "workload")),
            on(_LARGE, data({"training": _SILENT}, "workload")),
            on(_LARGE, text("step  418 s", "live")),
            on(_FITTING, data({"training": _SILENT}, "workload")),
        ),
    ),
    Rule(
        "does not fit, searched",
        "the order of layouts",
        "those that fit stand before those that do not",
        "the first is taken",
        _search,
        honest=(on(_FITTING, data({"layouts": [{"fits": True}, {"fits": False}]}, "search")),),
        lies=(on(_FITTING, data({"layouts": [{"fits": False}, {"fits": True}]}, "search")),),
    ),
    Rule(
        "step time",
        "a step time or its rates",
        "'model', NVIDIA's stack and 'no loss with scale' stand on the page",
        "published runs lose a tenth to a third on thousands of GPUs",
        must(
            r"(?=.*\bmodel\b)(?=.*NVIDIA's (?:software )?stack)(?=.*no loss with scale)",
            "workload",
            where=lambda _, page: _has_step(page),
            beside=r"\bstep +[\d.,]+ (?:ms|s|µs|min|h)\b|Training \(model\)",
        ),
        honest=(
            on(
                _FITTING,
                text("step  2.4 s (model, NVIDIA's stack, no loss with scale)", "workload"),
            ),
        ),
        lies=(on(_FITTING, text("Training (model)\n step  2.44 s", "workload")),),
    ),
    Rule(
        "fp8 cache",
        "the cache of a prompt served in fp8",
        "two tensors of a byte for every layer, head and token",
        "weights in fp8 keep an fp8 cache unless another is asked for",
        _cache,
        honest=(on(_FP8, data({"serving": {"prompt_kv_bytes": 167_772_160}}, "workload")),),
        lies=(on(_FP8, data({"serving": {"prompt_kv_bytes": 335_544_320}}, "workload")),),
    ),
    Rule(
        "workload on trays",
        "what a workload gets of NVLink trays",
        "'at least' or 'at most' beside it",
        "the network between trays counts as NICs",
        must(
            r"≥|≤|>=|<=|at least|at most|the least",
            "workload",
            where=lambda facts, page: facts.has_loose_trays and not page.is_data,
            beside=r"\bstep\b",
        ),
        honest=(on("trays-side-by-side", text("step at most 2.4 s", "workload")),),
        lies=(on("trays-side-by-side", text("step  2.44 s", "workload")),),
    ),
)
