"""What can take the place of the fabric in the middle of the designer."""
