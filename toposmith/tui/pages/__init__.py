"""What panels say: figures in, lines of text out."""
