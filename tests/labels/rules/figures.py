"""Words beside bandwidth: exact, at least, bands, shares, tiers, zero."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.labels import published
from tests.labels.facts import Facts
from tests.labels.pages import Asked, Page
from tests.labels.rule import (
    Broken,
    Rule,
    Walk,
    around,
    data,
    in_data,
    must,
    never,
    on,
    text,
    three_digits,
)

GATHERS = frozenset({"all_reduce", "all_gather", "reduce_scatter"})
"""Collectives whose optimum follows from the worst cut (Zhao et al., arXiv 2402.06787)."""
IN_SWITCHES = frozenset({"nvls", "nvls_tree", "collnet_direct", "collnet_chain"})
MARK = r"(?:≥|>=|at least|from)"
BAND = r"\d of 10 published|published (?:results )?[^.:]{0,40}?[-−+]\d+ %"
SHARE = r"share of the bound +\d+ %|(\d+) % of the [\d.,]+ [GM]B/s bound"
_EXACT = re.compile(r"\bexact\b")
_NO_BOUND = re.compile(
    r"Tiers \(exact\)|--with exact\b|`exact`|exact bound ‹|^ *(?:GPUs|nodes) +exact"
)
_OF_THE_OTHER = re.compile(r"(?<=bound), exact")  # the design's label stands first
_EXCHANGE = re.compile(r"all.to.all|send.?/?recv", re.IGNORECASE)


def _is_world(facts: Facts) -> bool:
    layout = (facts.design.get("communicator") or {}).get("layout", "world")
    return layout == "world"


def _is_proven(facts: Facts, page: Page, line: str) -> bool:
    if facts.has_loose_trays:
        return False
    if page.asked.solved:
        return True
    exchange = page.asked.collective not in GATHERS or (
        "analysis" not in page.shows and "app" not in page.shows and _EXCHANGE.search(line)
    )
    return facts.is_regular and _is_world(facts) and not exchange


def _exact(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("figures"):
        for whole in [page.flat] if "app" in page.shows else page.lines:
            line = _NO_BOUND.sub(
                "", _OF_THE_OTHER.sub("", whole) if "beside" in page.shows else whole
            )
            found = _EXACT.search(line)
            if found and not _is_proven(walk.facts, page, line):
                yield Broken(page.place, around(line, found))


def _empty_cut(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("analysis", "json"):
        if page.data["bound_is"] == "exact" and not page.data.get("bound_cut", True):
            yield Broken(page.place, f"{page.data['bound_busbw_GBps']} GB/s exact, cut by nothing")


def _rising_bound(walk: Walk) -> Iterator[Broken]:
    """The twin is the design before its faults: what takes cables away never adds to the best."""
    if not walk.facts.keeps_its_gpus:
        return
    for page in walk.of("differences"):
        for line in page.lines:
            found = re.search(r"bound .*?([\d.,]+) GB/s\W+([\d.,]+) GB/s", line)
            if not found or re.search("upper bound|at most", line):
                continue
            before, after = (float(each.replace(",", "")) for each in found.groups())
            if after > before * 1.001:
                yield Broken(page.place, around(line, found))


_COUNTS = ("gpus", "nodes", "oversubscription")


def _kinds_of_differences(walk: Walk) -> Iterator[Broken]:
    """A count is no prediction, and what is not known has no other label."""
    for page in walk.of("differences", "json"):
        for figure in page.data["figures"]:
            for when in ("before", "after"):
                said = figure.get(f"{when}_is")
                if figure.get(when) is None:
                    fits = said in ("unknown", "at least")
                elif figure["figure"].startswith(_COUNTS):
                    fits = said == "exact"
                else:
                    fits = figure["figure"] != "bisection" or said in ("bound", "assumed")
                if said and not fits:
                    yield Broken(page.place, f"{figure['figure']} {when}: {figure[when]} {said}")


def _above_bound(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("analysis", "json"):
        said = page.data
        bound = said["bound_busbw_GBps"]
        if said.get("algorithm") in IN_SWITCHES:
            bound = said.get("bound_with_reduction_GBps") or bound
        measured = said["busbw_GBps"]
        if "algorithm" not in said or not bound or not measured or measured <= bound * 1.001:
            continue
        words = [f"{one['code']} {one['text']}" for one in said["findings"]]
        if not any(re.search("above.*bound|bound.*(above|exceed)|exceed", one) for one in words):
            yield Broken(page.place, f"predicted {said['busbw_GBps']}, bound {bound}, no finding")


def _share_above_all(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("figures"):
        if page.is_data or re.search("reduc|above the bound|exceed", page.flat):
            continue
        for found in re.finditer(r"share of the bound +(\d+) %|(\d+) % of the [\d.,]+ ", page.flat):
            if int(found[1] or found[2]) > 100:
                yield Broken(page.place, around(page.flat, found))


def _figures_of(walk: Walk, page: Page) -> set[str]:
    """The predicted figures that a page shows, as it writes them."""
    asked = [page.asked]
    if "analysis" not in page.shows and "curve" not in page.shows:
        asked = [
            Asked("all_reduce", page.asked.size_bytes),
            Asked("all_to_all", page.asked.size_bytes),
        ]
    found = (walk.analysis(each.collective, each.size_bytes) for each in asked)
    return {three_digits(one["busbw_GBps"]) for one in found if one.get("busbw_GBps")}


def _at_least(walk: Walk) -> Iterator[Broken]:
    if not walk.facts.has_loose_trays:
        return
    for page in walk.of("figures"):
        if page.is_data:
            if not re.search(r"at.least|lower.bound|>=|≥", page.text) and "busbw" in page.text:
                yield Broken(page.place, "no key or value says at least")
            continue
        if "curve" in page.shows or "failures" in page.shows:
            if not re.search(f"{MARK}|least", page.flat):
                yield Broken(page.place, "nowhere 'at least'")
            continue
        for number in _figures_of(walk, page):
            # a row of links has capacity, effective and load, whose label stands in its head
            loads = rf"(?<![\d.,]){re.escape(number)}(?= GB/s(?! \d| +\|? +\d))"
            for found in re.finditer(loads, page.flat):
                if not re.search(rf"{MARK}\s*$", page.flat[: found.start()]):
                    yield Broken(page.place, around(page.flat, found, 30))


def _large_number(walk: Walk) -> Iterator[Broken]:
    if not walk.facts.has_loose_trays:
        return
    for page in walk.of("live"):
        found = re.search(r"^(large number: .*|.*GB/s per GPU.*)$", page.text, re.MULTILINE)
        beside = page.flat[: page.flat.find("GB/s per GPU") + 40]
        if found and not re.search(MARK, beside):
            yield Broken(page.place, found[0].strip("│ "))


def _may_have_band(facts: Facts, page: Page) -> bool:
    return page.asked.plain and published.systems_behind(facts, page.asked.size_bytes) >= 3


def _band_in_data(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("analysis", "json"):
        band, said = page.data["band"], page.data
        if not band:
            continue
        if walk.facts.has_trays or not _may_have_band(walk.facts, page):
            yield Broken(page.place, f"band {band}")
            continue
        bound = said["bound_busbw_GBps"]
        if said.get("algorithm") in IN_SWITCHES:
            bound = said.get("bound_with_reduction_GBps") or bound
        top = said["busbw_GBps"] * (1 + band["high"])
        if bound and top > bound * 1.005:
            yield Broken(page.place, f"band up to {top:.1f} GB/s, bound {bound:.1f}")
        if said.get("algorithm") == "ring" and said.get("nodes", 0) > 2:
            nics = [one for one in said["limits"] if one["tier"] == "nic"]
            line = sum(one["cables"] * one["capacity_GBps"] for one in nics) / said["nodes"]
            if top > line * 1.001:
                yield Broken(page.place, f"a ring up to {top:.1f} GB/s over NICs of {line:.1f}")


def _eight_of_ten(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("figures"):
        found = re.search("8 of 10 published", page.flat)
        if found:
            held = published.held_by_left_out(walk.facts, page.asked.size_bytes)
            many = published.systems_behind(walk.facts, page.asked.size_bytes)
            if held is None or many < 9 or not 0.65 <= held <= 0.95:
                share = "none" if held is None else f"{held:.0%}"
                yield Broken(page.place, f"{share} of left-out results: {around(page.flat, found)}")


def _tiers(walk: Walk) -> Iterator[Broken]:
    facts = walk.facts
    for page in walk.pages:
        for tiers in in_data(page.data, "tiers"):
            for tier in tiers if isinstance(tiers, list) else ():
                if not tier.get("ports_down", 1) + tier.get("ports_up", 0):
                    yield Broken(page.place, f"{tier['tier']} of {tier['devices']} without cables")
            many = sum(tier["devices"] for tier in tiers if "devices" in tier)
            if many > facts.most_switches_of_tiers:
                yield Broken(page.place, f"{many} devices, {facts.most_switches_of_tiers} switches")
    height = max(facts.tier_of.values(), default=-1)
    above = [name for at, name in enumerate(("leaf", "spine", "core")) if at > height]
    named = re.compile(rf"^\W*({'|'.join(above) or '(?!)'}) (?:[×x])?[\d,| ]+", re.MULTILINE)
    for page in walk.of("figures"):
        if page.is_data or "failures" in page.shows or "fabric" not in page.shows | {"fabric"}:
            continue
        for line in page.lines:
            found = named.search(line)
            if found and found[1] not in facts.groups:
                yield Broken(page.place, line.strip("│ "))


_ZERO = re.compile(r"(?<![\d.,])0(?:\.0+)? (?:[GMk]?B/s)|(?<![\d.,])0 of [\d.,]+ [GM]B/s")


def _zero(walk: Walk) -> Iterator[Broken]:
    for page in walk.pages:
        if page.is_data:
            continue
        idle = _idle_links(walk, page)
        for above, line in pairwise(("", *page.lines)):
            found = _ZERO.search(line)
            if found and "isection" in above + line and walk.halves_are_apart:
                continue  # in a narrow panel the figure is below its name
            if found and not any(link in line for link in idle) and not _on_idle_canvas(page, idle):
                yield Broken(page.place, around(line, found))
    for page in walk.of("analysis"):
        if page.is_data:
            continue
        said = walk.analysis(page.asked.collective, page.asked.size_bytes)
        loads = {load["link"]: load["load_GBps"] for load in said.get("limits", ())}
        for line in page.lines if page.asked.plain and not page.asked.solved else ():
            link = next((name for name in loads if line.strip().startswith(f"{name}  ")), None)
            if link and loads[link] and re.search(r" 0(\.0+)? ", line):
                yield Broken(page.place, f"{' '.join(line.split())}: load {loads[link]}")


def _idle_links(walk: Walk, page: Page) -> set[str]:
    """Links that carry nothing at all of what the page measures."""
    collectives = [page.asked.collective]
    if "analysis" not in page.shows:
        collectives = ["all_reduce", "all_to_all"]
    found: set[str] = set()
    for collective in collectives:
        limits = walk.analysis(collective, page.asked.size_bytes).get("limits", ())
        found |= {load["link"] for load in limits if not load["load_GBps"]}
    return found


def _on_idle_canvas(page: Page, idle: set[str]) -> bool:
    """Whether it stands beside a trunk on the canvas, which does not name its link."""
    return bool(idle) and bool({"app", "svg", "png", "html"} & page.shows)


def _card(walk: Walk) -> Iterator[Broken]:
    limit = walk.facts.card_limit_GBps
    if limit is None:
        return
    nodes = sum(group.bought for group in walk.facts.nodes)
    gpus = walk.facts.gpus
    for page in walk.of("analysis", "json"):
        if page.asked.collective not in GATHERS:
            continue
        most = limit * (gpus - 1) / (gpus - gpus / nodes)
        for key in ("busbw_GBps", "bound_busbw_GBps"):
            if (page.data[key] or 0) > most * 1.001:
                yield Broken(page.place, f"{key} {page.data[key]}, its cards carry {most:.2f}")


_IS_MODEL = re.compile(rf"\bmodel\b|{MARK}|least|at most")


def _model(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("figures"):
        if page.is_data or {"svg", "compare"} & page.shows:
            continue
        for line in page.lines:
            if re.search(r"predicted busbw +\D{0,12}\d", line) and not _IS_MODEL.search(line):
                yield Broken(page.place, line.strip())
        live = re.search(
            r"\d GB/s per GPU.{0,25}" if "small" in page.shows else r"GB/s per GPU.{0,25}",
            page.flat,
        )
        if "live" in page.shows and live and not _IS_MODEL.search(live[0]):
            yield Broken(page.place, live[0])
        if re.search(
            r"busbw(?! unknown).{0,60}? [\d.]+ [GM]B/s", page.flat
        ) and not _IS_MODEL.search(page.flat):
            yield Broken(page.place, page.flat[:60])


_TRAYS, _REGULAR, _FAULTY = "trays-side-by-side", "one-spine", "one-nic-down"
_CARD = "card-with-a-shared-limit"
_TRAY_FIGURES = data(
    {"busbw_GBps": 189.4, "figure_is": "at least", "bound_is": "bound"}, "figures", "analysis"
)
_MEASURED = {
    "bound_is": "bound",
    "bound_cut": [],
    "bound_with_reduction_GBps": None,
    "algorithm": "pairwise",
    "findings": [],
    "band": None,
    "share_of_bound": None,
}


def _measured(**said: object) -> dict[str, object]:
    return {**_MEASURED, **said}


def _compared(figure: str, value: float | None, kind: str) -> dict[str, object]:
    """The JSON of a difference in one figure."""
    said = {"figure": figure, "differs": False, "before": value, "after": value}
    return {"changes": [], "figures": [{**said, "before_is": kind, "after_is": kind}]}


FIGURES = (
    Rule(
        "exact",
        "'exact' beside a bound",
        "nothing has failed, all nodes and their cables are alike, the collective is one whose "
        "optimum is its worst cut, over all GPUs; or the exchange was solved",
        "one GPU of each class stands for all only where any two nodes could change places",
        _exact,
        honest=(
            on(_REGULAR, text("bound on busbw  500 GB/s (exact)", "figures", "analysis")),
            on(_FAULTY, text("Tiers (exact)\nbound  402 GB/s (bound)", "figures", "analysis")),
        ),
        lies=(
            on(_FAULTY, text("bound on busbw  500 GB/s (exact)", "figures", "analysis")),
            on("unlike-rings", data({"bound_is": "exact"}, "figures", "analysis")),
            on("mixed-nics", text("49 % of the 97 GB/s\n bound (exact)", "figures", "app")),
            on(
                _REGULAR,
                text("| all-to-all | 62 GB/s | 65 GB/s | exact |", "figures", "review"),
            ),
        ),
    ),
    Rule(
        "empty cut",
        "'exact' beside a bound",
        "the cut that makes it is named",
        "an optimum that nothing limits is none",
        _empty_cut,
        honest=(on(_REGULAR, data(_measured(bound_busbw_GBps=1), "analysis")),),
        lies=(on(_REGULAR, data(_measured(bound_busbw_GBps=500, bound_is="exact"), "analysis")),),
    ),
    Rule(
        "bound of what",
        "'bound: of what' beside the bound of a design with faults",
        "must, wherever the bound is shown to a person",
        "no optimum is proven with faults, and a bound that rises with one is no good news",
        must(
            r"bound: \w",
            "figures",
            where=lambda facts, page: (
                bool(facts.faults)
                and not facts.is_regular
                and not page.is_data
                and not page.asked.solved
                and bool({"analysis", "live", "review"} & page.shows)
            ),
            beside=r"bound on busbw +[\d.]+|of the [\d.,]+ GB/s bound|cut of the bound",
        ),
        honest=(
            on(
                _FAULTY,
                text(
                    "bound on busbw  402 GB/s (bound: ingress of all nodes)",
                    "figures",
                    "analysis",
                ),
            ),
        ),
        lies=(on(_FAULTY, text("bound on busbw  500 GB/s (bound)", "figures", "analysis")),),
    ),
    Rule(
        "rising bound",
        "a bound that is higher after a fault",
        "never as a difference, but where it is called an upper bound",
        "taking something away never raises what the same GPUs can reach",
        _rising_bound,
        honest=(on(_FAULTY, text("all-reduce bound  500 GB/s  450 GB/s  -10 %", "differences")),),
        lies=(on(_FAULTY, text("all-reduce bound  403 GB/s  500 GB/s  +24 %", "differences")),),
    ),
    Rule(
        "kinds of differences",
        "the labels of both figures of a difference",
        "of counts exact, of halves a bound or assumed, of none unknown",
        "who reads a program's output takes a count for a prediction, or a gap for a figure",
        _kinds_of_differences,
        honest=(on(_FAULTY, data(_compared("nodes", 4, "exact"), "differences", "json")),),
        lies=(
            on(_FAULTY, data(_compared("nodes", 4, "model"), "differences", "json")),
            on(_FAULTY, data(_compared("cost", None, "model"), "differences", "json")),
            on(_FAULTY, data(_compared("bisection", 90.0, "exact"), "differences", "json")),
        ),
    ),
    Rule(
        "above its bound",
        "a prediction above its bound",
        "a finding says so",
        "one of the two is wrong, and nobody can tell which",
        _above_bound,
        honest=(
            on(
                "pcie-only-rails",
                data(
                    _measured(
                        busbw_GBps=31,
                        bound_busbw_GBps=7.75,
                        findings=[{"code": "x", "text": "the prediction is above the bound"}],
                    ),
                    "analysis",
                ),
            ),
        ),
        lies=(
            on(
                "pcie-only-rails",
                data(_measured(busbw_GBps=31, bound_busbw_GBps=7.75), "analysis"),
            ),
        ),
    ),
    Rule(
        "more than all of the bound",
        "a share of the bound above 100 %",
        "switches reduce, or a finding says that the prediction is above the bound",
        "nothing reaches more than the best",
        _share_above_all,
        honest=(
            on(
                "one-node-in-fp8",
                text("109 % of the 450 GB/s bound, without reduction in switches", "figures"),
            ),
        ),
        lies=(on("pcie-only-rails", text("share of the bound  400 % (model)", "figures")),),
    ),
    Rule(
        "at least",
        "'at least', '>=' or its sign before a predicted figure of NVLink trays",
        "must, at every figure; a curve and a table of failures say it once; data has a key",
        "the traffic that NVLink carries between trays is counted on the NICs",
        _at_least,
        honest=(
            on(
                _TRAYS,
                _TRAY_FIGURES,
                text("predicted busbw  >= 189 GB/s per GPU", "figures", "analysis"),
            ),
        ),
        lies=(
            on(
                _TRAYS,
                _TRAY_FIGURES,
                text("predicted busbw  189 GB/s per GPU (model)", "figures", "analysis"),
            ),
            on(_TRAYS, data({"busbw_GBps": 189.4}, "figures", "analysis")),
            on(_TRAYS, text("survives any one leaf at 75 %", "figures", "failures")),
        ),
    ),
    Rule(
        "at least, large",
        "the mark on the large number of NVLink trays",
        "must, at every size of the screen",
        "the large number is what is photographed",
        _large_number,
        honest=(on(_TRAYS, text("large number: ≥189\nGB/s per GPU", "live", "figures")),),
        lies=(
            on(_TRAYS, text("large number: 189\nGB/s per GPU   model", "live", "figures")),
            on(_TRAYS, text("189 GB/s per GPU", "live", "figures")),
        ),
    ),
    Rule(
        "band",
        "a band of published results",
        "at least three systems of that transport, kind of node and size were published; no trays, "
        "no RCCL, nothing forced",
        "fewer say nothing about the next one",
        never(
            BAND,
            "figures",
            unless=lambda facts, page: page.is_data or _may_have_band(facts, page),
        ),
        honest=(
            on(_REGULAR, text("8 of 10 published results of such systems", "figures")),
            on("efa-nodes", text("too few published results", "figures")),
        ),
        lies=(
            on(_TRAYS, text("published  -29 % to +17 %", "figures", "app")),
            on("pcie-only-pair", text("8 of 10 published results", "figures")),
            on(
                _REGULAR,
                text("8 of 10 published results", "figures", asked=Asked(plain=False)),
            ),
        ),
    ),
    Rule(
        "band in data",
        "band: {low, high}",
        "as a band of published results, and not above the bound",
        "a band above its bound says that the impossible was measured",
        _band_in_data,
        honest=(
            on(
                _REGULAR,
                data(
                    _measured(band={"low": -0.2, "high": 0.1}, busbw_GBps=90, bound_busbw_GBps=100),
                    "analysis",
                ),
            ),
        ),
        lies=(
            on(
                _REGULAR,
                data(
                    _measured(band={"low": -0.2, "high": 0.2}, busbw_GBps=90, bound_busbw_GBps=100),
                    "analysis",
                ),
            ),
            on(
                "one-gpu-per-node",
                data(
                    _measured(band={"low": -0.5, "high": 0}, busbw_GBps=6, bound_busbw_GBps=9),
                    "analysis",
                ),
            ),
            on(
                _REGULAR,
                data(
                    _measured(
                        band={"low": 0, "high": 0.1},
                        busbw_GBps=390,
                        bound_busbw_GBps=450,
                        algorithm="ring",
                        nodes=4,
                        limits=[{"tier": "nic", "cables": 32, "capacity_GBps": 50}],
                    ),
                    "analysis",
                ),
            ),
        ),
    ),
    Rule(
        "eight of ten",
        "'8 of 10 published results'",
        "nine systems; of the results of one left out 65 to 95 % lie in the band of the others",
        "the next system is one that the band has not seen",
        _eight_of_ten,
        honest=(
            on(_REGULAR, text("published results of such systems: -40 % to +20 %", "figures")),
        ),
        lies=(on("efa-nodes", text("8 of 10 published results of such runs", "figures")),),
    ),
    Rule(
        "of this prediction",
        "of what the percentages of a band are",
        "must stand beside a band",
        "-29 % of what was measured is another figure than -29 % of what is predicted",
        must(
            "of this prediction|of the prediction",
            "figures",
            where=lambda _, page: not page.is_data and "analysis" in page.shows,
            beside=BAND,
        ),
        honest=(
            on(
                _REGULAR,
                text(
                    "published results of such systems: -29 % to +17 % of this prediction",
                    "figures",
                    "analysis",
                ),
            ),
        ),
        lies=(
            on(
                _REGULAR,
                text(
                    "8 of 10 published results fell between -29 % and +17 %", "figures", "analysis"
                ),
            ),
        ),
    ),
    Rule(
        "share of the bound",
        "a share of the bound of NVLink trays",
        "never",
        "a figure that is at least something has no share of anything",
        never(
            rf"{SHARE}|share_of_bound: [\d.]+",
            "figures",
            unless=lambda facts, _: not facts.has_loose_trays,
        ),
        honest=(on(_TRAYS, text("share of the bound  unknown", "figures")),),
        lies=(
            on(_TRAYS, text("share of the bound  90 % (model)", "figures")),
            on(_TRAYS, text("90 % of the 209 GB/s bound", "figures", "app")),
            on(_TRAYS, data({"share_of_bound": 0.9}, "figures")),
        ),
    ),
    Rule(
        "tiers",
        "leaf, spine, core as tiers",
        "of switches that a collective goes over, as many as the links reach",
        "storage boxes and failed nodes are no spine switches",
        _tiers,
        honest=(
            on(
                "storage-on-the-leaf",
                data({"tiers": [{"tier": "leaf", "devices": 1, "ports_down": 16, "ports_up": 0}]}),
            ),
            on(_REGULAR, text("  leaf  8  32  32  1:1\n  spine  1  32  0", "figures")),
        ),
        lies=(
            on(
                "storage-on-the-leaf",
                data(
                    {
                        "tiers": [
                            {"tier": "leaf", "devices": 1, "ports_down": 16, "ports_up": 0},
                            {"tier": "spine", "devices": 3, "ports_down": 0, "ports_up": 0},
                        ]
                    }
                ),
            ),
            on("nodes-down", text("  leaf   1  16  0\n  spine  2  0  0", "figures")),
        ),
    ),
    Rule(
        "zero",
        "0 GB/s, 0 MB/s",
        "nothing at all goes over that link",
        "34.4 MB/s is a figure",
        _zero,
        honest=(
            on(
                _REGULAR,
                data({"limits": [{"link": "leaf - spine", "load_GBps": 0}]}, "analysis"),
                text("| leaf - spine | 0 GB/s | 0 % |", "figures"),
            ),
            on(_REGULAR, text("predicted busbw  34.4 MB/s, bound 400 GB/s", "figures")),
        ),
        lies=(
            on("slow-ethernet", text("busbw | 0 GB/s", "figures")),
            on("slow-ethernet", text("23.7 MB/s; 0 of 24 GB/s", "figures")),
            on(
                _REGULAR,
                data(
                    {"limits": [{"link": "leaf - spine", "load_GBps": 0.004}]},
                    "analysis",
                    asked=Asked(size_bytes=1024),
                ),
                text(
                    "  leaf - spine  16  50.0  0.00  <1 %", "analysis", asked=Asked(size_bytes=1024)
                ),
            ),
        ),
    ),
    Rule(
        "a card's shared limit",
        "figures of nodes whose cards carry less than their ports together",
        "never above what the cards carry",
        "two ports of 100 Gb/s on a card of 100 Gb/s are 100 Gb/s",
        _card,
        honest=(on(_CARD, data(_measured(busbw_GBps=12, bound_busbw_GBps=16), "analysis")),),
        lies=(on(_CARD, data(_measured(busbw_GBps=24, bound_busbw_GBps=32.3), "analysis")),),
    ),
    Rule(
        "model",
        "'model' beside a predicted figure",
        "must",
        "a prediction is no measurement",
        _model,
        honest=(on(_REGULAR, text("predicted busbw  365 GB/s (model)", "figures")),),
        lies=(
            on(_REGULAR, text("predicted busbw  365 GB/s\nlinks (load: model)", "figures")),
            on(_REGULAR, text("365 GB/s per GPU\nall-reduce busbw, 8 GiB", "figures", "live")),
            on(_REGULAR, text("busbw per GPU: all-reduce 365 GB/s", "figures", "failures")),
        ),
    ),
    Rule(
        "RCCL",
        "'RCCL' beside figures of AMD's GPUs",
        "must",
        "the figures are what another library would reach",
        must(
            "RCCL",
            "figures",
            where=lambda facts, page: (
                facts.is_amd and bool({"analysis", "review", "html"} & page.shows)
            ),
            beside=r"busbw",
        ),
        honest=(on("amd-cluster", text("busbw 315 GB/s: GPUs run RCCL", "figures", "analysis")),),
        lies=(on("amd-cluster", text("predicted busbw  315 GB/s", "figures", "analysis")),),
    ),
)
