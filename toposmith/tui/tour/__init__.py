"""A first tour that builds a small cluster: each step asks for real keys and sees their effect."""
