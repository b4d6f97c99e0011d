"""Who takes part in a collective: ranks, layouts and groups."""
