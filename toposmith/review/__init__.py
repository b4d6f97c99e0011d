"""Reviewing a design: what fails with what, what changed, and what people said about it."""
