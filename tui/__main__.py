"""``python -m tui`` does what ``toposmith`` does."""

import sys

from tui.command import main

if __name__ == "__main__":
    sys.exit(main())
