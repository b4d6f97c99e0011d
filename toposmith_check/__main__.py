"""``python -m toposmith_check proof.json``: says of each claim whether it holds; exit 0 or 1."""

from __future__ import annotations

import sys

from toposmith_check.claims import verdicts
from toposmith_check.reading import Wrong, load


def _say(verdict: str, words: str) -> None:
    """Print words of a file without signs that a terminal would obey."""
    print(f"{verdict}: {words}".encode("unicode_escape").decode())


def main(arguments: list[str]) -> int:
    """Check one file, and say what holds and what does not."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m toposmith_check proof.json", file=sys.stderr)
        return 1
    held = wrong = 0
    try:
        for holds, words in verdicts(load(arguments[0])):
            held, wrong = held + holds, wrong + (not holds)
            _say("holds" if holds else "WRONG", words)
    except (Wrong, OSError, ArithmeticError, MemoryError, RecursionError) as why:
        _say("WRONG", str(why) or "the file takes too much memory")
        wrong += 1
    print(f"{held} claims hold, {wrong} do not" if wrong else f"all {held} claims hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
