"""Reports of the headless commands for people: plain text in columns, the worst first.

Control characters in texts of a design or a catalog are escaped,
so that a terminal never obeys them.
"""
