"""Designs and reviews on disk: opened, saved, journaled, found again."""
