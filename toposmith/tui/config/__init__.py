"""Settings for all designs: keys, colours, ASCII, mouse."""
