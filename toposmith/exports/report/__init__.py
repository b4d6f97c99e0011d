"""The report: one HTML file that a person opens offline and prints."""
