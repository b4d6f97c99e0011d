"""``python -m toposmith`` does what ``toposmith`` does."""

import sys

from toposmith.command.entry import main

if __name__ == "__main__":
    sys.exit(main())
