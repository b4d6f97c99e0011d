"""Codes of findings about cabling."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

CABLING: tuple[Code, ...] = (
    Code(
        "no-cable",
        "warning",
        "no cable reaches or fits",
        "a link is beyond the reach of every part that fits, or nothing fits its cages",
        "a shorter way, or other parts",
    ),
    Code(
        "no-nvlink-switches",
        "warning",
        "NVLink switch trays not on the bill",
        "the trays that join the nodes of a rack are no parts of the catalog; the bill lacks them",
        "order whole racks, or the trays with them",
    ),
    Code(
        "heat-sink",
        "warning",
        "module with the wrong heat sink",
        "the cage takes another version of the module",
        "order the version that is named",
    ),
    Code(
        "length-unknown",
        "info",
        "length not known",
        "neither the link nor its racks say a length; the bill takes optics",
        "say length: on the link",
    ),
    Code(
        "length-assumed",
        "info",
        "length along assumed racks",
        "the design says neither lengths nor how its devices stand; cables are measured along"
        " racks filled by default",
        "say length: on the link, or placement: in the design",
    ),
    Code(
        "mixed-parts",
        "info",
        "cables of one cage built differently",
        "ports of one cage have cables of unlike lengths and parts; the fewest kinds are counted",
        "lengths that one part can build",
    ),
    Code(
        "price-list",
        "warning",
        "price list at fault",
        "a line of a price list was left out because it has faults",
        "mend the line that is named",
    ),
)
