"""What the headless commands say to a person: plain text in columns, the worst first.

Texts that come from a design or a catalog are shown with their control characters written out,
so that a terminal never obeys them.
"""
