"""What a collective puts on every link of the fabric."""
