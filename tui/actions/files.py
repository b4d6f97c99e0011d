"""Designs, bills and other files."""

from __future__ import annotations

from toposmith.tui.actions.definition import EVERYWHERE, Action

FILES: tuple[Action, ...] = (
    Action(
        "save", ("s", "ctrl+s"), "save",
        "Save the design; comments and order of a file written by hand stay",
        changes=True, rank=7,
    ),
    Action(
        "save_as", ("S",), "save as",
        "Save the design under another name",
        changes=True,
    ),
    Action(
        "bill", ("b",), "BOM",
        "Bill of materials as it stands: every box, NIC, cable and transceiver, sorted and "
        "filtered; w there writes it to a file",
        rank=16, title="BOM: the bill of materials",
    ),
    Action(
        "write_bill", ("B",), "write BOM",
        "Write the bill of materials to a file, in the form that its name ends in",
        title="Write BOM to a file",
    ),
    Action(
        "racks", ("K",), "racks",
        "Racks from the front in the place of the fabric: what stands in which U, power against "
        "the limit, heat, feeds; alike racks once",
        rank=27, title="Racks from the front, with power and heat",
    ),
    Action(
        "export", ("E",), "export",
        "Write the design for others: report, bill, cable schedule, elevations, drawings, graphs; "
        "asks for the form and the file",
        rank=24, title="Export: report, bill, cables, drawings",
    ),
    Action("open", ("o",), "open", "Open a design file", where=EVERYWHERE, rank=17),
    Action(
        "new", ("N",), "new",
        "Begin with an empty canvas",
        where=EVERYWHERE, changes=True, rank=22,
    ),
    Action(
        "template", ("T",), "template",
        "Fill an empty canvas from a template by a few questions: rail-optimised, top-of-rack, "
        "single switch, dual-plane, rail-only",
        changes=True, rank=18, title="Template: fill an empty canvas",
    ),
    Action(
        "start", ("W",), "welcome",
        "Go to the start: saved designs, recent files, recovered work",
    ),
    Action(
        "tour", ("G",), "tour",
        "A first tour on a real design, key by key; leaves it where it is on",
        where=EVERYWHERE, rank=25, title="Tour: the first steps on a real design",
    ),
)  # fmt: skip
