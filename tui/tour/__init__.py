"""A first tour on a real design: each step asks for a real key and goes on when it has acted."""
