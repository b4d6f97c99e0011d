"""Seeded mistakes: small designs with one thing wrong, and the same designs put right."""
