"""Docstrings name the parameters, attributes and exceptions of the code under them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("toposmith",)
FOR_PROGRAMMERS = frozenset(("AssertionError", "KeyboardInterrupt", "NotImplementedError"))
"""Exceptions that no caller is meant to handle."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sections(doc: str) -> dict[str, list[str]]:
    """The lines of each numpydoc section, by its title."""
    found: dict[str, list[str]] = {}
    parts = re.split(r"^(\w[\w ]*)\n(-{3,})$", doc, flags=re.MULTILINE)
    for title, line, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if len(title) == len(line):
            found[title] = text.split("\n")
    return found


def entries(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names of a section, each with its type."""
    for line in lines:
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            for name in names.split(","):
                yield name.strip().lstrip("*"), kind


def annotated(function: Function) -> dict[str, str]:
    """The parameters of a function with their annotations."""
    of = function.args
    named = (*of.posonlyargs, *of.args, of.vararg, *of.kwonlyargs, of.kwarg)
    found = {each.arg: ast.unparse(each.annotation or ast.Constant("")) for each in named if each}
    return {name: kind for name, kind in found.items() if name not in ("self", "cls")}


def required(function: Function) -> list[str]:
    """The parameters of a function that have no default."""
    of = function.args
    named = (*of.posonlyargs, *of.args)
    by_name = zip(of.kwonlyargs, of.kw_defaults, strict=True)
    alone = (each for each, default in by_name if default is None)
    return [each.arg for each in (*named[: len(named) - len(of.defaults)], *alone)]


def fields(of: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> dict[str, str]:
    """Parameters, fields, properties and attributes of a class and of those that it extends."""
    found: dict[str, str] = {}
    for base in of.bases:
        above = classes.get(ast.unparse(base).partition("[")[0].rpartition(".")[2])
        if above is not None and above is not of:
            found |= fields(above, classes)
    for each in of.body:
        match each:
            case ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = ast.unparse(each.annotation)
            case ast.FunctionDef(name=name):
                stored = (node for node in ast.walk(each) if isinstance(node, ast.Attribute))
                found |= {node.attr: "" for node in stored if isinstance(node.ctx, ast.Store)}
                found |= annotated(each) if name == "__init__" else {name: ""}
    return found


def raised(function: Function) -> set[str]:
    """Exceptions that a function raises itself and does not catch."""
    found: set[str] = set()

    def look(node: ast.AST, caught: frozenset[str]) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                return
            case ast.Raise(exc=ast.Call(func=error) | (ast.Name() as error)):
                name = ast.unparse(error)
                if name not in caught and name.rpartition(".")[2][0].isupper():
                    found.add(name)
            case ast.Try():
                kinds = [ast.unparse(each.type) for each in node.handlers if each.type]
                names = frozenset(re.findall(r"[\w.]+", " ".join(kinds)))
                for inner in node.body:
                    look(inner, caught | names)
                for inner in (*node.handlers, *node.orelse, *node.finalbody):
                    look(inner, caught)
            case _:
                for inner in ast.iter_child_nodes(node):
                    look(inner, caught)

    for statement in function.body:
        look(statement, frozenset())
    return found - FOR_PROGRAMMERS


def public(
    of: ast.Module | ast.ClassDef, within: str = ""
) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Public functions, methods and classes by their dotted names."""
    for each in of.body:
        if isinstance(each, Function | ast.ClassDef) and not each.name.startswith("_"):
            yield within + each.name, each
            if isinstance(each, ast.ClassDef):
                yield from public(each, f"{within}{each.name}.")


def faults(source: str, classes: Mapping[str, ast.ClassDef] | None = None) -> Iterator[str]:
    """What the docstrings of a module say that its code does not, and the other way round."""
    tree = ast.parse(source)
    known = classes or {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    for name, each in public(tree):
        doc = ast.get_docstring(each) or ""
        said = sections(doc)
        real = fields(each, known) if isinstance(each, ast.ClassDef) else annotated(each)
        listed = dict(entries(said.get("Parameters", ())))
        for one, kind in (*listed.items(), *entries(said.get("Attributes", ()))):
            if one not in real:
                yield f"{name}: has no {one}"
            elif real[one].endswith("| None") and kind and not re.search("optional|None", kind):
                yield f"{name}: {one} may be None"
        if isinstance(each, ast.ClassDef):
            continue
        if missing := [one for one in real if listed and one not in listed]:
            yield f"{name}: does not list {', '.join(missing)}"
        for one in required(each):
            if "optional" in listed.get(one, "") and not real[one].endswith("| None"):
                yield f"{name}: {one} is not optional"
        # the docstring of a command is its help
        if not any("command" in ast.unparse(by) for by in each.decorator_list):
            for error in sorted(raised(each)):
                if error.rpartition(".")[2] not in doc:
                    yield f"{name}: raises {error}"


WRONG = '''
class Leaf:
    """A leaf.

    Parameters
    ----------
    radix : int
        Ports.
    plane : int
        Which.
    """

    ports: int
    plane: int | None


def cabled(leaf, spine):
    """Join two.

    Parameters
    ----------
    leaf : Leaf, optional
        The lower.
    """
    if leaf is spine:
        raise ValueError
    try:
        raise KeyError("caught")
    except (KeyError, OSError):
        raise click.Abort() from None
'''


def test_untrue_docstrings_are_found() -> None:
    assert list(faults(WRONG)) == [
        "Leaf: has no radix",
        "Leaf: plane may be None",
        "cabled: does not list spine",
        "cabled: leaf is not optional",
        "cabled: raises ValueError",
        "cabled: raises click.Abort",
    ]


def test_docstrings_say_what_the_code_takes_and_raises() -> None:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    trees = (ast.walk(ast.parse(source)) for source in sources.values())
    classes = {each.name: each for tree in trees for each in tree if isinstance(each, ast.ClassDef)}
    assert len(classes) > 600
    assert not [
        f"{path.relative_to(ROOT)}: {fault}"
        for path, source in sources.items()
        for fault in faults(source, classes)
    ]
