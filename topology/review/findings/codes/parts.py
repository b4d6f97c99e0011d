"""Codes of findings about parts."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

PARTS: tuple[Code, ...] = (
    Code(
        "unknown-part",
        "error",
        "part not in the catalog",
        "the catalog has no such part (any more), so that its ports and every figure that"
        " rests on it are unknown",
        "name a part of the catalog, or give its part file with --catalog",
    ),
    Code(
        "not-a-device",
        "error",
        "part is no device",
        "a group is of nodes, switches or storage; NICs go into slots, the bill chooses cables",
        "name a node, a switch or storage",
    ),
    Code(
        "not-a-node",
        "error",
        "NICs fitted into a switch",
        "a switch has no slots for NICs",
        "remove nics from the group",
    ),
    Code(
        "unknown-slots",
        "error",
        "slots that the part has not",
        "the part has no slots of that name",
        "name slots that the part has",
    ),
    Code(
        "part-file",
        "warning",
        "part file at fault",
        "a part was left out because its file has faults",
        "mend the file at the line that is named",
    ),
    Code(
        "part-note",
        "info",
        "remark about part files",
        "such as a part that replaces another",
        "nothing, if it is meant",
    ),
    Code(
        "unknown-fact",
        "info",
        "unknown catalog fact",
        "a figure rests on a fact of a part that is not in this catalog, so that it is "
        "incomplete or a bound",
        "ask the vendor, and put the fact into a part file of your own",
    ),
    Code(
        "unverified-fact",
        "info",
        "unverified catalog fact",
        "a fact that a result rests on was found only in a place that may be wrong",
        "hold it against the vendor's data sheet",
    ),
    Code(
        "policy-file",
        "warning",
        "policy file at fault",
        "the user's policy cannot be read, so that the built-in one judges in the app",
        "mend the file at the line that is named",
    ),
    Code(
        "bad-view",
        "warning",
        "position on the canvas that cannot be read",
        "view: moves a group that is none, or not by a whole number of columns",
        "correct it, or remove it: the layout places the group",
    ),
)
