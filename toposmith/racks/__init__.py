"""Racks: placement of devices, rows and power, and lengths of cables."""
