"""The widgets that the screens are made of; they show state and send messages."""
