"""Evaluation with the user's policy and price lists, as of today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.bill.terms import Terms, bill_prices
from toposmith.design.stored_files import load_text
from toposmith.errors import ToposmithError
from toposmith.evaluation.evaluated import COLLECTIVES, EvaluatedDesign
from toposmith.findings.finding import at_file, found
from toposmith.review.policy import Policy, parse_policy
from toposmith.user_folders import is_there, settings_folder

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective, Request
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.planned_design import PlannedDesign


def user_policy() -> Path:
    """Where a user's own policy is looked for."""
    return settings_folder() / "policy.yaml"


def read_policy(file: Path | None = None) -> Policy:
    """The policy of a file; by default the user's own, else the built-in one.

    Raises
    ------
    DesignFileError
        Where the file cannot be read, with every fault and its place.
    """
    path = file or user_policy()
    if file is None and not is_there(path):
        return Policy()
    return parse_policy(load_text(path)[0], str(path))


def policy_at_hand() -> tuple[Policy, tuple[Finding, ...]]:
    """The user's policy; where it has faults, the built-in one, with findings that say why."""
    try:
        return read_policy(), ()
    except ToposmithError as failed:
        lines = str(failed).splitlines()
        return Policy(), (found("policy-file", at_file("policy.yaml"), reason=lines[0]),)


def compared_here(
    source: str,
    design: Design,
    catalog: Catalog,
    collectives: Sequence[Collective] = (),
    *,
    terms: Terms | None = None,
    policy: Policy | None = None,
    shared: PlannedDesign | None = None,
) -> EvaluatedDesign:
    """A design evaluated for comparison with others, with the user's own price lists.

    Parameters
    ----------
    source : str
        What to call it.
    design, catalog
        The design, and where its parts are.
    collectives : sequence of str
        Which figures; all-reduce and all-to-all if not given.
    terms : Terms, optional
        Prices; those of the user's own lists and of what lies beside its file if not given.
    policy : Policy, optional
        Severities and limits of findings; the user's own if not given.
    shared : PlannedDesign, optional
        The same design, planned before.
    """
    return EvaluatedDesign(
        design,
        catalog,
        collectives=tuple(collectives) or COLLECTIVES,
        terms=terms or Terms(prices=bill_prices(design, catalog)),
        policy=policy or read_policy(),
        today=date.today(),
        source=source,
        shared=shared,
    )


def judged_here(
    design: Design,
    catalog: Catalog,
    request: Request | None = None,
    *,
    terms: Terms | None = None,
    extra: Sequence[Finding] = (),
    failing: tuple[str, ...] = (),
    shared: PlannedDesign | None = None,
) -> EvaluatedDesign:
    """A design evaluated as of today by the user's policy; faults of the policy are findings.

    Parameters
    ----------
    design, catalog
        The design, and where its parts are.
    request : Request, optional
        What to predict; an all-reduce of the design's own job if not given.
    terms : Terms, optional
        Prices, what cables may be made of, spares.
    extra : sequence of Finding
        Further findings.
    failing : tuple of str
        Selectors of trial failures.
    shared : PlannedDesign, optional
        The same design, planned before.
    """
    policy, about_policy = policy_at_hand()
    return EvaluatedDesign(
        design,
        catalog,
        request,
        terms=terms or Terms(),
        policy=policy,
        today=date.today(),
        extra=(*extra, *about_policy),
        failing=failing,
        shared=shared,
    )
