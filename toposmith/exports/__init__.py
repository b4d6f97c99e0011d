"""Exports: files for other tools."""
