"""What lists look like: rows and columns of figures, in words."""
