"""What one sees: the Textual app, its screens and widgets, and the `toposmith` command."""
