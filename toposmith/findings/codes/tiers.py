"""Codes of findings about tiers and uplinks."""

from __future__ import annotations

from dataclasses import replace

from toposmith.catalog.part_text import domain_noun
from toposmith.findings.codes.code import Code, Measure, Values, gpu_links, whether_adaptive
from toposmith.text import counted, oversubscriptions, plain_number


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
        for switch, ports in zip(v.texts("lacking"), v.counts("ports_lacking"), strict=True)
    ]
    if lacks:
        words = f"{words}, on {' and '.join(lacks)}"
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
        f"{v.with_noun('uplinks', 'uplink')} do not divide over {above}: "
        f"{v['cables']} to each leave {v['left']} out"
    )


def _uplinks_over(v: Values) -> str:
    if "peers" not in v:
        return f"{v['times']:.3g} times"
    return f"{v['uplinks']} over {v['peers']}"


def _dividing(v: Values) -> str:
    if "peers" not in v:
        return f"the same cables to each: {v['widest_GBps']:g} GB/s a switch"
    works, above = v.counts("peers_that_divide"), v["above"]
    if not works:
        return (
            f"larger switches: no number of {above} has the ports for {v['uplinks']} of each "
            f"{v['group']}"
        )
    cables = " or ".join(str(v.count("uplinks") // n) for n in works)
    return f"{' or '.join(map(str, works))} of {above}: {cables} cables to each"


def _overloaded(v: Values) -> str:
    return (
        f"{whether_adaptive(v)}; static ECMP puts {v['times']:.2g} times its fair share on the "
        f"fullest of {v['uplinks']} uplinks, and a collective waits for it"
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
    "leaves of a network beside the compute network, such as that to storage, carry less "
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
        meaning="leaves of a network beside the compute network run so much faster below than "
        "above that the policy's limit is passed; 8:1 is the most that is usual in data centers",
        usual_fix="more uplinks, larger switches, or fewer devices on each leaf",
        figure="{ratio:.3g}:1, policy {limit:g}:1",
    ),
    Code(
        "ecmp-overload",
        "warning",
        "static ECMP overloads uplinks",
        "switches hash connections onto uplinks, and the fullest gets a multiple of its share",
        "adaptive routing, or queue pairs",
        text=_overloaded,
        figure="{times:.2g} times, policy {limit:g}",
        fix=_evenly_hashed,
        measure=Measure("times", "times the fair share"),
    ),
)


_BETWEEN = {
    "within": "",
    "between": " between racks",
    "unknown": "; whether both ends share a rack is unknown",
}


def _no_cable(v: Values) -> str:
    return f"{_why_no_cable(v)}; the bill lacks its cables"


def _why_no_cable(v: Values) -> str:
    if "policy" in v:
        place = _BETWEEN[v.text("racks")] if v["policy"] == "copper-within-rack" else ""
        return f"only copper reaches, which the policy {v['policy']} does not allow{place}"
    if "joined" in v:
        return f"nothing in the catalog joins {v['joined']}"
    if "shortest_m" not in v:
        return (
            f"only copper fits, up to {plain_number(v.number('reach_m'))} m; say the link's length"
        )
    shortest, longest = v.number("shortest_m"), v.number("longest_m")
    metres = plain_number(longest, "m")
    if shortest != longest:
        metres = f"{plain_number(shortest)} to {metres}"
    return f"{metres} are too far; the parts that fit reach {plain_number(v.number('reach_m'))} m"


def _too_short(v: Values) -> str:
    typed = f"cables of {plain_number(v.number('length_m'))} m are typed"
    way = f"{plain_number(v.number('way_m'))} m"
    if "racks" in v:
        racks = counted(v.count("racks"), "rack")
        return (
            f"{typed}; {v['group']} x {v.count('peers'):,}, to which one device is cabled, take "
            f"{racks} by default, and from their middle it is {way} to the farthest"
        )
    filled = "by_default" in v
    return (
        f"{typed}; the way along its racks{', as they are filled by default,' * filled} is up to "
        f"{way}, and {v.count('short'):,} of "
        f"{v.with_noun('cables', 'cable')} do not reach"
    )


def _shorter(v: Values) -> str:
    if longest := v.number("buildable_m"):
        within = f"{plain_number(longest)} m of cable, the longest that can be built"
        if "length_m" in v:
            return f"place the ends within {within}"
        return f"set `length:` on the link where its ends are within {within}, or place them so"
    return "take a NIC or a switch with the other's cage; no length can be cabled"


def _trays(v: Values) -> str:
    trays = counted(v.count("switch_trays"), "switch tray") if "switch_trays" in v else ""
    domains = counted(v.count("domains"), domain_noun(gpu_links(v)))
    return (
        f"its nodes are {domains} of {v['domain_gpus']} GPUs, "
        f"joined by {trays or 'switch trays'} of the rack, which the design does not draw; "
        "the bill lacks them with their power and rack units"
    )


def _heat_sinks(v: Values) -> str:
    wrong = " and ".join(
        f"{module} at {end} is {sink}, its cage takes {cage} modules"
        for module, end, sink, cage in zip(
            *(v.texts(name) for name in ("modules", "ends", "heat_sinks", "cage_heat_sinks")),
            strict=True,
        )
    )
    return f"{wrong}; the catalog has no other, order that version of it"


def _at_ends(v: Values) -> str:
    pairs = zip(v.texts("ends"), v.texts("devices"), strict=True)
    return " or ".join(f"{end} ({device})" for end, device in pairs)


def _plugs(v: Values) -> str:
    pieces = v.count("pieces")
    many = f"{pieces:,} x " if pieces else ""
    return f"{many}{v.text('part')} not known to be taken at {_at_ends(v)}"


def _generic(v: Values) -> str:
    return f"{_plugs(v)}; no part in the catalog is known to be, and this one is yet to be coded"


def _not_listed(v: Values) -> str:
    listed = v.texts("listed")
    named = f"its maker names {', '.join(listed)}" if listed else "it names no platforms"
    return f"{_plugs(v)}: {named}"


def _listing(v: Values) -> str:
    if unnamed := v.texts("unnamed"):
        return (
            f"say `platform:` in the part of {' and '.join(unnamed)}, or `optics: any maker` where "
            "its maker's page does"
        )
    wanted = ", ".join(platform for platform in v.texts("platforms") if platform)
    return (
        "look in the maker's list of cables and modules; a part file of your own then has what it "
        f"lists, with its number and `platforms: [{wanted}]`"
    )


def _links(v: Values) -> str:
    return ", ".join(v.texts("names"))


CABLING: tuple[Code, ...] = (
    Code(
        "no-cable",
        "error",
        "no cable reaches or fits",
        "a link is beyond the reach of every part that fits, or nothing fits its cages; a warning "
        "where its length is not known",
        "a shorter way, or other parts",
        text=_no_cable,
        figure="{length_m:,g} m",
        fix=_shorter,
    ),
    Code(
        "length-short",
        "error",
        "typed length shorter than the way",
        "a `length:` is less than the way between the racks of both ends, so that cables of it do "
        "not reach; a warning where the design does not place its racks and others could do",
        "the length of the way, no `length:`, or racks that stand nearer",
        text=_too_short,
        figure="{length_m:,g} m of {way_m:,g} m",
        fix=(
            "`length: {way_m:g}`, or no `length:`, so that the racks give it; or place both ends "
            "nearer"
        ),
    ),
    Code(
        "no-nvlink-switches",
        "warning",
        "NVLink switch trays not on the bill",
        "the trays that join the nodes of a rack are not drawn; the bill lacks them",
        "draw them, and a link from node.nvlink to them; or order whole racks",
        text=_trays,
    ),
    Code(
        "rack-not-whole",
        "warning",
        "racks that are not as they are sold",
        "a rack lacks trays, or has other NVLink switches than it is sold with; the bill has its "
        "trays, and nothing that holds, feeds and joins them",
        "draw whole racks, or ask the vendor for the rack with fewer trays",
        text=lambda v: (
            f"{counted(v.count('racks'), 'rack')} not as sold ({v['of']}): trays are on the bill, "
            f"and not what each rack holds besides ({', '.join(v.texts('held'))})"
        ),
    ),
    Code(
        "heat-sink",
        "warning",
        "module with the wrong heat sink",
        "the cage takes another version of the module",
        "order the version that is named",
        text=_heat_sinks,
    ),
    Code(
        "optics-generic",
        "info",
        "cable or module to be coded for its device",
        "no cable or module of the catalog is known to be taken by the devices at both ends; the "
        "bill has one of no maker, or of one who codes it to order",
        "what the maker's list of cables and modules has, in a part file of your own",
        text=_generic,
        fix=_listing,
        measure=Measure("pieces", "pieces"),
    ),
    Code(
        "optics-not-listed",
        "warning",
        "cable or module of another platform",
        "its maker names other switches or NICs than the one that it is plugged into",
        "what the device's maker lists, in a part file of your own",
        text=_not_listed,
        fix=_listing,
        measure=Measure("pieces", "pieces"),
    ),
    Code(
        "length-unknown",
        "info",
        "length not known",
        "neither the link nor its racks say a length; the bill takes optics",
        "set `length:` on the link",
        text=lambda v: f"no length is known for {_links(v)}; the bill takes optics for them",
        figure="{count} of {links} links",
        fix="set `length:` on each link",
        measure=Measure("count", "links"),
    ),
    Code(
        "length-assumed",
        "info",
        "length along assumed racks",
        "the design gives neither lengths nor rack positions; cables are measured along"
        " racks filled by default",
        "set `length:` on the link, or `placement:` in the design",
        text=lambda v: (
            f"no length is given for {_links(v)}; they are measured along racks filled by default"
        ),
        figure="{count} of {links} links",
        fix="set `length:` on each link, or `placement:` in the design",
        measure=Measure("count", "links"),
    ),
    Code(
        "mixed-parts",
        "info",
        "cables of one cage built differently",
        "ports of one cage have cables of unlike lengths and parts; the fewest kinds are counted",
        "lengths that one part can build",
        text=(
            "its lengths need {ways} kinds of cable, and its ports share cages. Cables are "
            "counted one by one; modules and cages are counted as if each device used as few "
            "kinds as possible"
        ),
    ),
    Code(
        "price-list",
        "warning",
        "invalid price list",
        "a line of a price list was left out because it has faults",
        "mend the line that is named",
        text="{reason}; left out",
    ),
)
