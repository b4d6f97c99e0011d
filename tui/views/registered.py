"""The views that can take the place of the fabric: a line for each is all that the app needs.

A program of one's own adds its view to this list before the app opens a design.
"""

from __future__ import annotations

from toposmith.tui.views.as_built_view import AsBuiltView
from toposmith.tui.views.bill_view import BillView
from toposmith.tui.views.comments_view import CommentsView
from toposmith.tui.views.curve_view import CurveView
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.fabrics_view import FabricsView
from toposmith.tui.views.failures_view import FailuresView
from toposmith.tui.views.findings_view import FindingsView
from toposmith.tui.views.fixes_view import FixesView
from toposmith.tui.views.growth_view import GrowthView
from toposmith.tui.views.jobs_view import JobsView
from toposmith.tui.views.layouts_view import LayoutsView
from toposmith.tui.views.measured_view import MeasuredView
from toposmith.tui.views.racks_view import RacksView
from toposmith.tui.views.view import View
from toposmith.tui.views.workload_view import WorkloadView

VIEWS: list[type[View]] = [
    CurveView,
    MeasuredView,
    JobsView,
    BillView,
    RacksView,
    FindingsView,
    FixesView,
    FailuresView,
    DifferencesView,
    AsBuiltView,
    CommentsView,
    WorkloadView,
    LayoutsView,
    FabricsView,
    GrowthView,
]
