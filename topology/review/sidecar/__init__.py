"""What people said about a design, kept in a file beside it that only grows."""
