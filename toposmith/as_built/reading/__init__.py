"""Readers of cable lists from fabric managers, switches, hosts and planning sheets."""
