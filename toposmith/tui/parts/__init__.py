"""Parts to choose from: found, compared side by side, and judged for fit."""
