"""What lies inside the fabric: a unit with its port matrix, a node, a switch."""
