"""Several jobs at once on one fabric: what each gets alone, and together with the others."""
