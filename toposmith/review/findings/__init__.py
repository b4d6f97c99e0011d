"""Findings of a review: what is wrong or fragile, the figure behind it, the fix."""
