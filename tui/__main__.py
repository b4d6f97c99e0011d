"""``python -m tui`` does what ``toposmith`` does."""

from tui.command import main

if __name__ == "__main__":
    main()
