"""What people said about a design: one small file an entry, in a folder beside it."""
