"""Predicted training runs beside published ones, and how long a search over layouts takes."""
