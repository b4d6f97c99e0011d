"""The app killed, or its line dropped, at a random moment after an edit: is the edit there again?

    python -m bench.endurance.ended_runs [KILLS] [DROPS] [SEED]

The real app runs in a pseudo-terminal. Every edit adds one node of 8 GPUs. Some runs end as soon
as the new number of GPUs stands on the screen, others while keys are still on their way. What the
screen showed has to be in the journal that the next run finds, and every step of it a whole design.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.terminal.terminal import COMMAND, Terminal

KILLS, DROPS = 500, 100
SAID_EVERY = 20
NODES, GPUS_PER_NODE = 8, 8
DESIGN = (
    f"toposmith: 1\ngroups:\n  node: {{part: dgx-h100, count: {NODES}}}\n  leaf: {{part: qm9700}}\n"
    "links:\n  - {between: [node.compute, leaf], cables: 1}\n"
)


def _nodes_found(home: Path) -> int:
    """Nodes of the last design in the journal, read without the program's own reader."""
    journals = list(home.rglob("*.journal"))
    if not journals:
        return NODES
    assert len(journals) == 1, journals
    designs: list[str] = []
    shown = 0
    for line in journals[0].read_text(encoding="ascii").splitlines(keepends=True):
        if not line.endswith("\n"):
            break  # cut off in writing
        record = json.loads(line)
        if "step" in record:
            before = designs[-1] if designs else ""
            tail = before[len(before) - record["tail"] :] if record["tail"] else ""
            designs.append(before[: record["head"]] + record["put"] + tail)
        elif "keep" in record:
            del designs[record["keep"] :]
        elif "at" in record:
            shown = record["at"]
    for design in designs:
        json.loads(design)
    return int(json.loads(designs[shown])["groups"]["node"].get("count", 1))


def ended_run(rng: random.Random, *, is_drop: bool) -> str:
    """One run of the app that ends without warning; returns what became of its edits."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "pod.yaml"
        path.write_text(DESIGN)
        terminal = Terminal([str(COMMAND), str(path)], home)
        try:
            terminal.wait_for("limits")
            seen = NODES
            for _ in range(rng.randint(1, 4)):
                terminal.press("+")
                seen += 1
                terminal.wait_for(f"{seen * GPUS_PER_NODE} GPUs")
            pending = rng.randint(0, 3)
            if pending:
                terminal.press("+" * pending)
                terminal.read_for(rng.random() * 0.2)
            shown = max(
                (int(n) // GPUS_PER_NODE for n in re.findall(r"(\d+) GPUs", terminal.shown())),
                default=seen,
            )
            if is_drop:
                terminal.hang_up()
            else:
                os.kill(terminal.process.pid, signal.SIGKILL)
            terminal.process.wait(timeout=60)
        finally:
            terminal.close()
        if path.read_text() != DESIGN:
            return "the file was changed"
        found = _nodes_found(home)
    if found < max(seen, shown):
        return f"lost: {max(seen, shown)} nodes were shown, {found} are kept"
    return "kept" if found <= seen + pending else f"more than was typed: {found}"


def main() -> int:
    """Kill and drop so many runs, and say what was lost."""
    given = [int(word) for word in sys.argv[1:4]]
    kills, drops, seed = (*given, *(KILLS, DROPS, 1)[len(given) :])
    rng = random.Random(seed)
    lost = 0
    for name, count, is_drop in (("kills", kills, False), ("dropped lines", drops, True)):
        became: Counter[str] = Counter()
        for done in range(1, count + 1):
            became[ended_run(rng, is_drop=is_drop)] += 1
            if done % SAID_EVERY == 0 or done == count:
                words = ", ".join(f"{times} {what}" for what, times in became.most_common())
                print(f"{done} of {count} {name}: {words}", flush=True)
        lost += count - became["kept"]
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
