"""A device of a design: its group, and where it is along the axes of that."""

At = tuple[int, ...]
"""The values of a device on the axes of its group."""

Device = tuple[str, At]
"""A device: its group, and its values on the axes of that."""
