"""Files changed at random: does each end in a clear message, soon, and in little memory?

    python -m bench.endurance.hostile_files [FILES] [SEED]

Designs, reviews, policies, price lists and bills are changed by bytes, lines and values; the
command reads each, a hundred in one process. Wrong is: an error that is not one of the program's
own (a traceback), an exit code that the documentation does not name, an escape sequence in what is
written, more than 2 s of processor for a file, or 300 MB in all.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from time import process_time

from toposmith.command.main import main as command
from toposmith.saved_designs import FOLDER

FILES, BATCH = 10_000, 100
MOST_SECONDS, MOST_MB = 2.0, 300
CODES = {0, 1, 2}
SMALL = ("a100-rack-1x100gbe", "dgx-a100-su", "hgx-a100-64gpu-roce-2to1", "torus-4x4x4-h100")
REVIEW = (
    'toposmith-review: 2\ncomment: "design"\nauthor: "Ann"\ndate: "2026-11-21"\ntext: "why 2:1?"\n'
)
POLICY = (
    "toposmith-policy: 1\napprovals: {needed: 2, own: false}\nseverities: {oversubscribed: error}\n"
)
PRICES = "toposmith-prices: 1\ncurrency: USD\nprices:\n  qm9700: 25000\n  dgx-h100: 300000\n"
BILL = "item,part,quantity\n1,qm9700,32\n2,dgx-h100,4\n"
BAD = (
    "\x00", "\x1b[2J", "\u202e", "\ufeff", "\xff", "&a [*a, *a]", "!!python/object:os.system x",
    "{{{{", "[[[[[[[[", "- - - -", "9" * 400, "-1", "1e309", ".nan", "null", "~", "''", "{}", "[]",
    "0x7fffffffffffffff", "su: {su: {su: 1}}", "<<: *x", "? ", "|", ">", "\t", "%YAML 9.9",
    "---\n...\n---", "on", "2026-11-23", "node[su=0", "node[su=*]..", "a" * 5000,
    "\U0001f600", "../../etc/passwd",
)  # fmt: skip


def changed(rng: random.Random, text: str) -> bytes:
    """A file with one to six changes."""
    raw = text.encode()
    for _ in range(rng.randint(1, 6)):
        raw = rng.choice((_bytes, _lines, _lines, _value, _value, _value))(rng, raw)
    return raw[:2_000_000]


def _bytes(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + rng.randbytes(rng.randint(0, 3)) + raw[at + rng.randint(0, 3) :]


def _lines(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines[at] = b" " * rng.randint(1, 9) + lines[at]
    elif how == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines[at:at] = [lines[other]] * rng.choice((1, 2, 500))
    else:
        lines = lines[:at]
    return b"\n".join(lines)


def _value(rng: random.Random, raw: bytes) -> bytes:
    text = raw.decode("utf-8", "replace")
    ends = [at for at, sign in enumerate(text) if sign in ":,{[ "]
    if not ends:
        return raw + rng.choice(BAD).encode()
    at = rng.choice(ends) + 1
    until = at + rng.choice((0, 1, 3, 8, 20))
    return (text[:at] + " " + rng.choice(BAD) + text[until:]).encode("utf-8", "replace")


def read_once(rng: random.Random, folder: Path, designs: list[str]) -> str:
    """Change one file and read it; returns what was wrong, or how it ended."""
    design = rng.choice(designs)
    path = folder / "pod.yaml"
    path.write_bytes(design.encode())
    kind = rng.choice(("design", "design", "design", "review", "policy", "prices", "bill"))
    words = ["check", str(path)]
    target = path
    if kind == "design":
        ways = (["check"], ["analyze"], ["bom"], ["diff", str(FOLDER / "dgx-a100-su.yaml")])
        words = [*rng.choice(ways), str(path)]
        text = design
    elif kind == "review":
        target = folder / "pod.review" / "20261121T091502482113-3f9a1c0b22de.yaml"
        target.parent.mkdir()
        words, text = ["review", "--status", str(path)], REVIEW
    elif kind == "policy":
        target, text = folder / "policy.yaml", POLICY
        words = ["check", "--policy", str(target), str(path)]
    elif kind == "prices":
        target, text = folder / "prices.yaml", PRICES
        words = ["bom", "--prices", str(target), str(path)]
    else:
        target, text = folder / "bill.csv", BILL
        words = ["bom", "--verify", str(target), str(path)]
    target.write_bytes(changed(rng, text))
    kept = BytesIO()
    out = TextIOWrapper(kept, encoding="utf-8", write_through=True)
    start = process_time()
    try:
        with redirect_stdout(out), redirect_stderr(out):
            code: object = command(words)
    except SystemExit as ended:
        code = ended.code
    except BaseException as error:  # whatever is raised is what is looked for
        return f"{kind}: {type(error).__name__}: {error}"[:200]
    seconds = process_time() - start
    if code not in CODES:
        return f"{kind}: exit code {code!r}"
    written = kept.getvalue().decode("utf-8", "replace")
    if any(sign in written for sign in ("\x1b[2J", "\x00", "\u202e", "Traceback")):
        return f"{kind}: obeyed or traceback: {written[:120]!r}"
    if seconds > MOST_SECONDS:
        return f"{kind}: {seconds:.1f} s of processor"
    return f"exit {code}"


def _batch(seed: int, count: int) -> Counter[str]:
    designs = [(FOLDER / f"{name}.yaml").read_text(encoding="utf-8") for name in SMALL]
    rng = random.Random(seed)
    ended: Counter[str] = Counter()
    for number in range(count):
        with tempfile.TemporaryDirectory() as name:
            what = read_once(rng, Path(name), designs)
        if not what.startswith("exit"):
            what = f"{what} (seed {seed}, file {number})"
        ended[what] += 1
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ended["most MB"] = int(mb)
    return ended


def main() -> int:
    """Read so many files, and say what went wrong."""
    given = [int(word) for word in sys.argv[1:3]]
    files, seed = (*given, *(FILES, 1)[len(given) :])
    ended: Counter[str] = Counter()
    most_mb = 0
    for first in range(0, files, BATCH):
        count = min(BATCH, files - first)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with os.fdopen(writing, "w") as pipe:
                for what, times in _batch(seed + first, count).items():
                    pipe.write(f"{times}\t{what!r}\n")
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            got = [line.rstrip("\n").split("\t", 1) for line in pipe]
        os.waitpid(child, 0)
        for times, what in got:
            if what == "'most MB'":
                most_mb = max(most_mb, int(times))
            else:
                ended[what] += int(times)
    read = sum(ended.values())
    wrong = {what: times for what, times in ended.items() if not what.startswith("'exit")}
    print(f"{read:,} of {files:,} files read, at most {most_mb} MB")
    for what, times in ended.most_common():
        print(f"{times:,} {what}")
    return 1 if wrong or read < files or most_mb > MOST_MB else 0


if __name__ == "__main__":
    sys.exit(main())
