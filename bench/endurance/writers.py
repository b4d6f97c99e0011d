"""Several people write into one review, and save one design, at the same moment: is anything lost?

    python -m bench.endurance.writers [ROUNDS] [SEED]

Each round takes 2 to 8 processes that begin together; each adds 1 to 3 comments to the review of
one design and then saves the design as it was read. Who was told that a comment is written has to
find it there, in the same words; of those who save exactly one may be told that it is saved, and
its text is the file.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import sys
import tempfile
from collections import Counter
from multiprocessing.synchronize import Barrier
from pathlib import Path

from toposmith.design.stored_files import FileChangedError, load_text, save_file
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar

ROUNDS = 1_000
MOST_WRITERS, MOST_COMMENTS = 8, 3


def _write(path: Path, name: str, comments: int, gate: Barrier) -> None:
    """Comment and save; what one was told goes into a file of one's own."""
    fingerprint = load_text(path)[1]
    told: list[str] = []
    gate.wait(60)
    for number in range(comments):
        text = f"{name}.{number}"
        entry = ReviewEntry(comment="design", author=name, date="2026-11-23", text=text)
        add_entries(load_sidecar(path), [entry])
        told.append(text)
    try:
        save_file(path, f"saved by {name}\n", expected_fingerprint=fingerprint)
        told.append("saved")
    except FileChangedError:
        pass
    path.with_name(f"{name}.told").write_text("\n".join(told), encoding="utf-8")


def lost_in_round(rng: random.Random) -> Counter[str]:
    """What went wrong in one round; counts what was told, too."""
    context = multiprocessing.get_context("fork")
    writers = rng.randint(2, MOST_WRITERS)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "pod.yaml"
        path.write_text("first\n", encoding="utf-8")
        gate = context.Barrier(writers)
        many = [rng.randint(1, MOST_COMMENTS) for _ in range(writers)]
        processes = [
            context.Process(target=_write, args=(path, f"w{n}", comments, gate))
            for n, comments in enumerate(many)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        found["ended with an error"] = sum(process.exitcode != 0 for process in processes)
        told = {each.stem: each.read_text().split("\n") for each in Path(name).glob("*.told")}
        comments = {text for texts in told.values() for text in texts} - {"saved"}
        # the folder as plain text: the program's own reader is no witness here
        files = [each.read_text() for each in Path(name).glob("pod.review/*.yaml")]
        kept = Counter(text for file in files for text in re.findall(r'^text: "(.*)"$', file, re.M))
        found["comments told to be written"] = len(comments)
        found["comments lost"] = len(comments - kept.keys())
        found["comments twice"] = sum(times - 1 for times in kept.values())
        saved = [writer for writer, texts in told.items() if "saved" in texts]
        found["saves told to be done"] = len(saved)
        found["saves lost"] = len(saved) - 1 if saved else 1
        if saved and path.read_text() != f"saved by {saved[-1]}\n":
            found["saves lost"] += 1
        found["files left over"] = sum(
            each.name.startswith(".") for each in (*Path(name).iterdir(), *path.parent.rglob(".*"))
        )
    return found


def main() -> int:
    """Write so many rounds, and say what was lost."""
    given = [int(word) for word in sys.argv[1:3]]
    rounds, seed = (*given, *(ROUNDS, 1)[len(given) :])
    rng = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(rounds):
        found += lost_in_round(rng)
    names = ("comments told to be written", "saves told to be done")
    print(f"{rounds:,} rounds of 2 to {MOST_WRITERS} writers")
    for name in names:
        print(f"{found.pop(name, 0):,} {name}")
    print("\n".join(f"{times:,} {what}" for what, times in found.items() if times) or "0 lost")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
