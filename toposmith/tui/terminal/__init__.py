"""The terminal: what it can show, how little is written to it, and keys in their order."""
