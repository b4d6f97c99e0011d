"""Codes of findings about racks."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import joined


def _drawn(v: Values) -> str:
    """``40.8 kW``; ``at least 16.8 kW, at most 28.8 kW`` where devices have no power."""
    if "power_kw" in v:
        return f"{v['power_kw']:.1f} kW"
    said = [f"at least {v['least_kw']:.1f} kW"] if v["least_kw"] else []
    filled = f"{v['filled_kw']:.1f} kW"
    said.append(f"at most {filled}" if v["bounded"] else f"{filled} assumed")
    return ", ".join(said)


def _over_power(v: Values) -> str:
    known = "its limit" if v["limit_given"] else "the limit assumed"
    return f"{_drawn(v)}, {known} is {v['limit_kw']:.1f} kW"


def _fewer_nodes(v: Values) -> str:
    if v["nodes_that_fit"]:
        return f"nodes_per_rack: {v['nodes_that_fit']}, or racks with more power"
    return f"racks with at least {v['fullest_kw']:.1f} kW"


def _no_rating(v: Values) -> str:
    if "pdu" in v:
        known = ", ".join(v.texts("known")) or "none"
        return f"{v['pdu']!r} is no power distribution unit of the catalog (known: {known})"
    return f"the rating of {v['part']} is not known; whether feeds suffice is unknown"


def _feeds_short(v: Values) -> str:
    draw = "draws" if v["racks"] == 1 else "draw"
    deliver = "delivers" if v["feeds"] == 1 else "deliver"
    return f"{draw} more than the {v['feeds_kw']:.1f} kW that {v['feeds']} x {v['feed']} {deliver}"


def _off_the_busbar(v: Values) -> str:
    parts, rack = joined(v.texts("parts")), f"the DC busbar of {v['system']}"
    if v["known"]:
        return f"{parts} {'takes' if len(v.texts('parts')) == 1 else 'take'} AC, and not {rack}"
    return f"whether {parts} can be fed by {rack} is not in this catalog"


def _outlets_short(v: Values) -> str:
    of = f"{v['feeds']} x {v['feed']}"
    if v["too_few"]:
        return (
            f"its devices have at least {v['inlets']} power supplies, {of} {v['outlets']} outlets"
        )
    return (
        f"{v['large']} power supplies of its devices draw more than 10 A and need C19 outlets, of "
        f"which {of} have {v['large_outlets']}"
    )


def _outlet_figure(v: Values) -> str:
    if v["too_few"]:
        return f"{v['inlets']} supplies, {v['outlets']} outlets"
    return f"{v['large']} supplies for C19, {v['large_outlets']} C19 outlets"


def _other_air(v: Values) -> str:
    if others := v.texts("others"):
        return f"order {' or '.join(others)}"
    return "order one of them with the other direction of air"


def _feeds_alone(v: Values) -> str:
    do = "does" if v["racks"] == 1 else "do"
    lost = "its only feed" if v["feeds"] == 1 else f"one of {v['feeds']} feeds"
    return f"{do} not survive the loss of {lost}, which leaves {v['left_kw']:.1f} kW"


def _feed_figure(v: Values) -> str:
    drawn = f"{v['fullest_kw']:.1f} kW"
    return f"{drawn}, {v['feed_kw']:.1f} kW a feed" if "feed_kw" in v else drawn


def _height_unknown(v: Values) -> str:
    what = f"the height of {v['part']} is not in this catalog"
    if "assumed_units" not in v:
        return f"{what}; it is in no rack"
    return (
        f"{what}; racks and lengths are incomplete: they assume {v['assumed_units']:g} U, the most "
        "of its kind"
    )


def _power_unknown(v: Values) -> str:
    """What is known of a device's power, and what racks are filled by."""
    of = v["part"] if not v["of_nics"] else f"the NICs fitted into {v['part']}"
    least = f" (each draws at least {v['least_kw']:.1f} kW)" if v["least_kw"] else ""
    filled = {
        "supplies": f"{v['filled_kw']:.1f} kW, the most that its power supplies deliver",
        "assumed": f"{v['filled_kw']:.1f} kW, which is assumed",
    }.get(v.text("basis"), "height alone")
    return (
        f"the power of {of} is not in this catalog{least}; racks are incomplete: they are filled "
        f"by {filled}"
    )


def _no_rack(v: Values) -> str:
    what = f"is a {v['kind']}, no rack" if "kind" in v else "is not in the catalog"
    return f"{v['part']!r} {what} (racks: {', '.join(v.texts('known')) or 'none'})"


def _no_group(v: Values) -> str:
    return f"no group {v['group']!r} (groups: {', '.join(v.texts('known')) or 'none'})"


def _no_device(v: Values) -> str:
    return {
        "rack 0": "racks count from 01",
        "no device": "name devices, not ports or cables",
    }.get(v.text("fault")) or v.text("reason")


def _beyond_row(v: Values) -> str:
    return (
        f"no rack {v['rack']}: the row is {v['first']} to {v['last']} (racks_per_row: "
        f"{v['racks_per_row']}); the default places its devices"
    )


RACKS: tuple[Code, ...] = (
    Code(
        "rack-over-height",
        "error",
        "device beyond the rack's top",
        "a device that the design places sticks out of its rack",
        "a lower unit, or another rack",
        text=lambda v: (
            f"{v['device']} takes U{v['unit']} to U{v['top_unit']}, the rack ends at U{v['units']}"
        ),
        figure="{units} U",
    ),
    Code(
        "rack-unit-taken",
        "error",
        "two devices in one U",
        "the design places two devices in the same U",
        "another unit or rack for one of them",
        text="{other} and {device} both take U{unit}; give one of them another unit or rack",
    ),
    Code(
        "rack-over-power",
        "warning",
        "rack power exceeded",
        "a rack draws more than its limit; an error where design or part state the limit",
        "fewer nodes in a rack, or racks with more power",
        text=_over_power,
        figure="{fullest_kw:.1f} of {limit_kw:.1f} kW",
        fix=_fewer_nodes,
        measure=Measure("most_kw", "kW"),
    ),
    Code(
        "rack-power-open",
        "warning",
        "rack power against its limit is unknown",
        "it holds devices of unknown power, and what is known of them leaves both possible; "
        "reported where the design or the part states the limit",
        "put their power into a part file of your own, or fewer devices in a rack",
        text=lambda v: f"{_over_power(v)}: whether it is kept is unknown",
    ),
    Code(
        "rack-over-weight",
        "error",
        "rack overloaded",
        "its devices weigh more than the rack carries",
        "fewer devices in a rack, or a stronger rack",
        text="devices of {weight_kg:,.0f} kg, {rack} carries {carries_kg:,.0f} kg",
        figure=lambda v: f"{v['heaviest_kg']:,.0f} of {v['carries_kg']:,.0f} kg",
        fix="fewer devices in a rack (nodes_per_rack:), or a stronger rack",
        measure=Measure("heaviest_kg", "kg"),
    ),
    Code(
        "rack-feed-unknown",
        "warning",
        "feeds of unknown rating",
        "what the feeds deliver is not known; an error where the part is no PDU",
        "name a PDU of the catalog with a rating",
        text=_no_rating,
    ),
    Code(
        "rack-feed-short",
        "error",
        "feeds too weak",
        "a rack draws more than all its feeds deliver",
        "more feeds, or fewer devices in a rack",
        text=_feeds_short,
        figure=_feed_figure,
        fix="count: {feeds_needed} of {feed}, or fewer devices in a rack",
        measure=Measure("most_kw", "kW"),
    ),
    Code(
        "rack-feed-not-redundant",
        "warning",
        "feeds not redundant",
        "a rack draws more than its feeds deliver once one of them is lost",
        "one feed more, or fewer devices in a rack",
        text=_feeds_alone,
        figure=_feed_figure,
        fix="count: {feeds_needed} of {feed}, or fewer devices in a rack",
        measure=Measure("most_kw", "kW"),
    ),
    Code(
        "rack-outlets-short",
        "error",
        "too few outlets",
        "the devices of a rack have more power supplies than its PDUs have outlets that carry them",
        "PDUs with more outlets, more feeds, or fewer devices in a rack",
        text=_outlets_short,
        figure=_outlet_figure,
    ),
    Code(
        "rack-airflow-mixed",
        "warning",
        "switches that blow against each other",
        "a rack holds switches whose fans blow from the ports and others whose blow to them",
        "order one of them with the other direction of air",
        text=lambda v: f"its switches blow against each other: {', '.join(v.texts('switches'))}",
        fix=_other_air,
    ),
    Code(
        "rack-busbar-unfit",
        "warning",
        "device without power from its rack's busbar",
        "a rack that is sold whole feeds its devices from a DC busbar, and holds others that take "
        "AC; an info where the catalog does not know what they take",
        "its form for the busbar, a rack of its own, or AC in that rack",
        text=_off_the_busbar,
        fix="order their form for the busbar, or place them elsewhere (`switches: end-of-row`)",
    ),
    Code(
        "rack-too-tall",
        "error",
        "device taller than the rack",
        "the device takes more U than a rack has, and cannot be placed",
        "a taller rack",
        text="{part} takes {units} U, a rack has {rack_units}; it is in no rack",
        figure="{height_units:g} of {rack_units} U",
        fix="a rack such as {rack}",
    ),
    Code(
        "rack-height-unknown",
        "warning",
        "height of a device not known",
        "neither catalog nor design has it; racks and lengths assume the most U of its kind, and "
        "are incomplete",
        "set `heights:` under `placement:`",
        text=_height_unknown,
        fix=lambda v: f"set `heights: {{{v['group']}: ...}}` under `placement:`",
    ),
    Code(
        "rack-too-many",
        "warning",
        "more devices than are put into racks",
        "devices are looked at one by one up to 250,000, cables up to 5,000,000; lengths along "
        "racks are unknown",
        "fewer devices, or set `length:` on each link",
        text=(
            "{many:,} {what} are more than the {most:,} looked at one by one; nothing is put into "
            "racks, and lengths along them are unknown"
        ),
    ),
    Code(
        "rack-height-published",
        "warning",
        "height given for a part that states its own",
        "heights: is for parts whose height the catalog lacks; that of the catalog is taken",
        "remove it from heights:",
        text=(
            "{part} takes {published_units:g} U by the catalog; heights: is for parts whose "
            "height it lacks, so that {given_units} is not used"
        ),
    ),
    Code(
        "rack-power-unknown",
        "info",
        "power of a device not known",
        "racks are filled by what bounds it, else by an assumption, and are incomplete",
        "ask the vendor, and put it into a part file of your own",
        text=_power_unknown,
    ),
    Code(
        "rack-units-unknown",
        "warning",
        "height of the rack not known",
        "racks of 42 U are assumed",
        "set `units:` under `placement:`",
        text=(
            "the height of {rack} is not known, {assumed_units} U are assumed; set `units:` under "
            "`placement:`"
        ),
    ),
    Code(
        "rack-part-unknown",
        "error",
        "rack not in the catalog",
        "the catalog has no such rack",
        "name a rack of the catalog, or leave rack: out",
        text=_no_rack,
    ),
    Code(
        "rack-unknown-group",
        "error",
        "height of an unknown group",
        "heights: names a group that is not in the design",
        "name a group of the design",
        text=_no_group,
    ),
    Code(
        "rack-bad-selector",
        "error",
        "placement of an unknown device",
        "a selector under devices: cannot be read, or names a port or cable",
        "name devices of the design",
        text=_no_device,
    ),
    Code(
        "rack-beyond-row",
        "error",
        "rack beyond the end of its row",
        "devices: names a rack that a row of racks_per_row: racks has not",
        "another rack, or more racks_per_row:",
        text=_beyond_row,
    ),
    Code(
        "rack-placed-twice",
        "warning",
        "device placed twice",
        "two lines under devices: place the same device; the later one is taken",
        "remove one of them",
        text="a line before this one places some of these devices; this one is taken",
    ),
    Code(
        "rack-switches-moved",
        "info",
        "switches in racks of their own",
        "switches: top-of-rack, and the racks of the nodes have no room",
        "fewer nodes in a rack, or nothing",
        text="{switches:,} switches find no room in the racks of the nodes; they get their own",
    ),
)
