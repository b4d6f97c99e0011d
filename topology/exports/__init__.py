"""What leaves for other tools: files that they read."""
