"""Editing step by step: each flow asks its questions and makes one edit."""
