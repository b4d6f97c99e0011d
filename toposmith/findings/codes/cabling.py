"""Codes of findings about cabling."""

from __future__ import annotations

from toposmith.catalog.part_text import domain_noun
from toposmith.findings.codes.code import Code, Measure, Values, gpu_links
from toposmith.text import counted, plain_number

_BETWEEN = {
    "within": "",
    "between": " between racks",
    "unknown": "; whether both ends share a rack is unknown",
}


def _why_no_cable(v: Values) -> str:
    if "policy" in v:
        place = _BETWEEN[v.text("racks")] if v["policy"] == "copper-within-rack" else ""
        return f"only copper reaches, which the policy {v['policy']} does not allow{place}"
    if "asked" in v:
        unknown = " and ".join(v.texts("not_in_catalog"))
        fits_not = f"that does not join {v['joined']}"
        what = f"{unknown} is not in the catalog" if unknown else fits_not
        return f"the link asks for {v['asked']}; {what}"
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
        f"{typed}; the way along its racks{', filled by default,' * filled} is up to "
        f"{way}, and {v.count('short'):,} of "
        f"{v.with_noun('cables', 'cable')} do not reach"
    )


def _shorter(v: Values) -> str:
    if longest := v.number("buildable_m"):
        within = f"{plain_number(longest)} m of cable, the longest that can be built"
        if "length_m" in v:
            return f"place the ends within {within}"
        return f"set `length:` on the link where its ends are within {within}, or place them so"
    if "asked" in v:
        return "other parts under `cable:`, `module:` or `medium:` of the link, or none of these"
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
        text=lambda v: f"{_why_no_cable(v)}; the bill lacks its cables",
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
        "racks that differ from those sold",
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
        "ports of one cage have cables of different lengths or parts; the fewest kinds count",
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
