"""What the main screen is made of: each collaborator has one subject; flows take what they need."""
