"""Findings as data: a code, a place and named values; the code's record renders the words."""
