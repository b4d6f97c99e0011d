"""Drawings of a design: the fabric by tiers, and racks from the front, as SVG or PNG."""
