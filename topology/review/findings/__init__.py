"""Findings of a review: what is wrong or fragile, the figure behind it, the cheapest way out."""

from topology.review.findings.collecting import finding_json, review_findings
from topology.review.findings.registry import CODES, Code

__all__ = ["CODES", "Code", "finding_json", "review_findings"]
