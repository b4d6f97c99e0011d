"""Designs reviewed as the command does it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from toposmith.catalog import Catalog, load_catalog
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.analysis.jobs.communicator import job_of
from toposmith.topology.analysis.request import Request, Routing
from toposmith.topology.design.parser import parse_design
from toposmith.topology.fabric.planner import plan_design
from toposmith.topology.findings.finding import Finding
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.review.findings.collecting import review_findings
from toposmith.topology.review.policy import Policy, parse_policy

CATALOG = load_catalog(user=False)
TODAY = date(2026, 11, 21)


def policy_of(text: str) -> Policy:
    return parse_policy("toposmith-policy: 1\n" + text, "policy.yaml")


def reviewed(
    text: str, policy: str = "", catalog: Catalog = CATALOG, today: date = TODAY
) -> tuple[Finding, ...]:
    design = parse_design(
        text if text.startswith("toposmith:") else "toposmith: 1\n" + text, "test"
    )
    held = policy_of(policy)
    request = Request(job=job_of(design.communicator), sharp=held.sharp)
    request = replace(request, routing=Routing(held.routing))
    plan = plan_design(design, catalog)
    analysis = analyse(plan, catalog, request)
    return review_findings(PlannedDesign(plan, catalog), analysis, held, today=today)


def counting(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Codes and places of what is a warning or worse, and not waived."""
    return [(f.code, f.where) for f in findings if f.severity != "info" and f.waived is None]
