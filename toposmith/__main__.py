"""``python -m toposmith`` does what ``toposmith`` does."""

import sys

from toposmith.command.main import main

if __name__ == "__main__":
    sys.exit(main())
