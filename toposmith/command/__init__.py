"""The headless commands: one module for each group of commands."""
