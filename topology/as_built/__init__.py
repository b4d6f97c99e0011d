"""What is really cabled, against the plan: dumps of fabrics, matched, compared, and put right."""
