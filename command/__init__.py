"""What needs no screen: one module for each group of commands."""
