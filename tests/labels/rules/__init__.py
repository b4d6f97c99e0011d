"""The table: which words may stand beside which figure, and why."""

from __future__ import annotations

from tests.labels.rule import Rule, Walk
from tests.labels.rules.bills import BILLS
from tests.labels.rules.figures import FIGURES
from tests.labels.rules.reviews import REVIEWS
from tests.labels.rules.workloads import WORKLOADS

RULES: tuple[Rule, ...] = (*FIGURES, *BILLS, *REVIEWS, *WORKLOADS)


def broken_in(walk: Walk) -> list[str]:
    """A line for each place where a rule is broken, the rules in the order of the table."""
    return [f"{rule.name}: {broken}" for rule in RULES for broken in rule.breaks(walk)]
