"""Codes of findings about tiers and uplinks."""

from __future__ import annotations

from dataclasses import replace

from toposmith.findings.codes.code import Code, Measure, Values, whether_adaptive
from toposmith.text import counted, oversubscriptions


def _oversubscribed(v: Values) -> str:
    ratio, hurt = f"{v['ratio']:.3g}:1", ""
    if "as_cabled" in v:
        ratio, cabled = oversubscriptions(v.number("ratio"), v.number("as_cabled"))
        hurt = f" with what is down or slow, {cabled} as cabled"
    below = counted(v.count("ports_down"), "connection")
    return (
        f"{v['tier']} tier oversubscribed {ratio}{hurt} ({below} below, "
        f"{v['ports_up']:,} above): all-to-all and traffic between distant nodes share the uplinks"
    )


def _more_uplinks(v: Values) -> str:
    mend = "mend what is down or slow" if "as_cabled" in v else ""
    if v["more_uplinks"] == 0:
        return mend
    changes = [
        f"{switch} with count: {count:,} instead of {now:,}"
        for switch, count, now in zip(
            v.texts("switches"), v.counts("switches_wanted"), v.counts("switches_now"), strict=True
        )
    ]
    for link, cables, now in zip(
        v.texts("links"), v.counts("cables_wanted"), v.counts("cables_now"), strict=True
    ):
        instead = f"instead of {now}" if cables != now else "as now"
        changes.append(f"{link} with cables: {cables} {instead}")
    words = f"{v.with_noun('more_uplinks', 'uplink')} more"
    if changes:
        words += f"; {' and '.join(changes)}"
    lacks = [
        f"{switch} with {counted(ports, 'port')} more"
        f" ({f'such as {part}' if part else 'no other switch in this catalog has them'})"
        for switch, ports, part in zip(
            v.texts("lacking"), v.counts("ports_lacking"), v.texts("larger"), strict=True
        )
    ]
    if lacks:
        words = f"{words}, on {' and '.join(lacks)}"
        if "" in v.texts("larger"):
            words += "; or fewer devices below each, which need fewer uplinks"
    return f"{mend}; {words}" if mend else words


def _undivided(v: Values) -> str:
    if "peers" not in v:
        each = ", ".join(
            f"{above} {width} GB/s"
            for above, width in zip(v.texts("above"), v.texts("widths_GBps"), strict=True)
        )
        return f"each {v['group']} reaches {each} a switch: equal shares fill the thin ones first"
    above = counted(v.count("peers"), f"{v['above']} switch")
    return (
        f"{v.with_noun('uplinks', 'uplink')}, for all that is below, do not divide over {above}: "
        f"{v['cables']} to each are {v['left']} too few"
    )


def _uplinks_over(v: Values) -> str:
    if "peers" not in v:
        return f"{v['times']:.3g} times"
    return f"{v['uplinks']} over {v['peers']}"


def _dividing(v: Values) -> str:
    if "peers" not in v:
        return f"the same cables to each: {v['widest_GBps']:g} GB/s a switch"
    works = {n: v.count("uplinks") // n for n in v.counts("peers_that_divide")}
    ways = [
        f"{n} of {v['above']} with {counted(cables, 'cable')} to each"
        for n, cables in works.items()
    ]
    if "more_cables" in v:
        ways.insert(
            0,
            f"{v.with_noun('more_cables', 'cable')} to each {v['above']} instead of {v['cables']}",
        )
    return ", or ".join(ways) or f"larger switches, or fewer devices below each {v['group']}"


def _overloaded(v: Values) -> str:
    return (
        f"{whether_adaptive(v)}; static ECMP puts {v['times']:.2g} times its fair share on the "
        f"most loaded of {v['uplinks']} uplinks, and a collective waits for it"
    )


def _evenly_hashed(v: Values) -> str | None:
    pairs = take = ""
    if "queue_pairs" in v:
        pairs = f"NCCL_IB_QPS_PER_CONNECTION={v['queue_pairs']} keeps it to {v['limit']:g}"
    if "adaptive_switch" in v:
        take = f"take {v['adaptive_switch']}, which routes adaptively"
    return ", or ".join(words for words in (pairs, take) if words) or None


NETWORK_TAPERED = Code(
    "network-tapered",
    "info",
    "another network tapers upwards",
    "leaves of a network other than the compute network, such as that to storage, carry less "
    "upwards than their devices run together; cages that stay free take splitters that do "
    "not reach from rack to rack",
    "more uplinks or larger switches, or accept it",
    text=(
        "{uplinks} uplinks where what is below runs as fast as {uplinks_wanted}: "
        "{above_gbit:,} Gb/s up, {below_gbit:,} Gb/s down; {free_cages} of {cages} cages of "
        "a switch stay free"
    ),
    figure="{ratio:.3g}:1",
    fix="{uplinks_wanted} uplinks for each {leaf}, on larger switches if cages lack",
    measure=Measure("ratio", ":1"),
)

TIERS: tuple[Code, ...] = (
    Code(
        "oversubscribed",
        "warning",
        "oversubscription above policy",
        "a tier has more capacity down than up, beyond what the policy allows",
        "more uplinks",
        text=_oversubscribed,
        figure="{ratio:.3g}:1 at the {tier} tier, policy {limit:.3g}:1",
        fix=_more_uplinks,
        measure=Measure("ratio", ":1"),
    ),
    Code(
        "uneven-uplinks",
        "warning",
        "uplinks not a whole number per spine",
        "a switch's uplinks do not divide over the switches above, so that ports stay "
        "idle or some get more",
        "a count of spines that divides the uplinks",
        text=_undivided,
        figure=_uplinks_over,
        fix=_dividing,
    ),
    Code(
        "uplinks-missing",
        "warning",
        "fewer uplinks than their peers",
        "absent cables or spines leave some switches thinner; traffic over them is slower",
        "cable what is absent",
        text="{switches:,} switches have fewer uplinks than the others ({fewest}, not {most})",
        figure="{fewest} of {most}",
        fix=lambda v: f"cable the {v.count('most') - v.count('fewest')} that are absent",
        measure=Measure("missing", "cables"),
    ),
    Code(
        "overbuilt-uplinks",
        "info",
        "more uplinks than downlinks",
        "a tier has at least twice the capacity up than down",
        "fewer cables or spines",
        text="{ports_up:,} connections above for {ports_down:,} below: half of them idle",
        figure="{ratio:.2g}:1",
        fix="{spare:,} connections fewer would do",
        measure=Measure("ratio", ":1", "less"),
    ),
    NETWORK_TAPERED,
    replace(
        NETWORK_TAPERED,
        code="network-starved",
        severity="warning",
        title="another network tapers beyond use",
        meaning="leaves of a network other than the compute network run so much faster below than "
        "above that the policy's limit is passed; 8:1 is the most that is usual in data centers",
        usual_fix="more uplinks, larger switches, or fewer devices on each leaf",
        figure="{ratio:.3g}:1, policy {limit:g}:1",
    ),
    Code(
        "ecmp-overload",
        "warning",
        "static ECMP overloads uplinks",
        "switches hash connections onto uplinks, and the most loaded gets a multiple of its share",
        "adaptive routing, or queue pairs",
        text=_overloaded,
        figure="{times:.2g} times, policy {limit:g}",
        fix=_evenly_hashed,
        measure=Measure("times", "times the fair share"),
    ),
)
