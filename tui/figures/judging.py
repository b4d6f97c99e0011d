"""What designs are judged by here: the user's policy, their price lists, and the day it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.topology.errors import DesignFileError, Problem, ToposmithError

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.analysis.request import Collective, Request
    from toposmith.topology.analysis.result import Analysis
    from toposmith.topology.bill.bill import Bill
    from toposmith.topology.design.document import Design
    from toposmith.topology.fabric.plan import Plan
    from toposmith.topology.findings.finding import Finding
    from toposmith.topology.review.policy import Policy
    from toposmith.topology.review.standing import Standing


def user_policy() -> Path:
    """Where a user's own policy is looked for."""
    from platformdirs import user_config_path

    return user_config_path("toposmith", appauthor=False) / "policy.yaml"


def read_policy(file: Path | None = None) -> Policy:
    """The policy of a file; the user's own without one, and the built-in one without that.

    Raises
    ------
    DesignFileError
        Where the file cannot be read, with every fault and its place.
    """
    from toposmith.topology.design.loader import MAX_BYTES, decoded, require_size
    from toposmith.topology.review.policy import Policy, parse_policy

    path = file or user_policy()
    try:
        with path.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if file is None:
            return Policy()
        raise DesignFileError(str(path), [Problem("there is no such file")]) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise DesignFileError(str(path), [Problem(f"cannot be read: {why}")]) from None
    require_size(len(raw), str(path))
    return parse_policy(decoded(raw, str(path)), str(path))


def policy_at_hand() -> tuple[Policy, tuple[Finding, ...]]:
    """The user's policy; the built-in one, with findings that say why, where theirs has faults."""
    from toposmith.topology.findings.finding import found
    from toposmith.topology.findings.place import at_file
    from toposmith.topology.review.policy import Policy

    try:
        return read_policy(), ()
    except ToposmithError as failed:
        lines = str(failed).splitlines()
        return Policy(), (found("policy-file", at_file("policy.yaml"), reason=lines[0]),)


def judged(
    plan: Plan,
    catalog: Catalog,
    analysis: Analysis,
    bill: Bill | None = None,
    *,
    extra: Iterable[Finding] = (),
) -> tuple[Finding, ...]:
    """Everything that a reviewer should know of a design today, by the policy at hand."""
    from toposmith.topology.analysis.jobs.of_design import job_and_findings
    from toposmith.topology.review.findings.collecting import review_findings

    policy, about_policy = policy_at_hand()
    _, about_job = job_and_findings(plan.design)
    found = (*extra, *about_policy, *about_job)
    return review_findings(
        plan, catalog, analysis, policy, extra=found, today=date.today(), bill=bill
    )


def stand(
    source: str,
    design: Design,
    catalog: Catalog,
    collectives: Sequence[Collective] = (),
    *,
    request: Request | None = None,
    policy: Policy | None = None,
) -> Standing:
    """How a design stands today, with the user's policy and price lists."""
    from toposmith.topology.bill.pricing import bill_prices
    from toposmith.topology.review.standing import COLLECTIVES, standing

    return standing(
        source,
        design,
        catalog,
        collectives or COLLECTIVES,
        request,
        policy=policy or read_policy(),
        prices=bill_prices(design, catalog),
        today=date.today(),
    )
