"""The page of all folders and measures, from the docstrings of packages and modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from docs.reference.tables import MADE, table

ROOT = Path(__file__).parents[2]


def _first_line(file: Path) -> str:
    words = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return words.partition("\n\n")[0].replace("``", "`")


def _rows(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for file in sorted(files):
        path = file.parent if file.name == "__init__.py" else file
        words = _first_line(file)
        if words:
            yield f"`{path.relative_to(ROOT)}`", words


def folders_page() -> str:
    """Every package of the program, its single modules, and every measure of ``bench``."""
    package, bench = ROOT / "toposmith", ROOT / "bench"
    lines = [
        MADE,
        "",
        "# Every folder",
        "",
        "How they hang together: [the folders](layout.md).",
        "",
    ]
    lines += ["## Packages", ""]
    lines += table(("folder", "what is in it"), _rows(package.rglob("__init__.py")))
    lines += ["## Single modules", ""]
    single = (file for file in package.glob("*.py") if file.name[0] != "_")
    lines += table(("module", "what it does"), _rows(single))
    lines += ["## Measures", "", "Run as `python -m bench.NAME`; none decides a test.", ""]
    measures = (file for file in (*bench.glob("*.py"), *bench.glob("*/__init__.py")))
    lines += table(("measure", "of what"), _rows(measures))
    lines += ["## Releases", "", "Run as `python -m release...`.", ""]
    lines += table(("command", "what it makes"), _rows((ROOT / "release").glob("*.py")))
    return "\n".join(lines)
