"""Designs, bills and other files."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

FILES: tuple[Action, ...] = (
    Action(
        "save", ("s", "ctrl+s"), "save",
        "Save the design; comments and order of a file written by hand stay",
        changes=True, rank=7,
        also_of=("design",),
        do=Act(lambda designer: designer.files.save()),
    ),
    Action(
        "save_as", ("S",), "save as",
        "Save the design under another name",
        changes=True,
        do=Act(lambda designer: designer.files.save_as()),
    ),
    Action(
        "write_bill", ("B",), "write BOM",
        "Write the bill of materials to a file, in the form that its name ends in",
        title="Write BOM to a file",
        do=LazyFlow("flows.exports", "export_bill"),
    ),
    Action(
        "export", ("E",), "export",
        "Write the design for others: report, bill, cable schedule, elevations, drawings, graphs; "
        "asks for the form and the file",
        rank=24, title="Export: report, bill, cables, drawings",
        also_of=("design",),
        do=LazyFlow("flows.exports", "export"),
    ),
    Action(
        "open", ("o",), "open",
        "Open a design file",
        rank=17,
        do=Act(lambda designer: designer.files.open_file()),
        at_start=lambda start: start.open_file(),
    ),
    Action(
        "new", ("N",), "new",
        "Begin with an empty canvas",
        changes=True, rank=22,
        do=Act(lambda designer: designer.files.new()),
        at_start=lambda start: start.begin_empty(),
    ),
    Action(
        "search", ("asterisk",), "design it",
        "Say how many nodes, what each GPU needs and which limits hold, and see the fabrics that "
        "meet it",
        rank=19, title="Design it: fabrics for what you need",
        at_start=lambda start: start.begin_search(),
    ),
    Action(
        "template", ("T",), "template",
        "Fill an empty canvas from a template by a few questions: rail-optimised, top-of-rack, "
        "single switch, dual-plane, rail-only",
        changes=True, rank=18, title="Template: fill an empty canvas",
        also_of=("design",),
        do=LazyFlow("flows.new_design", "from_template"),
        at_start=lambda start: start.begin_template(),
    ),
    Action(
        "start", ("W",), "welcome",
        "Go to the start: saved designs, recent files, recovered work",
        do=Act(lambda designer: designer.files.go_to_start()),
    ),
    Action(
        "tour", ("G",), "tour",
        "A first tour: build a small cluster, break it, mend it, write it out; while it is on, "
        "leave it",
        rank=25, title="Tour: build, break and mend a small cluster",
        do=Act(lambda designer: designer.files.tour()),
        at_start=lambda start: start.begin_tour(),
    ),
)  # fmt: skip
