"""Curves as text: points drawn in Braille or ASCII cells."""
