"""What a person sets once for all designs: keys, colours, ASCII, mouse."""
