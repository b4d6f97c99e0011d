"""How many small faults in the engine the tests find: mutants, and which of them live.

    python -m bench.mutants [--number 60] [--seed 1] [--jobs 2] [--quick]

One operator or number of the engine's code is changed at random, in a copy, and the tests of it
are run: those against the second reading of the format first, then those of its own package. Each
row is a mutant: where, what stood there and what then, and the first test that failed. What lives
is either work for a test, or no change at all: bounds of searches, the order of equal things. The
mutants of a seed are the same while the code is.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).parents[1]

TESTS = {
    "topology/fabric": ("tests/topology/fabric",),
    "topology/analysis/traffic": (
        "tests/topology/analysis/traffic",
        "tests/topology/analysis/test_devices_one_by_one.py",
        "tests/topology/analysis/test_direct_networks.py",
    ),
    "topology/analysis/bounds": (
        "tests/topology/analysis/bounds",
        "tests/topology/analysis/test_devices_one_by_one.py",
    ),
    "topology/collectives.py": ("tests/topology/test_collectives.py",),
}
"""What is changed, and its own tests."""

FIRST = "tests/oracle"
SECONDS = 600
"""After which a mutant counts as found: it never ends."""

OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
OTHER_NAME = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line, what stood there, what stands there now, the whole text."""

    path: str
    line: int
    before: str
    after: str
    text: str


def mutant_of(path: Path, number: int) -> Mutant:
    """A file with one of its places changed."""
    changed = ast.parse(path.read_text())
    node = next(one for at, one in enumerate(_places(changed)) if at == number)
    before = ast.unparse(node)
    _mutate(node)
    name = path.relative_to(ROOT).as_posix()
    return Mutant(name, node.lineno, before, ast.unparse(node), ast.unparse(changed))


def _places(node: ast.AST, *, inside: bool = False) -> Iterator[ast.expr]:
    """What can be changed inside functions, but for annotations, decorators and messages."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            in_function = inside or isinstance(child, ast.FunctionDef)
            if in_function and isinstance(child, ast.expr) and _can_change(child):
                yield child
            yield from _places(child, inside=in_function)


def _can_change(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=[one]):
            return type(one) in OTHER
        case ast.BinOp(op=op):
            return type(op) in OTHER
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Call(func=ast.Name(id=name)):
            return name in OTHER_NAME
    return False


def _mutate(node: ast.expr) -> None:
    match node:
        case ast.Compare():
            node.ops[0] = OTHER[type(node.ops[0])]()  # type: ignore[assignment]
        case ast.BinOp() | ast.BoolOp():
            node.op = OTHER[type(node.op)]()  # type: ignore[assignment]
        case ast.UnaryOp(operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Call(func=ast.Name() as name):
            name.id = OTHER_NAME[name.id]


def chosen(number: int, seed: int) -> list[Mutant]:
    """So many mutants of the whole engine, each place as likely as any other."""
    files = [
        file
        for where in TESTS
        for file in (sorted((ROOT / where).rglob("*.py")) if "." not in where else [ROOT / where])
    ]
    every = [
        (file, at) for file in files for at, _ in enumerate(_places(ast.parse(file.read_text())))
    ]
    return [mutant_of(*one) for one in Random(seed).sample(every, min(number, len(every)))]


def found_by(mutant: Mutant, copy: Path, *, quick: bool) -> str:
    """The first test that fails in a copy with the mutant; empty where it lives."""
    own = next(TESTS[where] for where in TESTS if where in mutant.path)
    file = copy / mutant.path
    sound = file.read_text()
    file.write_text(mutant.text)
    try:
        for tests in (FIRST, *(() if quick else own)):
            found = _fails(copy, tests)
            if found:
                return found
        return ""
    finally:
        file.write_text(sound)


def _fails(copy: Path, tests: str) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--hypothesis-seed=0"]
    command += ["-p", "no:cacheprovider", "--tb=no", tests]
    env = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            command, cwd=copy, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{tests}: does not end"
    if run.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return failed[1] if failed else f"{tests}: ends with {run.returncode}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"run {FIRST} alone")
    parser.add_argument(
        "--only", type=int, action="append", help="this one of them; may be repeated"
    )
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    asked = parser.parse_args()
    print("| | where | was | is | found by |\n|---:|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        copies: Queue[Path] = Queue()
        for number in range(asked.jobs):
            copy = Path(folder) / str(number)
            copy.mkdir()
            files = subprocess.run(
                ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
            )
            subprocess.run(["tar", "-x", "-C", copy], input=files.stdout, check=True)
            copies.put(copy)

        def tried(mutant: Mutant) -> str:
            copy = copies.get()
            try:
                return found_by(mutant, copy, quick=asked.quick)
            finally:
                copies.put(copy)

        mutants = chosen(asked.number, asked.seed)
        if asked.only:
            mutants = [mutants[number - 1] for number in asked.only]
        lived = 0
        for number, (mutant, found) in enumerate(
            zip(mutants, pool.map(tried, mutants), strict=True), 1
        ):
            lived += not found
            row = (f"{mutant.path}:{mutant.line}", mutant.before, mutant.after, found or "LIVES")
            print(f"| {number} | {' | '.join(row)} |", flush=True)
    print(f"\n{len(mutants) - lived} of {len(mutants)} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
