"""Where devices stand: racks, rows and power, and how long the cables between them are."""
