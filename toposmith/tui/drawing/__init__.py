"""Signs, curves, racks and lines of text as rows of characters."""
