"""What to change, what to leave out, what to build: found by search, each proven by analysis."""
