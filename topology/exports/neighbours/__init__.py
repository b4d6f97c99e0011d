"""Files that the other programs of a cluster read, each held to what that program accepts."""
