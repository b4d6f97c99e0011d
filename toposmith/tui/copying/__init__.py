"""What is copied: groups for other designs, text for other programs."""
