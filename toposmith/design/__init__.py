"""The design document: its file, its edits, and how it is read and written."""
