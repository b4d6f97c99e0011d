"""How many small faults in the engine the tests find: mutants, and which of them live.

    python -m bench.mutants [--number 60] [--seed 1] [--quick]

One operator or number of the engine's code is changed at random, in a process of its own that has
all tests imported, and the tests of it are run: those against the second reading of the format
first, then those of its own package. Each row is a mutant: where, what stood there and what then,
and the first test that failed. What lives is either work for a test, or no change at all: bounds of
searches, the order of equal things. The mutants of a seed are the same while the code is.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import multiprocessing
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from types import CodeType, FunctionType

import pytest

FORK = multiprocessing.get_context("fork")
ROOT = Path(__file__).parents[1]

TESTS = {
    "toposmith/fabric": (
        "tests/fabric",
        "tests/analysis/test_switch_grids.py",
    ),
    "toposmith/analysis/traffic": (
        "tests/analysis/traffic",
        "tests/analysis/test_devices_one_by_one.py",
        "tests/analysis/test_direct_networks.py",
    ),
    "toposmith/analysis/bounds": (
        "tests/analysis/bounds",
        "tests/analysis/test_devices_one_by_one.py",
    ),
    "toposmith/collectives.py": ("tests/test_collectives.py",),
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


EQUIVALENT = {
    ("nic[1:4:2]", "4", "5"): "the vertex of a NIC has five fields, of which the fifth is left out",
    ("axis in g.axes", "axis in g.axes", "axis not in g.axes"): (
        "no switch stands along the own axis of nodes, so that each node has a bucket of its own"
    ),
    ("paths, most = 0,", "0", "1"): "the bound of a search, of one path in thousands",
}
"""Mutants that change no figure, and why: the line holds the first, the change is the others."""


def changes_nothing(mutant: Mutant) -> bool:
    """Whether a mutant is known to be no change; another is drawn in its place."""
    line = (ROOT / mutant.path).read_text().splitlines()[mutant.line - 1]
    return any(
        text in line and (mutant.before, mutant.after) == (before, after)
        for text, before, after in EQUIVALENT
    )


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
    drawn = Random(seed).sample(every, min(number + len(EQUIVALENT), len(every)))
    mutants = (mutant_of(*one) for one in drawn)
    return [one for one in mutants if not changes_nothing(one)][:number]


class FirstFailure:
    """The first test that fails."""

    found = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.found = self.found or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.found = self.found or f"{report.nodeid}: not collected"


def put_in_place(mutant: Mutant) -> None:
    """Give the functions of the module, which is imported already, the code of the mutant."""
    name = mutant.path.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(name)
    codes = dict(_codes(compile(mutant.text, str(module.__file__), "exec")))
    gc.unfreeze()  # what the tests have frozen is not among the objects that are told
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__module__ == name:
            code = codes.get(one.__code__.co_qualname)
            if code is not None and code.co_freevars == one.__code__.co_freevars:
                one.__code__ = code


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one.co_qualname, one
            yield from _codes(one)


def _try(mutant: Mutant, tests: tuple[str, ...], say: Connection) -> None:
    """Run in a process of its own: say the first test that fails, empty where none does."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    put_in_place(mutant)
    first = FirstFailure()
    ended = pytest.main([*OPTIONS, *tests], plugins=[first])
    say.send(first.found or ("" if ended == 0 else f"pytest ends with {ended}"))


OPTIONS = ("-x", "-q", "-n", "0", "--hypothesis-seed=0", "-p", "no:cacheprovider", "--tb=no")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"run {FIRST} alone")
    parser.add_argument("--only", type=int, action="append", help="this one; may be repeated")
    parser.add_argument("--tests", action="append", help="these tests instead; may be repeated")
    asked = parser.parse_args()
    os.chdir(ROOT)
    own = [] if asked.quick else [one for tests in TESTS.values() for one in tests]
    # whatever is tried finds its tests imported; what they work out is worked out anew
    pytest.main(["--collect-only", "-qq", *OPTIONS, *(asked.tests or (FIRST, *dict.fromkeys(own)))])
    print("\n| | where | was | is | found by |\n|---:|---|---|---|---|", flush=True)
    mutants = dict(enumerate(chosen(asked.number, asked.seed), 1))
    lived = 0
    for number in asked.only or mutants:
        mutant = mutants[number]
        tests = next(TESTS[where] for where in TESTS if where in mutant.path)
        run = tuple(asked.tests or (FIRST, *(() if asked.quick else tests)))
        hear, say = FORK.Pipe(duplex=False)
        process = FORK.Process(target=_try, args=(mutant, run, say))
        process.start()
        say.close()
        found = "does not end"
        if hear.poll(SECONDS):
            try:
                found = hear.recv()
            except EOFError:
                found = "ends at once"
        process.kill()
        process.join()
        lived += not found
        row = (f"{mutant.path}:{mutant.line}", mutant.before, mutant.after, found or "LIVES")
        print(f"| {number} | {' | '.join(row)} |", flush=True)
    many = len(asked.only or mutants)
    print(f"\n{many - lived} of {many} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
