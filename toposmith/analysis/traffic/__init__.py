"""The load of a collective on every link of the fabric."""
