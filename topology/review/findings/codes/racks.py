"""Codes of findings about racks."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

RACKS: tuple[Code, ...] = (
    Code(
        "rack-over-height",
        "error",
        "device beyond the rack's top",
        "a device that the design places sticks out of its rack",
        "a lower unit, or another rack",
    ),
    Code(
        "rack-unit-taken",
        "error",
        "two devices in one U",
        "the design places two devices in the same U",
        "another unit or rack for one of them",
    ),
    Code(
        "rack-over-power",
        "warning",
        "rack power exceeded",
        "a rack draws more than its limit; an error where design or part state the limit",
        "fewer nodes in a rack, or racks with more power",
    ),
    Code(
        "rack-power-open",
        "warning",
        "whether a rack keeps its power limit is unknown",
        "devices of unknown power stand in it, and what is known of them leaves both possible; "
        "said where design or part state the limit",
        "put their power into a part file of your own, or fewer devices in a rack",
    ),
    Code(
        "rack-over-weight",
        "warning",
        "rack overloaded",
        "its devices weigh more than the rack carries",
        "fewer devices in a rack, or a stronger rack",
    ),
    Code(
        "rack-feed-unknown",
        "warning",
        "feeds of unknown rating",
        "what the feeds deliver is not known; an error where the part is no PDU",
        "name a PDU of the catalog with a rating",
    ),
    Code(
        "rack-feed-short",
        "error",
        "feeds too weak",
        "a rack draws more than all its feeds deliver",
        "more feeds, or fewer devices in a rack",
    ),
    Code(
        "rack-feed-not-redundant",
        "warning",
        "no feed may fail",
        "a rack draws more than its feeds deliver once one of them is lost",
        "one feed more, or fewer devices in a rack",
    ),
    Code(
        "rack-too-tall",
        "error",
        "device taller than the rack",
        "the device takes more U than a rack has, and stands nowhere",
        "a taller rack",
    ),
    Code(
        "rack-height-unknown",
        "warning",
        "height of a device not known",
        "neither catalog nor design has it; racks and lengths assume the most U of its kind, and "
        "are incomplete",
        "say heights: under placement:",
    ),
    Code(
        "rack-too-many",
        "warning",
        "more devices than are put into racks",
        "devices are looked at one by one up to 250,000, cables up to 5,000,000; lengths along "
        "racks are unknown",
        "fewer devices, or say length: on each link",
    ),
    Code(
        "rack-height-published",
        "warning",
        "height given for a part that states its own",
        "heights: is for parts whose height the catalog lacks; that of the catalog is taken",
        "remove it from heights:",
    ),
    Code(
        "rack-power-unknown",
        "info",
        "power of a device not known",
        "racks are filled by what bounds it, else by an assumption, and are incomplete",
        "ask the vendor, and put it into a part file of your own",
    ),
    Code(
        "rack-units-unknown",
        "warning",
        "height of the rack not known",
        "racks of 42 U are assumed",
        "say units: under placement:",
    ),
    Code(
        "rack-part-unknown",
        "error",
        "rack not in the catalog",
        "the catalog has no such rack",
        "name a rack of the catalog, or leave rack: out",
    ),
    Code(
        "rack-unknown-group",
        "error",
        "height for a group that is none",
        "heights: names a group that the design has not",
        "name a group of the design",
    ),
    Code(
        "rack-bad-selector",
        "error",
        "placed device that is none",
        "a selector under devices: cannot be read, or names a port or cable",
        "name devices of the design",
    ),
    Code(
        "rack-beyond-row",
        "error",
        "rack beyond the end of its row",
        "devices: names a rack that a row of racks_per_row: racks has not",
        "another rack, or more racks_per_row:",
    ),
    Code(
        "rack-placed-twice",
        "warning",
        "device placed twice",
        "two lines under devices: place the same device; the later one is taken",
        "remove one of them",
    ),
    Code(
        "rack-switches-moved",
        "info",
        "switches in racks of their own",
        "switches: top-of-rack, and the racks of the nodes have no room",
        "fewer nodes in a rack, or nothing",
    ),
)
