"""Tests see the parts that come with the program, never those of the developer who runs them."""

from __future__ import annotations

import os
from pathlib import Path

# Set before any test module is imported: many read the catalog while they are.
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "no-such-folder")
