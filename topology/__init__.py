"""What one designs, and what it can do: the engine, which knows no screen."""
