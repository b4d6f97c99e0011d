"""Designs reviewed as the command does it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from toposmith.analysis.analyse import analyse
from toposmith.analysis.jobs.communicator import job_of
from toposmith.analysis.request import Request, Routing
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.collecting import review_findings
from toposmith.review.policy import Policy, parse_policy

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
