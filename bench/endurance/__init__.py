"""How much it takes to lose work: the app killed, several writers at once, files made at random."""
