"""From a design to its fabric: parts looked up, ports dealt, and the graph over classes."""
