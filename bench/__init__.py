"""Measures speed and memory; nothing in here decides a test."""
