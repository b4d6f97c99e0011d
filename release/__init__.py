"""Releases: bill of software, check of known vulnerabilities, notes, tag and packages."""
