"""Files changed at random, of every kind that is read: refused in words, soon, in little memory?

    python -m bench.endurance.hostile_files [FILES] [SEED] [READER]

Prints a table by reader. Wrong is: an error that is not one of the program's own (exit code 70, or
a traceback), an exit code that the documentation does not name, a control or bidirectional sign in
what is written, more than 5 s of processor for a file, or more than 500 MB. Each file follows from
the seed, its reader and its number.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from time import process_time

from bench.endurance.damage import damaged
from bench.endurance.foreign_readers import POD, ForeignReader, foreign_readers

FILES, BATCH = 20_000, 40
MOST_SECONDS, MOST_MB = 5.0, 500
OBEYED = ("\x1b[2J", "\x00", "\u202e", "Traceback")
_HOMES = ("STATE", "CONFIG", "DATA", "CACHE")


class TooLongError(BaseException):
    """A file took three times its seconds."""


@dataclass(frozen=True)
class Ended:
    """How the reading of one file ended; ``wrong`` says what should not have been."""

    code: int | None
    seconds: float
    mb: int
    wrong: str = ""
    number: int = -1


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Run in a folder with the design, and with settings of its own."""
    before, old = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    os.environ["HOME"] = str(folder / "home")
    for name in _HOMES:
        os.environ[f"XDG_{name}_HOME"] = str(folder / "home" / name.lower())
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(old)


def read_once(reader: ForeignReader, raw: bytes, folder: Path) -> Ended:
    """Read one file in a folder; the design that it is about lies beside it."""
    (folder / "pod.yaml").write_text(POD)
    good = folder / f"good{Path(reader.file).suffix}"
    good.write_bytes(reader.beside or reader.examples[0])
    target = folder / reader.file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(raw)
    kept = BytesIO()
    out = TextIOWrapper(kept, encoding="utf-8", write_through=True)
    wrong, code = "", None
    began = process_time()
    try:
        with at_home(folder), redirect_stdout(out), redirect_stderr(out):
            words = (good.name if word == "GOOD" else word for word in reader.words)
            code = reader.read(tuple(words))
    except SystemExit as ended:
        wrong = f"SystemExit {ended.code!r}"
    except BaseException as error:  # whatever is raised is what is looked for
        wrong = f"{type(error).__name__}: {error}"[:200]
    seconds = process_time() - began
    written = kept.getvalue().decode("utf-8", "replace")
    if not wrong and code not in (0, 1, 2):
        wrong = f"exit code {code}: {written[-300:]}"
    elif not wrong and (obeyed := [sign for sign in OBEYED if sign in written]):
        wrong = f"writes {obeyed[0]!r}: {written[:120]!r}"
    elif not wrong and code == 2 and not written.strip() and reader.words:
        wrong = "refused without a word"
    elif not wrong and seconds > MOST_SECONDS:
        wrong = f"{seconds:.1f} s of processor"
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if not wrong and mb > MOST_MB:
        wrong = f"{mb} MB"
    return Ended(code, seconds, mb, wrong)


def file_of(reader: ForeignReader, number: int, seed: int) -> bytes:
    """The bytes of a reader's file of this number."""
    rng = random.Random(f"{seed}/{reader.name}/{number}")
    return damaged(rng, rng.choice(reader.examples))


def _batch(reader: ForeignReader, numbers: range, seed: int) -> Iterator[Ended]:
    for number in numbers:
        raw = file_of(reader, number, seed)
        with tempfile.TemporaryDirectory() as name:
            signal.setitimer(signal.ITIMER_VIRTUAL, 3 * MOST_SECONDS)
            try:
                ended = read_once(reader, raw, Path(name))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        yield Ended(ended.code, ended.seconds, ended.mb, ended.wrong, number)
        if ended.mb > MOST_MB:
            return  # the most of this process would be said of the files after it, too


def _too_long(*_: object) -> None:
    raise TooLongError("more than 15 s of processor")


def in_own_process(reader: ForeignReader, numbers: range, seed: int) -> list[Ended]:
    """Read some files in a child of this process; what it does not answer ended it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        signal.signal(signal.SIGVTALRM, _too_long)
        with os.fdopen(writing, "w") as pipe:
            for ended in _batch(reader, numbers, seed):
                pipe.write(json.dumps(asdict(ended)) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = [Ended(**json.loads(line)) for line in pipe]
    _, status = os.waitpid(child, 0)
    next_one = found[-1].number + 1 if found else numbers.start
    if status and next_one < numbers.stop:
        found.append(Ended(None, 0, 0, f"the process ended by {status}", next_one))
        next_one += 1
    if next_one < numbers.stop:
        found += in_own_process(reader, range(next_one, numbers.stop), seed)
    return found


def _row(name: str, ended: list[Ended]) -> str:
    codes = Counter(one.code for one in ended if not one.wrong)
    return (
        f"{name:24}{len(ended):10,}{codes[2]:10,}{codes[0] + codes[1]:10,}"
        f"{sum(bool(one.wrong) for one in ended):10,}"
        f"{max((one.seconds for one in ended), default=0):10.2f}"
        f"{max((one.mb for one in ended), default=0):10,}"
    )


def main(given: list[str]) -> int:
    """Read so many files, and say by reader what became of them."""
    files = int(given[0]) if given else FILES
    seed = int(given[1]) if len(given) > 1 else 1
    readers = [one for one in foreign_readers() if len(given) < 3 or one.name == given[2]]
    share, more = divmod(files, len(readers))
    heads = ("files", "refused", "accepted", "wrong", "slowest s", "most MB")
    print(f"{'reader':24}" + "".join(f"{head:>10}" for head in heads))
    every: list[Ended] = []
    faults: list[str] = []
    began = time.monotonic()
    for place, reader in enumerate(readers):
        own: list[Ended] = []
        many = share + (place < more)
        for first in range(0, many, BATCH):
            own += in_own_process(reader, range(first, min(first + BATCH, many)), seed)
        print(_row(reader.name, own), flush=True)
        every += own
        faults += [f"{reader.name} {one.number}: {one.wrong}" for one in own if one.wrong]
    print(_row(f"all {len(readers)}", every))
    print(f"{time.monotonic() - began:.0f} s")
    for fault in faults[:200]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
