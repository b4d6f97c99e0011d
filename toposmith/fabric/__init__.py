"""The fabric of a design: parts looked up, ports dealt, and the class graph."""
