"""Figures of the design at hand: asked for, computed beside the screen, compared."""
