"""From a fabric to figures: loads, predictions, bounds, tiers and findings."""
