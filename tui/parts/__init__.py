"""Parts to choose from: found, laid side by side, and judged for fit."""
