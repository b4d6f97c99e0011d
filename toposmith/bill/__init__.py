"""The bill of materials: parts, cabling, prices, and the formats it is written in."""
