"""The best that any schedule could do on the wiring."""
