"""The cabling as built against the plan: dumps of fabrics, matched, compared and corrected."""
