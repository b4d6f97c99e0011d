"""Collectives in a packet-level simulator, and how far predictions of the fabric are from them."""
