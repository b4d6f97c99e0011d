"""The figures of a design without each thing that can fail."""
