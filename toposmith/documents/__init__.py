"""What is said of a design, once: tables and pages that each face of the program shows."""
