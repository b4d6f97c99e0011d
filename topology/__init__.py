"""The engine: designs, their fabrics, figures, bills and reviews; it imports no screen."""
