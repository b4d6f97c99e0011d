"""Where devices stand, and how long the cables between them are."""
