"""Published measurements of collectives, and how far predictions are from them."""
