"""What is installed beside the program adds to its tables; what fails is named and left out."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import textwrap
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

import toposmith
from toposmith import entry_points

ROOT = Path(toposmith.__file__).parents[1]
SOURCE = Path(__file__).parent / "data" / "plugin"
KINDS = ("collectives", "dump_readers", "exports", "findings", "parts", "templates")
DESIGN = "toposmith: 1\ngroups: {node: {part: dgx-h100, count: 3}, leaf: {part: acme-switch-64}}\n"


class Environment:
    """A Python of its own that has the program, and what a test installs beside it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        (self.packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        places = [str(ROOT), *site.getsitepackages()]
        (self.packages / "program.pth").write_text("\n".join(places), encoding="utf-8")
        self.work = folder / "work"
        self.work.mkdir()

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self.python), "-m", "toposmith", *words],
            cwd=self.work,
            env={**os.environ, "HOME": str(self.work), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == code, done.stderr
        return done

    def declare(self, name: str, points: str, code: str, where: Path | None = None) -> None:
        """A package as an installer leaves it: a module, and metadata that name entry points."""
        at = where or self.packages
        (at / f"{name}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        metadata = at / f"{name}-2.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 2.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(textwrap.dedent(points), encoding="utf-8")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("hatchling") is None, reason="needs hatchling, which builds it")
def test_an_installed_package_adds_a_record_of_each_kind(environment: Environment) -> None:
    source = environment.work / "plugin"
    shutil.copytree(SOURCE, source)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(environment.python), "install", "--quiet",
         "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check",
         str(source)],
        check=True, timeout=200,
    )  # fmt: skip
    listed = environment.run("config").stdout
    lines = [line for line in listed.splitlines() if line.startswith("# plug-in ")]
    assert [line.split()[5] for line in lines] == list(KINDS)
    place = str(environment.packages)
    assert all(
        line.startswith("# plug-in of toposmith-acme 1.0: ") and line.endswith(f" ({place})")
        for line in lines
    )

    design = environment.work / "a.yaml"
    design.write_text(DESIGN, encoding="utf-8")
    assert "ACME 64" in environment.run("catalog", "show", "acme-switch-64").stdout
    assert "warning" in (found := environment.run("check", "a.yaml", code=1).stdout)
    assert "3 nodes are no pairs" in found
    assert "name: one" in environment.run("new", "one-node").stdout
    assert environment.run("export", "a.yaml", "--to", "gpu-count").stdout == "24 GPUs\n"
    asked = environment.run("analyze", "dgx-h100-superpod-1su", "--collective", "halo")
    assert "halo exchange" in asked.stdout
    dump = environment.work / "wires.txt"
    dump.write_text("# wires\nn1:p1 s1:p1\nn2:p1 s1:p2\n", encoding="utf-8")
    held = environment.run("asbuilt", "dgx-h100-superpod-1su", "wires.txt", code=2).stderr
    assert "of no known form" not in held
    (environment.work / "policy.yaml").write_text(
        "toposmith-policy: 1\nseverities: {odd-nodes: off}\n", encoding="utf-8"
    )
    quiet = environment.run("check", "a.yaml", "--policy", "policy.yaml", code=1).stdout
    assert "no pairs" not in quiet
    assert "odd-nodes" in environment.run("config", "--schema", "policy").stdout


BROKEN = {
    "it cannot be imported": ("import no_such_module\n", "ModuleNotFoundError: No module named"),
    "it ends the program": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "it lacks the name": ("", "AttributeError: module 'bad2' has no attribute 'FORM'"),
    "it is something else": ("FORM = 'svg'\n", "TypeError: bad3:FORM is a str, not a Form"),
    "its name is taken": (
        "from toposmith.exports.forms import FORMS\nFORM = FORMS['svg']\n",
        "ValueError: there is a 'svg' already",
    ),
}


@pytest.mark.slow
def test_those_that_fail_are_named_and_left_out(environment: Environment) -> None:
    for number, (code, _) in enumerate(BROKEN.values()):
        points = f"[toposmith.exports]\nx = bad{number}:FORM\n"
        environment.declare(f"bad{number}", points, code)
    environment.declare("odd", "[toposmith.forms]\nx = odd:FORM\n", "FORM = 1\n")
    good = "from toposmith.exports.forms import Form\n"
    good += "FORM = Form('good', 'good', '.g', lambda cluster: ['fine'])\n"
    environment.declare("well", "[toposmith.exports]\ny = well:FORM\n", good)
    done = environment.run("export", "a100-rack-1x100gbe", "--to", "good")
    assert done.stdout == "fine"
    said = [line for line in done.stderr.splitlines() if line.startswith("plug-in of ")]
    wanted = [*(words for _, words in BROKEN.values()), "there is no kind 'forms', but coll"]
    assert len(said) == len(wanted)
    for number, (line, words) in enumerate(zip(said, wanted, strict=True)):
        name = f"bad{number} 2.0: exports" if number < len(BROKEN) else "odd 2.0: forms"
        assert line.startswith(f"plug-in of {name} 'x' (") and words in line, line
    listed = environment.run("config", code=1)
    assert "well 2.0" in listed.stdout and "bad" not in listed.stdout
    assert all(line in listed.stderr for line in said)


@pytest.mark.slow
def test_metadata_that_cannot_be_read_cost_no_other_package(environment: Environment) -> None:
    environment.declare("bad", "[toposmith.exports]\nno entry point\n", "")
    (environment.packages / "other-1.0.dist-info").mkdir()
    (environment.packages / "other-1.0.dist-info" / "entry_points.txt").write_text("[x]\ny\n")
    # whatever reads networkx is ended by such metadata
    listed = environment.run("--version")
    assert "plug-in of bad-2.0.dist-info: metadata (" in listed.stderr
    assert "other" not in listed.stderr


@pytest.mark.slow
def test_a_folder_that_one_works_in_adds_nothing(environment: Environment) -> None:
    code = "from pathlib import Path\nPath('ran').write_text('')\nFORM = None\n"
    points = "[toposmith.exports]\nx = evil:FORM\n"
    environment.declare("evil", points, code, where=environment.work)
    assert "plug-in" not in environment.run("config").stdout
    environment.run("export", "a100-rack-1x100gbe", "--to", "svg")
    assert not (environment.work / "ran").exists()


@pytest.mark.slow
def test_two_of_one_name_are_taken_in_the_order_of_their_packages(environment: Environment) -> None:
    code = """
    from toposmith.exports.forms import Form
    FORM = Form("same", "same", ".s", lambda cluster: [__name__])
    """
    for name in ("zz", "aa"):
        environment.declare(name, f"[toposmith.exports]\nx = {name}:FORM\n", code)
    done = environment.run("export", "a100-rack-1x100gbe", "--to", "same")
    assert done.stdout == "aa"
    assert "of zz 2.0" in done.stderr and "there is a 'same' already" in done.stderr


@pytest.mark.parametrize(("beside", "found"), [((), 1), (("pyproject.toml",), 0)])
def test_a_checkout_is_a_folder_that_one_works_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: tuple[str, ...], found: int
) -> None:
    """Packages beside the program are installed with it (``pip --target``), not in a checkout."""
    (tmp_path / "toposmith").mkdir()
    for name in beside:
        (tmp_path / name).touch()
    unpacked = tmp_path / "cluster-info"
    unpacked.mkdir()
    (unpacked / "METADATA").write_text("Name: cluster\nVersion: 1\n", encoding="utf-8")
    (unpacked / "entry_points.txt").write_text(
        "[toposmith.exports]\nopens = antigravity:fly\n", encoding="utf-8"
    )
    monkeypatch.setattr(entry_points, "__file__", str(tmp_path / "toposmith" / "entry_points.py"))
    declared = [plugin for plugin, _ in entry_points._declared()]
    assert sum(plugin.place == str(tmp_path) for plugin in declared) == found
