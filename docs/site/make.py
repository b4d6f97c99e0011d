"""Make the site from the docs: python docs/site/make.py FOLDER (pip install '.[docs]' first).

The pages lie there as in the repository, so that their links hold; a broken link ends it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LINK = re.compile(r"\]\(([^)#\s]+)")


def linked(page: Path) -> list[Path]:
    """The files of the repository that a page leads to."""
    words = LINK.findall(page.read_text(encoding="utf-8"))
    there = [(page.parent / word).resolve() for word in words if "://" not in word]
    return [path for path in there if path.is_file() and path.is_relative_to(ROOT)]


def gallery(pages: Path) -> None:
    """A page with every design that comes along, each as it is drawn."""
    from toposmith.saved_designs import saved_designs

    lines = ["# Gallery", "", "![The app, from a rack to its bill](pictures/moving.gif)", ""]
    for one in saved_designs():
        drawing = pages / "docs" / "pictures" / f"drawn-{one.name}.svg"
        command = [sys.executable, "-m", "toposmith", "export", one.name, "--to", "svg"]
        subprocess.run([*command, "-o", str(drawing)], check=True)
        shown = f"![{one.summary}](pictures/{drawing.name})"
        lines += [f"## {one.summary}", "", f"`toposmith {one.name}`", "", shown, ""]
    (pages / "docs" / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def main(folder: Path) -> int:
    """Copy the pages and what they lead to, and let mkdocs make the site of them."""
    pages = folder / "pages"
    todo = [ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "docs/pictures/moving.gif"]
    done: set[Path] = set()
    while todo:
        path = todo.pop()
        if path in done:
            continue
        done.add(path)
        copy = pages / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        todo += linked(path) if path.suffix == ".md" else []
    gallery(pages)
    shutil.copy(HERE / "mkdocs.yml", folder)
    words = ["build", "--strict", "--quiet", "--config-file", str(folder / "mkdocs.yml")]
    return subprocess.call([sys.executable, "-m", "mkdocs", *words])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
