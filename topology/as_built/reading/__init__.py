"""Readers of what fabric managers, switches, hosts and planning sheets say of cables."""
