"""What changed between two designs, and what follows from it."""
