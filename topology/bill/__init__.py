"""What leaves the house: the bill of materials, its cabling, and the forms it is written in."""
