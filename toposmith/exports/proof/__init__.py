"""A certificate of a design, which a second program checks that shares no code with this one."""
