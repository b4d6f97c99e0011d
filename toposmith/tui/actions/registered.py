"""The views that can take the place of the fabric: a record for each is all that the app needs.

A program of one's own adds its record to this list before the app opens a design.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.tui.actions.definition import Action, turning_to
from toposmith.tui.lazy_import import LazyFlow, LazyImport

if TYPE_CHECKING:
    from toposmith.tui.views.listing import Listing
    from toposmith.tui.views.view import View


@dataclass(frozen=True)
class Registered:
    """A view that can be turned to.

    Parameters
    ----------
    action : Action
        What turns to it: its keys and words; its id is the view's name.
    load : callable
        Reads the view's module and returns its listing, or the class of its widget. Called when
        the view is first shown, so that what a view needs is loaded only when it is opened.
    """

    action: Action
    load: Callable[[], type[View] | Listing]


VIEWS: list[Registered] = [
    Registered(
        turning_to(
            "curve",
            ("v",),
            "curve",
            "Curve of busbw against size, instead of the fabric, with the sizes where "
            "NCCL switches; the saved version is drawn too where it differs",
            section="figures",
            rank=11,
            title="Curve of busbw against size",
        ),
        LazyImport("views.curve_view", "CurveView").load,
    ),
    Registered(
        turning_to(
            "measured",
            ("percent_sign",),
            "measured",
            "A run of nccl-tests or rccl-tests against what the design predicts, size by size,"
            " with the likely cause of a gap; o there opens a log",
            section="figures",
            rank=0,
            title="Measured: a run of nccl-tests against the design",
        ),
        LazyImport("views.measured_view", "MEASURED").load,
    ),
    Registered(
        turning_to(
            "jobs",
            ("Q",),
            "jobs",
            "Concurrent jobs, with their checkpoints to storage: what each gets alone and "
            "together, and the link that they contend for; a there adds one",
            section="figures",
            rank=0,
            title="Concurrent jobs: alone, together, and the link they share",
        ),
        LazyImport("views.jobs_view", "JOBS").load,
    ),
    Registered(
        turning_to(
            "bill",
            ("b",),
            "BOM",
            "Bill of materials: every box, NIC, cable and transceiver, sorted "
            "and filtered; w there writes it to a file",
            section="files",
            before="write_bill",
            rank=16,
            title="BOM: the bill of materials",
        ),
        LazyImport("views.bill_view", "BILL").load,
    ),
    Registered(
        turning_to(
            "racks",
            ("K",),
            "racks",
            "Racks from the front, instead of the fabric: what is in which U, power "
            "against the limit, heat, feeds; equal racks once",
            section="files",
            before="export",
            rank=27,
            title="Racks from the front, with power and heat",
        ),
        LazyImport("views.racks_view", "RacksView").load,
    ),
    Registered(
        turning_to(
            "findings",
            ("f",),
            "findings",
            "List everything that is wrong or worth knowing, with the figure and the fix; "
            "Enter goes to the place, w waives",
            section="review",
            before="comment",
            rank=15,
        ),
        LazyImport("views.findings_view", "FINDINGS").load,
    ),
    Registered(
        turning_to(
            "fixes",
            ("I",),
            "fixes",
            "The smallest changes that lift the figure, with what they cost: Enter previews "
            "one, Enter again makes it; v there shows what could be left out, l lifts what a "
            "failure leaves",
            section="figures",
            rank=16,
            title="Fixes: the smallest changes that lift the figure, or what could go",
        ),
        LazyImport("views.fixes_view", "FIXES").load,
    ),
    Registered(
        turning_to(
            "failures",
            ("F",),
            "failures",
            "What every single failure leaves of the bandwidth, worst first, in place of the "
            "fabric",
            section="review",
            rank=26,
        ),
        LazyImport("views.failures_view", "FAILURES").load,
    ),
    Registered(
        turning_to(
            "differences",
            ("vertical_line",),
            "differences",
            "What differs from the saved version, another file or a revision of git, and what"
            " follows: figures, parts, findings; o there chooses",
            section="review",
            before="designs",
            rank=28,
            title="Differences from another design",
        ),
        LazyImport("views.differences_view", "DIFFERENCES").load,
    ),
    Registered(
        turning_to(
            "as_built",
            ("at",),
            "as built",
            "What is really cabled against the design: which cables to move, what each costs;"
            " o there opens what the fabric manager says, a second one shows what was done",
            section="review",
            rank=0,
            title="As built: what is really cabled, against the design",
        ),
        LazyImport("views.as_built_view", "AS_BUILT").load,
    ),
    Registered(
        turning_to(
            "review",
            ("V",),
            "review",
            "The review: whether it is approved, who decided what, comments on groups and "
            "links; a there comments, R replies, x resolves, d decides",
            section="review",
            before="comment",
            rank=26,
            title="Review: state, decisions, comments",
        ),
        LazyImport("views.comments_view", "REVIEW").load,
    ),
    Registered(
        turning_to(
            "workload",
            ("t",),
            "workload",
            "Whether the design serves a model: its step as a picture, what each "
            "communication needs of the network and gets; e there changes the model",
            section="workload",
            rank=10,
        ),
        LazyImport("views.workload_view", "WorkloadView").load,
    ),
    Registered(
        turning_to(
            "layouts",
            ("Y",),
            "layouts",
            "All layouts of the workload's model on this cluster, the quickest first; Enter "
            "takes one",
            section="workload",
            rank=28,
            title="Layouts of the workload, the quickest first",
        ),
        LazyImport("views.layouts_view", "LAYOUTS").load,
    ),
    Registered(
        Action(
            "fabrics",
            ("asterisk",),
            "design it",
            "Say how many nodes, what each GPU needs and which limits hold, and see the "
            "fabrics that meet it; Enter previews one, Enter again takes it",
            rank=23,
            title="Design it: fabrics for what you need",
            do=LazyFlow("flows.requirements", "design_it"),
            section="build",
            before="find",
        ),
        LazyImport("views.fabrics_view", "FabricsView").load,
    ),
    Registered(
        Action(
            "change",
            ("0",),
            "change order",
            "How to get here in steps from what lies there (the lock, else the saved version) or "
            "another design: cables to move, lay and pull, with the figures after each step and "
            "meanwhile",
            rank=29,
            title="Change order: the steps to here from what lies there",
            do=LazyFlow("flows.other_designs", "turn_to_change"),
            section="review",
            before="designs",
        ),
        LazyImport("views.change_view", "CHANGE").load,
    ),
]
