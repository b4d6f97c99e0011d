"""Walk designs and say which rules are broken where.

python -m tests.labels                      all designs, rules by how often they are broken
python -m tests.labels one-nic-down         the places in one design
python -m tests.labels --pages one-nic-down every page of it, to be read
python -m tests.labels --brief              the views that the tests turn to, and no others
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def main() -> None:
    """Read the arguments, and walk."""
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {f"XDG_{name}_HOME": home for name in ("STATE", "CONFIG", "DATA", "CACHE")}
        os.environ["HOME"] = home
        os.chdir(home)
        _walk([name for name in sys.argv[1:] if not name.startswith("--")])


def _walk(wanted: list[str]) -> None:
    from tests.labels.collecting import collected
    from tests.labels.designs import all_names
    from tests.labels.rules import RULES

    gc.disable()
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in wanted or all_names():
        with tempfile.TemporaryDirectory() as folder:
            walk = asyncio.run(collected(name, Path(folder), everything="--brief" not in sys.argv))
        if "--pages" in sys.argv:
            for page in walk.pages:
                print(f"\n======== {page.place} [{', '.join(sorted(page.shows))}]\n{page.text}")
            continue
        for rule in RULES:
            for broken in rule.breaks(walk):
                places[rule.name][broken.place].append(f"{name}: {broken.found}")
        gc.collect()
    for rule in RULES:
        found = places[rule.name]
        print(f"{rule.name}: {sum(map(len, found.values()))} in {len(found)} places")
        for place, each in found.items():
            print(f"    {place} ({len(each)}): {each[0][:200]}")
            if wanted:
                print("".join(f"        {one[:220]}\n" for one in each[1:]), end="")


if __name__ == "__main__":
    main()
